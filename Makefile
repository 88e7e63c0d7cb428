# SPDX-License-Identifier: GPL-2.0-only
# The entry for people; `make help` lists what there is.

# DKMS names the kernel by KERNELRELEASE, people by KVER or KDIR
KVER ?= $(or $(KERNELRELEASE),$(shell uname -r))
KDIR ?= /lib/modules/$(KVER)/build
KERNELS ?= 6.1 6.12 7.3
# all that nobody builds here
STOCK_KERNELS ?= $(shell awk '!/^\#/ && $$4 !~ /^source:/ { print $$1 }' tests/vm/kernels)
JOBS ?= auto
DEBUG_KERNELS ?= 7.3-debug 7.3-nothp 7.3-laxmem 7.3-rt 6.12-debug
DEMO_KERNEL ?= 7.3
REPRODUCE_KERNELS ?= 6.12 7.3
SOAK_KERNEL ?= 7.3
SOAK_SECONDS ?= 3600
PREFIX ?= /usr
INSTALL ?= install

# Headers of a kernel that clang built want clang's flags; `LLVM=` overrules.
ifeq ($(origin LLVM),undefined)
ifneq ($(shell grep -sx CONFIG_CC_IS_CLANG=y $(KDIR)/.config $(KDIR)/include/config/auto.conf),)
export LLVM := 1
endif
endif

version := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
name := hugepfn-$(version)
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)
# as the module's vermagic has it; kernel.release differs on Debian's 6.1
release = $(or $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null),$(KVER))

modules: kdir	## the module for the running kernel; others: KVER= or KDIR=; LLVM=1, ARCH=, CROSS_COMPILE=
	+$(kbuild) modules

tools:	## the command hugepfn, as build/tools/hugepfn
	@$(MAKE) --no-print-directory -C tools OUT=$(CURDIR)/build/tools

install: modules-install tools-install dev-install	## all without DKMS: DESTDIR= PREFIX=/usr

uninstall:	## take away what install and tests-install brought, for the same KVER or KDIR
	rm -f $(addprefix $(DESTDIR)/lib/modules/$(release)/updates/,$(addsuffix .ko*,hugepfn hugeuio_pci))
	-rmdir $(DESTDIR)/lib/modules/$(release)/updates
	$(if $(DESTDIR),,depmod $(release))
	@$(MAKE) --no-print-directory -C tools uninstall
	rm -f $(DESTDIR)$(PREFIX)/include/hugepfn.h
	rm -f $(DESTDIR)$(PREFIX)/share/pkgconfig/hugepfn.pc
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,bin/hugepfn-test libexec/hugepfn \
		share/hugepfn share/man/man1/hugepfn-test.1)

modules-install: modules	## the modules, into lib/modules/VERSION/updates
	+$(kbuild) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates modules_install
	$(if $(DESTDIR),,depmod $(release))

tools-install: tools	## the command, its man page, completion and udev rules
	@$(MAKE) --no-print-directory -C tools OUT=$(CURDIR)/build/tools install

dev-install:	## the header for programs, and hugepfn.pc
	$(INSTALL) -D -m 644 include/uapi/hugepfn.h $(DESTDIR)$(PREFIX)/include/hugepfn.h
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/share/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(version)|' include/hugepfn.pc.in \
		>$(DESTDIR)$(PREFIX)/share/pkgconfig/hugepfn.pc

