# SPDX-License-Identifier: GPL-2.0-only
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)

modules: kdir
	$(kbuild) modules

clean:
	$(kbuild) clean

kdir:
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel headers in $(KDIR): install linux-headers-$(KVER), or name others with KVER= or KDIR=" >&2; \
		exit 1; }

.PHONY: modules clean kdir
