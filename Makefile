# SPDX-License-Identifier: GPL-2.0-only
# The entry for people; `make help` lists what there is.

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
KERNELS ?= 6.1 6.12 7.3
DEMO_KERNEL ?= 7.3

kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)
version = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

modules: kdir	## the module for the running kernel; others: KVER= or KDIR=
	+$(kbuild) modules

tools:	## the command hugepfn, as build/tools/hugepfn
	@$(MAKE) --no-print-directory -C tools OUT=$(CURDIR)/build/tools

tools-install:	## install it, its man page and completion: DESTDIR= PREFIX=/usr
	@$(MAKE) --no-print-directory -C tools OUT=$(CURDIR)/build/tools install

clean:	## take away what modules and check made
	-test ! -e $(KDIR)/Makefile || $(kbuild) clean
	rm -rf build

dkms-install:	## install through DKMS, as root
	dkms add $(CURDIR)
	dkms install hugepfn/$(version)

dkms-remove:	## take it away again
	dkms remove hugepfn/$(version) --all
	rm -rf /usr/src/hugepfn-$(version)

check:	## unit tests, then the guest tests on stock kernels: KERNELS="6.1 …"
	@tests/check $(KERNELS)

demo:	## /dev/mem and /dev/hugemem side by side in a booted guest
	@tests/demo/run $(DEMO_KERNEL)

bench:	## the ways to map a BAR side by side, in instructions: build/bench.json, .svg
	@tests/bench/run $(DEMO_KERNEL)

lint:	## sparse, W=1 -Werror on each kernel, shellcheck, version rules
	@tests/lint $(KERNELS)

kdir:
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel headers in $(KDIR): install linux-headers-$(KVER), or name others with KVER= or KDIR=" >&2; \
		exit 1; }

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

.PHONY: modules tools tools-install clean dkms-install dkms-remove check demo bench lint kdir help
