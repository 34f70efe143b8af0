#!/bin/sh
# The Debian package of the commit, into build-deb/: `deb.sh`. The commit's sources, as in a tarball,
# get debian/ from beside this script and a changelog of one entry; nothing in them depends on this
# folder or on the time. Make's variables arrive in MAKEFLAGS.
set -e
cd "$(dirname "$0")/../.."
command -v dh >/dev/null || {
	echo 'dh is missing: apt-get install --no-install-recommends debhelper dpkg-dev fakeroot'
	exit 1
}
place=$PWD/build-deb
source=$place/source
rm -rf "$place"
mkdir -p "$source"
if [ -e .git ]; then git archive HEAD; else tar -c --exclude='./build*' .; fi | tar -x -C "$source"
set -- $("$source/harness/version.sh") # what is changed here and not committed is not in it
cp -r harness/packages/debian "$source/debian"
cat >"$source/debian/changelog" <<END
launchgap ($1) unstable; urgency=medium

  * Commit $2; CHANGELOG.md has what is new.

 -- $(sed -n 's/^Maintainer: //p' harness/packages/debian/control)  $(date -uRd "@$3")
END
cd "$source"
dpkg-buildpackage -us -uc -b "-j$(nproc)" >"$place/log" 2>&1 || {
	tail -n 20 "$place/log"
	exit 1
}
cd "$place"
rm -rf "$source"
ls "$place"/*.deb
