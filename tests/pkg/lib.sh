# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the programs that run inside a Debian system share. A test is a function
# whose name says what holds; `tests NAME...` runs them in turn. One that exits
# with 77 is skipped, for the reason on its last line.

log=/tmp/test.log

tests() {
	local name status
	for name; do
		(set -euo pipefail; "$name") >"$log" 2>&1 </dev/null
		status=$?
		case $status in
		0) echo "ok $name" ;;
		77) echo "skip $name: $(tail -n 1 "$log")" ;;
		*)
			echo "FAILED $name (status $status)"
			sed 's/^/    /' "$log"
			;;
		esac
	done
}

skip() {
	echo "$*"
	exit 77
}

# apt ARG...: apt-get that asks nothing and says what it does
apt() {
	DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
		-o Dpkg::Use-Pty=0 "$@"
}

version() {
	sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$1/dkms.conf"
}

# module KERNEL [NAME]: the file that DKMS installed
module() {
	find "/lib/modules/$1/updates/dkms" -name "${2:-hugepfn}.ko*" 2>/dev/null
}

# field FIELD KERNEL NAME: what modinfo says of that file; not by the module's
# name, for DKMS 3.2 leaves modules.dep alone where the image is not installed
field() {
	modinfo -F "$1" "$(module "$2" "$3")"
}
