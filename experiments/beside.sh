#!/bin/sh
# nccl-tests beside an experiment, in turn with its blocks, so that both see the same machine.
#
#   beside.sh LAUNCHGAP EXPERIMENT NCCL_TESTS [key=value …]
#
# NCCL_TESTS is the folder of its programs, built with MPI=1. ROUNDS (3) times: BLOCKS (2) blocks of
# ours, then the program of each collective that the run has, with the run's sizes and calls, in all
# three modes. Its files, and launchgap's comparison, are put into nccl-tests/ of the run's folder.
set -eu
[ $# -ge 3 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
launchgap=$1 experiment=$2 programs=$3
shift 3
ls "$programs"/*_perf >/dev/null 2>&1 ||
	{ echo "'$programs' holds no programs of nccl-tests: NCCL_TESTS=folder names where they were built"; exit 2; }
for program in "$programs"/*_perf; do
	timeout 60 "$program" -J /dev/null -h 2>&1 </dev/null | grep -q "invalid option" || continue
	echo "$program knows no -J, which nccl-tests has since 2.17.5: what compare reads"
	exit 2
done

# What the run was asked for: a number, or a list as words.
asked() {
	head -n 1 "$dir/trials.jsonl" | grep -o "\"$1\":\(\[[^]]*\]\|[0-9]*\)" | head -n 1 |
		cut -d: -f2 | tr -d '["]' | tr , ' '
}

# SIZE…: nccl-tests' options for them; it knows a first, a last and a factor.
sizes() {
	first=$1 factor=2
	[ $# -lt 2 ] || factor=$(($2 / $1))
	while [ $# -gt 1 ]; do shift; done
	echo "-b $first -e $1 -f $factor"
}

perf() { # NAME COMMAND…
	files=$peers/$1-$round
	shift
	timeout 300 "$@" $options -J "$files.json" >"$files.txt" 2>&1 && return
	echo "$* failed: $(tail -n 3 "$files.txt")" >&2
	exit 1
}

resume= round=0
while [ $((round += 1)) -le "${ROUNDS:-3}" ]; do
	"$launchgap" run "$experiment" "$@" blocks="${BLOCKS:-2}" --no-report $resume
	dir=$(readlink -f "results/$experiment/latest")
	resume="--resume $dir" peers=$dir/nccl-tests ranks=$(asked ranks)
	options="$(sizes $(asked bytes)) -n $(asked calls) -w $(asked warmup) -a 3 -c 0"
	mkdir -p "$peers"
	for collective in $(asked collectives); do
		program=$programs/${collective}_perf
		if [ ! -x "$program" ]; then
			[ "$round" -gt 1 ] || echo "no ${collective}_perf there: $collective has no peer"
			continue
		fi
		perf "$collective-single" "$program" -t 1 -g "$ranks"
		perf "$collective-threads" "$program" -t "$ranks" -g 1
		perf "$collective-processes" ${MPIRUN:-mpirun --bind-to none} -np "$ranks" "$program" -t 1 -g 1
	done
done
"$launchgap" report "$dir"
"$launchgap" compare "$dir" "$peers" >"$peers/compare.txt" || [ $? -eq 1 ]
cat "$peers/compare.txt"
