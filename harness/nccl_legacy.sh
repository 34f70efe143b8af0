#!/bin/sh
# Other releases of NCCL, from NVIDIA's own wheels: `nccl_legacy.sh FOLDER RELEASE…` fetches those that
# are not there yet and prints the variable that names them: NCCL_LEGACY of one, NCCL_LIBS of several.
wheels=$1
shift
hashes=$(dirname "$0")/nccl_wheels.txt

fail() {
	echo "$1"
	exit 1
}

# The wheel of release $1 into folder $2, checked where its hash is pinned.
fetch() {
	grep "==$1 " "$hashes" >"$2/wanted.txt" || {
		echo "nvidia-nccl-cu12==$1" >"$2/wanted.txt"
		echo "NCCL $1: no hash of its wheel is pinned here, so it is not checked" >&2
	}
	python3 -m pip download -q --no-deps --only-binary=:all: -d "$2" -r "$2/wanted.txt" &&
		rm -rf "$2/part" "$2/nvidia" &&
		python3 -m zipfile -e "$2"/nvidia_nccl_cu12-"$1"-*.whl "$2/part" &&
		mv "$2/part/nvidia" "$2" && rm -rf "$2/part" "$2"/*.whl
}

command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 ||
	fail 'python3 with pip is needed (python3-pip), or a libnccl.so.2 from elsewhere: NCCL_LEGACY=path'
libraries=
for release; do
	echo "$release" | grep -qE '^2\.[0-9]+\.[0-9]+(\.post[0-9]+)?$' ||
		fail "VERSION=$release is no release of NCCL; allowed are such as 2.21.5, from 2.16.2 on: pip index versions nvidia-nccl-cu12"
	folder=$wheels/$release
	library=$folder/nvidia/nccl/lib/libnccl.so.2
	mkdir -p "$folder"
	[ -f "$library" ] || fetch "$release" "$folder" ||
		fail "NVIDIA's wheel of NCCL $release could not be fetched, or has not the hash in harness/nccl_wheels.txt: is there a network? Elsewhere: pip download --no-deps --only-binary=:all: nvidia-nccl-cu12==$release, unzip, NCCL_LEGACY=path"
	libraries=$libraries${libraries:+:}$library
done
case $libraries in
*:*) echo "NCCL_LIBS=$libraries" ;;
*) echo "NCCL_LEGACY=$libraries" ;;
esac
