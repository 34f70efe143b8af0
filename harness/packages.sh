#!/bin/sh
# What launchgap wants of a machine beyond a shell and make.
#
#   packages.sh need WHAT…      all of it is there (exit 0), or a sentence says how to get it (1)
#   packages.sh install WHAT…   the same, but installs it first, on Debian and Ubuntu
#   packages.sh doctor FILE     looks at everything, changes nothing; FILE is the program
#
# WHAT: build (or nothing is compiled), use (a mode or a picture wants it), test. What is only of
# use is never a reason to stop. A row: WHAT | name | its proof | Debian | Fedora | module | what it adds
rows() {
	cat <<-'END'
	build|C compiler|command -v "${CC%% *}"|gcc|gcc|gcc|
	build|pkg-config|command -v pkg-config|pkg-config|pkgconf-pkg-config||
	build|hwloc|pkg-config --exists hwloc|libhwloc-dev|hwloc-devel|hwloc|
	build|jansson|pkg-config --exists jansson|libjansson-dev|jansson-devel||
	build|xxHash|pkg-config --exists libxxhash|libxxhash-dev|xxhash-devel||
	build|libsodium|pkg-config --exists libsodium|libsodium-dev|libsodium-devel|libsodium|
	build|SQLite|pkg-config --exists sqlite3|libsqlite3-dev|sqlite-devel|sqlite|
	build|zlib|pkg-config --exists zlib|zlib1g-dev|zlib-devel|zlib|
	build|liblzma|pkg-config --exists liblzma|liblzma-dev|xz-devel||
	use|mpicc|[ -z "$MPICC" ] \|\| command -v "${MPICC%% *}"|libopenmpi-dev|openmpi-devel|openmpi|the backend mpi, the launcher mpirun
	use|mpirun|command -v mpirun|openmpi-bin|openmpi|openmpi|the launcher mpirun
	use|gnuplot|command -v gnuplot|gnuplot-nox|gnuplot|gnuplot|the pictures
	use|Gloo|echo "#include <gloo/context.h>" \| ${CXX:-g++} -E -xc++ - -o /dev/null|libgloo-dev g++|gloo-devel gcc-c++||the backend gloo
	use|fonts|fc-list : family \| grep -q DejaVu \|\| ls -d /usr/share/fonts/*/dejavu* /usr/share/fonts/dejavu*|fonts-dejavu-core|dejavu-sans-fonts||the pictures' letters
	test|cmocka|pkg-config --exists cmocka|libcmocka-dev|libcmocka-devel||
	test|python3|command -v python3|python3|python3||
	fuzz|libFuzzer|echo "int LLVMFuzzerTestOneInput(void) { return 0; }" \| clang -fsanitize=fuzzer,address -xc - -o /dev/null|clang libclang-rt-dev|clang compiler-rt||make fuzz, and fuzzers that learn in make test
	bare|debootstrap|command -v debootstrap|debootstrap|debootstrap||make bare
	hosts|iproute2|command -v ip && command -v tc|iproute2|iproute iproute-tc||tests of several hosts
	hosts|Slurm|command -v slurmctld && command -v slurmd && command -v srun && command -v munged|slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins|slurm-slurmctld slurm-slurmd slurm munge||tests of srun
	words|aspell|echo colour \| aspell -l en_GB list|aspell aspell-en|aspell aspell-en||the test of spelling
	words|jsonschema|python3 -c "import jsonschema; jsonschema.Draft202012Validator"|python3-jsonschema|python3-jsonschema||tests of the schema of report.json
	coverage|gcovr|command -v gcovr|gcovr|gcovr||make coverage
	END
}

# The rows of some of WHAT whose proof fails, or with "there" those whose proof holds; in a field each.
look() { # there|missing WHAT…
	wanted=$1
	shift
	rows | sed 's/\\|/\a/g' | while IFS='|' read -r what name proof debian fedora module adds; do
		case " $* " in *" $what "*) ;; *) continue ;; esac
		found=missing
		if eval "$(printf %s "$proof" | tr '\a' '|')" >/dev/null 2>&1; then found=there; fi
		[ $found != "$wanted" ] || echo "$what|$name|$debian|$fedora|$module|$adds"
	done
}
column() { cut -d'|' -f"$1" | grep . | sort -u | tr '\n' ' ' | sed 's/ $//'; }

# How to get what the rows on stdin name.
how() {
	missing=$(cat)
	echo "  Debian, Ubuntu: ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends $(echo "$missing" | column 3)"
	echo "  Fedora, RHEL:   ${sudo}dnf install $(echo "$missing" | column 4)"
	modules=$(echo "$missing" | column 5)
	[ -z "$modules" ] || echo "  clusters:       module load $modules"
}

ask() { # yes|no WHAT…: whether to install
	install=$1
	shift
	missing=$(look missing "$@")
	[ -n "$missing" ] || return 0
	names=$(echo "$missing" | column 3)
	if [ "$install" = yes ] && [ "$may" = yes ] && command -v apt-get >/dev/null; then
		echo "Installing what is missing: $names"
		# A release that lacks what is only of use gets the rest.
		needed=$(echo "$missing" | grep -v '^use|' | column 3)
		$sudo apt-get update -qq
		for some in "$names" "$needed"; do
			[ -z "$some" ] || ! $sudo env DEBIAN_FRONTEND=noninteractive \
				apt-get install -y -qq --no-install-recommends $some >/dev/null || return 0
		done
	fi
	hard=$(echo "$missing" | grep -v '^use|')
	if [ -z "$hard" ]; then # a run names what it does without, too
		echo "Missing, and done without: $(echo "$missing" | column 2)."
		return 0
	fi
	echo "Missing: $names. To install$([ "$may" = yes ] || echo ', as root'):"
	echo "$missing" | how
	return 1
}

line() { printf '  %-3s %-13s %s\n' "$1" "$2" "$3"; }

doctor() { # FILE
	echo "what launchgap is built with"
	look there build test | while IFS='|' read -r what name rest; do line ok "$name" there; done
	look missing build test | while IFS='|' read -r what name debian fedora rest; do
		line -- "$name" "needed to $what: $debian (Fedora: $fedora)"
	done
	if command -v "${NVCC:-nvcc}" >/dev/null; then line ok CUDA "${NVCC:-nvcc}"; else
		line -- CUDA "would add the backend nccl: CUDA's toolkit, or CUDA_HOME=folder"; fi
	if [ -n "$NCCL_H" ]; then line ok "NCCL's header" "$NCCL_H"; else
		line -- "NCCL's header" "would add the backend nccl: libnccl-dev, or NCCL_HOME=folder"; fi
	missing=$(look missing build use test)
	[ -z "$missing" ] || { echo "to install what is missing"; echo "$missing" | how; }
	if [ -x "$1" ]; then
		"$1" doctor
		return
	fi
	echo "programs that it starts"
	look there use | while IFS='|' read -r what name rest; do line ok "$name" there; done
	look missing use | while IFS='|' read -r what name debian fedora module adds; do
		line -- "$name" "would add $adds: $debian (Fedora: $fedora)"
	done
	echo "machine"
	gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
	if [ "$gpus" -gt 0 ]; then line ok GPUs "$gpus"; else
		line -- GPUs "none that nvidia-smi names; the backend host needs none"; fi
	line ok cores "$(nproc)"
	echo "launchgap is not built yet; once it is (make), this says more"
}

: "${CC:=gcc}" "${MPICC=mpicc}"
# What packages are installed by, and whether that is possible: as root, or with sudo.
sudo= may=yes
if [ "$(id -u 2>/dev/null)" != 0 ]; then
	if command -v sudo >/dev/null; then sudo='sudo '; else may=no; fi
fi
case "$1" in
need) shift; ask no "$@" ;;
install) shift; ask yes "$@" ;;
doctor) doctor "$2" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