tests-install:	## hugepfn-test, its man page and its helper modules' sources
	@$(MAKE) --no-print-directory -C tests/guest OUT=$(CURDIR)/build/guest
	$(INSTALL) -D build/guest/hugepfn-test $(DESTDIR)$(PREFIX)/libexec/hugepfn/hugepfn-test
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(version)|' tests/hugepfn-test.in \
		>$(DESTDIR)$(PREFIX)/bin/hugepfn-test
	chmod 755 $(DESTDIR)$(PREFIX)/bin/hugepfn-test
	$(INSTALL) -D -m 644 tests/hugepfn-test.1 $(DESTDIR)$(PREFIX)/share/man/man1/hugepfn-test.1
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(PREFIX)/share/hugepfn/kmod tests/kmod/Kbuild tests/kmod/*.c

dkms-source-install:	## the sources, as DKMS wants them: DESTDIR/usr/src/hugepfn-VERSION
	rm -rf $(DESTDIR)/usr/src/$(name)
	$(INSTALL) -d $(DESTDIR)/usr/src/$(name)
	find Kbuild Makefile dkms.conf include src -type f $(not-built) -print0 | \
		xargs -0 cp --preserve=mode,timestamps --parents -t $(DESTDIR)/usr/src/$(name)
# what a build leaves beside the sources is not of them
not-built := ! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' \
	! -name '.*.cmd' ! -name '.*.d' ! -name Module.symvers \
	! -name modules.order ! -path '*src/compat/config.h'

dkms-install: no-package dkms-source-install	## install through DKMS, as root
	! dkms status -m hugepfn -v $(version) | grep -q hugepfn || \
		dkms remove -m hugepfn -v $(version) --all
	dkms add -m hugepfn -v $(version)
	dkms install -m hugepfn -v $(version) -k $(KVER)

dkms-remove: no-package	## take it away again, for every kernel
	dkms remove -m hugepfn -v $(version) --all
	rm -rf /usr/src/$(name)

dist:	## the source archive, build/hugepfn-VERSION.tar.gz
	@mkdir -p build
	@if [ -e .git ]; then git ls-files -z --cached --others --exclude-standard; \
	else find . -path ./build -prune -o -type f $(not-built) -printf '%P\0'; fi \
		>build/files
	@LC_ALL=C sort -z build/files | tar -c --null -T - --transform 's|^|$(name)/|' \
		--mtime=@$(date) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX | \
		gzip -9n >build/$(name).tar.gz
# when this version was released; the archive's and the packages' time
date = $(shell date +%s -d "$$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)")

deb: dist	## Debian packages, into build/deb
	@rm -rf build/deb && umask 022 && mkdir -p build/deb && tar -C build/deb -xf build/$(name).tar.gz
	@cd build/deb/$(name) && dpkg-checkbuilddeps || { \
		echo "to install what is missing, as root: apt-get build-dep ./" >&2; exit 1; }
	cd build/deb/$(name) && dpkg-buildpackage -us -uc
	@rm -rf build/deb/$(name) && ls build/deb/*.deb

rpm: dist	## RPM packages, into build/rpm
	@command -v rpmbuild >/dev/null || { \
		echo "no rpmbuild: install rpm-build (on Debian: rpm)" >&2; exit 1; }
	rm -rf build/rpm
	SOURCE_DATE_EPOCH=$(date) rpmbuild -ba rpm/hugepfn.spec $(rpmflags) \
		--define '_topdir $(CURDIR)/build/rpm' --define '_sourcedir $(CURDIR)/build'
	@find build/rpm -name '*.rpm'
# Debian's rpm does not know what Debian's packages provide
rpmflags = $(if $(wildcard /etc/debian_version),--nodeps)

clean:	## take away what modules and check made
	-test ! -e $(KDIR)/Makefile || $(kbuild) clean
	rm -rf build

check:	## unit tests, then the guest tests on stock kernels: KERNELS="6.1 …"
	@tests/check $(KERNELS)

check-all:	## the guest tests on every stock kernel of tests/vm/kernels, as many at a time as fit: JOBS=auto
	@JOBS=$(JOBS) tests/check $(STOCK_KERNELS)

check-left:	## the stock kernels that check leaves to check-all
	@echo $(filter-out $(KERNELS),$(STOCK_KERNELS))

check-packages:	## the packages in clean Debian systems: SUITES="bookworm trixie"
	@tests/pkg/check $(SUITES)

kernels-doc:	## the table of docs/kernels.md, from what check-all left
	@tests/kernels-table

debug-kernels:	## build the kernels of check-debug from linux-source: 10 minutes or more each
	@for kernel in $(DEBUG_KERNELS); do tests/vm/kernel $$kernel || exit; done

check-debug:	## the guest tests on KASAN and lockdep, without THP, without STRICT_DEVMEM, on PREEMPT_RT
	@tests/check $(DEBUG_KERNELS)

soak:	## random operations for an hour: SOAK_KERNEL=7.3-debug SOAK_SECONDS=60
	@tests/soak $(SOAK_KERNEL) $(SOAK_SECONDS)

demo:	## /dev/mem and /dev/hugemem side by side in a booted guest
	@tests/demo/run $(DEMO_KERNEL)

bench:	## the ways to map a BAR side by side, in instructions: build/bench.json, .svg
	@tests/bench/run $(DEMO_KERNEL)

reproduce:	## the reference work's tests and figures, on our nodes: docs/reproduction.md
	@tests/reference/run $(REPRODUCE_KERNELS)

lint:	## sparse, W=1 -Werror on each kernel, shellcheck, kernel-doc, version rules
	@tests/lint $(KERNELS)

# what Kbuild would say in many lines, or not at all
kdir:
	@case "$(CURDIR)$(KDIR)" in *[[:space:]]*) \
		echo "Kbuild cannot build in a path with a space: $(CURDIR)" >&2; exit 1;; esac
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel headers in $(KDIR): install linux-headers-$(KVER), or name others with KVER= or KDIR=" >&2; \
		exit 1; }
	@test -w . || { \
		echo "Kbuild cannot build in $(CURDIR), which is read-only: build in a copy" >&2; \
		exit 1; }

# what a package installed is the package manager's to change
no-package:
	@! { dpkg-query -W -f '$${Status}' hugepfn-dkms | grep 'ok installed' || \
		rpm -q hugepfn-dkms; } >/dev/null 2>&1 || { \
		echo "hugepfn-dkms is installed as a package: remove that first" >&2; exit 1; }

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 24

.PHONY: modules tools install uninstall modules-install tools-install \
	dev-install tests-install dkms-source-install dkms-install dkms-remove \
	dist deb rpm clean check check-all check-left kernels-doc check-debug check-packages debug-kernels soak demo bench reproduce lint kdir no-package help
