# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the programs in this folder share: where things are kept, one line of
# progress for what takes long, and a command run inside a suite's userland.

vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$vm/../.." && pwd)
cache=${HUGEPFN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hugepfn}

die() {
	echo "${0##*/}: $*" >&2
	exit 2
}

# say TEXT: a line on what is being done, for what takes more than a moment
say() {
	echo "[$(date +%T)] $*" >&2
}

# logged FILE COMMAND...: the output goes to FILE and is shown if it fails
logged() {
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null && return
	tail -n 60 "$log" >&2
	say "failed; the whole log is $log"
	return 1
}

# The Debian mirror this machine uses; empty where it has none, and
# mmdebstrap's default is right.
mirror() {
	local uri
	uri=$(apt-get indextargets --format '$(REPO_URI)' |
		grep -E '/debian/?$' | sort -u | head -n 1)
	echo "${uri%/}"
}

# row NAME: sets row_arch, row_suite, row_from, row_release
row() {
	local name rest
	while read -r name rest; do
		[ "$name" = "$1" ] || continue
		# shellcheck disable=SC2034
		read -r row_arch row_suite row_from row_release <<<"$rest"
		return
	done < <(rows)
	die "unknown kernel '$1': one of $(rows | cut -d' ' -f1 | paste -sd' ')"
}

rows() {
	grep -v '^#' "$vm/kernels"
}

# what the toolchain and the kernel's own Makefile call ARCH
triplet() {
	case $1 in
	amd64) echo x86_64-linux-gnu ;;
	arm64) echo aarch64-linux-gnu ;;
	esac
}

# the userland of the row's kernel; another architecture's is its own, for DKMS
# builds for all kernels that it finds headers of
userland() {
	"$vm/userland" "$row_suite" "$row_arch"
}

# need PACKAGE...: what this machine must have, installed if it is Debian's
# root that asks
need() {
	local missing=() p
	for p; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
			grep -q 'ok installed' || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] ||
		die "missing packages; as root: apt-get install ${missing[*]}"
	say "installing ${missing[*]}"
	mkdir -p "$cache"
	exec 8>"$cache/apt.lock"
	flock 8
	logged "$cache/log/apt-update" apt-get update &&
		logged "$cache/log/apt-install" env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends "${missing[@]}" ||
		exit 2
	exec 8>&-
}

# put_table TABLE PAGE: between the two marks of a page of docs
put_table() {
	sed -i -e "/<!-- table -->/,/<!-- end -->/{/<!--/!d}" \
		-e "/<!-- table -->/r $1" "$2"
}

# locked NAME COMMAND...: one at a time, whoever else runs on this cache
locked() {
	local lock=$cache/$1.lock
	shift
	mkdir -p "$cache"
	(
		flock 9
		"$@" 9>&-
	) 9>"$lock"
}

# enter TREE COMMAND...: COMMAND inside the userland TREE, with /proc and
# /dev of its own, and the folders of $binds ("HOST:GUEST ..."). With $scratch
# set, TREE stays as it is and what changes goes to the folder $scratch.
enter() {
	local tree=$1
	shift
	# shellcheck disable=SC2016
	tree=$tree binds=${binds:-} scratch=${scratch:-} \
		unshare --mount --pid --fork --kill-child bash -euc '
		root=$tree
		if [ -n "$scratch" ]; then
			mkdir -p "$scratch"/{upper,work,root}
			root=$scratch/root
			mount -t overlay overlay -o \
				"lowerdir=$tree,upperdir=$scratch/upper,workdir=$scratch/work" \
				"$root"
		fi
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/tmp"
		mount --rbind /dev "$root/dev"
		for b in $binds; do
			mkdir -p "$root/${b#*:}"
			mount --bind "${b%%:*}" "$root/${b#*:}"
		done
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive INITRD=No \
			chroot "$root" "$@"' enter "$@"
}
