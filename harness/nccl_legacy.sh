#!/bin/sh
# Other releases of NCCL, from NVIDIA's own wheels: `nccl_legacy.sh FOLDER RELEASE…` fetches those that
# are not there yet and prints the variable that names them: NCCL_LEGACY of one, NCCL_LIBS of several.
# A library runs as who loads it: each time it is that of a wheel with its hash pinned here.
wheels=$1
shift
hashes=$(dirname "$0")/nccl_wheels.txt
inside=nvidia/nccl/lib/libnccl.so.2

fail() {
	echo "$1"
	exit 1
}

# The wheel of release $1 in folder $2, if it has one of the pinned hashes.
wheel() {
	for file in "$2"/nvidia_nccl_cu12-"$1"-*.whl; do
		sum=$(sha256sum "$file" 2>/dev/null | cut -d' ' -f1)
		[ -n "$sum" ] && grep -q "==$1 .*sha256:$sum" "$hashes" && echo "$file" && return
	done
	return 1
}

# pip checks the hash.
fetch() {
	rm -f "$2"/*.whl
	grep "==$1 " "$hashes" >"$2/wanted.txt" &&
		python3 -m pip download -q --no-deps --only-binary=:all: -d "$2" -r "$2/wanted.txt"
}

# The wheel's library, into folder $2 if another is there.
unpack() {
	python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' "$1" $inside >"$2/part" &&
		{ cmp -s "$2/part" "$2/$inside" || { mkdir -p "$2/nvidia/nccl/lib" && mv "$2/part" "$2/$inside"; }; } && rm -f "$2/part"
}

command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 ||
	fail 'python3 with pip is needed (python3-pip), or a libnccl.so.2 from elsewhere: NCCL_LEGACY=path'
libraries=
for release; do
	echo "$release" | grep -qE '^2\.[0-9]+\.[0-9]+(\.post[0-9]+)?$' ||
		fail "VERSION=$release is no release of NCCL; allowed are such as 2.21.5, from 2.16.2 on: pip index versions nvidia-nccl-cu12"
	grep -qF "==$release " "$hashes" ||
		fail "VERSION=$release: no hash of its wheel is in harness/nccl_wheels.txt, and what is not checked is not loaded; \`python3 -m pip hash WHEEL\` prints the hash of one that you trust"
	folder=$wheels/$release
	mkdir -p "$folder"
	wheel "$release" "$folder" >/dev/null || fetch "$release" "$folder" ||
		fail "NVIDIA's wheel of NCCL $release could not be fetched, or has not the hash in harness/nccl_wheels.txt: is there a network? Elsewhere: pip download --no-deps --only-binary=:all: nvidia-nccl-cu12==$release, unzip, NCCL_LEGACY=path"
	file=$(wheel "$release" "$folder") && unpack "$file" "$folder" ||
		fail "NVIDIA's wheel of NCCL $release has no $inside, or $folder cannot be written"
	libraries=$libraries${libraries:+:}$folder/$inside
done
case $libraries in
*:*) echo "NCCL_LIBS=$libraries" ;;
*) echo "NCCL_LEGACY=$libraries" ;;
esac
