#!/usr/bin/env python3
"""What a trial costs as ranks grow, on null, in each mode, as a table in Markdown: scale.py LAUNCHGAP [RANKS…]
scale.py LAUNCHGAP hosts FILE: as hosts grow, into a CSV file, of which tests/scaled makes tables.

Each line is one run of two trials. CPU seconds are of the runner, of all that it started, and of mpirun; on a machine that does
other things too they move less than the clock. `growth` divides the last line's figure by the one before: 2 is linear."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

EXPERIMENT = """[experiment]
collective = alltoall
bytes = 4K
backend = null
pace = stream, isolated
blocks = 1
warmup = 2
stretches = 5
calls = 20
isolated_calls = %(calls)d
timeout = 600
limit = no
reference = %(mode)s
ranks = %(ranks)d
ranks_per_core = 1024
[variant %(mode)s]
mode = %(mode)s
launcher = %(launcher)s
%(hosts)s
"""
MODES = ["single", "threads", "processes"]
COLUMNS = ["mode", "ranks", "start-up s", "trial CPU s", "team's block MiB", "largest process MiB", "all processes MiB",
           "record KiB", "report s", "report CPU s"]
HOSTS = [("mpirun", 1, 256, 50), ("exec", 1, 32, 50), ("exec", 1, 256, 50), ("exec", 2, 64, 50), ("exec", 4, 128, 50), ("exec", 8, 256, 50),
         ("exec", 8, 256, 500)]
MIB = 1 << 20


def timed(command, **more):
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(launchgap, mode, ranks, launcher="auto", hosts=1, calls=50):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "scale.exp")
        with open(file, "w") as out:
            out.write(EXPERIMENT % {"mode": mode, "ranks": ranks, "launcher": launcher, "calls": calls,
                                    "hosts": "hosts = %d" % hosts if hosts > 1 else ""})
        wall, cpu = timed([launchgap, "run", "--file", file, "--no-report", "--results", folder])
        run = os.path.realpath(os.path.join(folder, "scale", "latest"))
        record = os.path.join(run, "trials.jsonl")
        with open(record) as lines:
            cells = [line for line in map(json.loads, lines) if line["kind"] == "cell"]
        seconds = sum(max(map(max, c["idle_ns"])) for c in cells) / 1e9
        facts = [c["facts"] for c in cells if "facts" in c][-1]
        size = os.path.getsize(record)
        # A report without pictures: gnuplot is another program.
        os.mkdir(os.path.join(folder, "bin"))
        with open(os.path.join(folder, "bin", "gnuplot"), "w") as out:
            out.write("#!/bin/sh\nexit 1\n")
        os.chmod(os.path.join(folder, "bin", "gnuplot"), 0o755)
        path = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
        report, report_cpu = timed([launchgap, "report", run], env=dict(os.environ, PATH=path))
    peaks = [int(f["process_peak_bytes"]) for f in facts]
    shares = [int(f["process_share_bytes"]) for f in facts if "process_share_bytes" in f]
    return [mode, ranks, (wall - seconds) / 2, cpu / 2, int(facts[0]["team_bytes"]) / MIB, max(peaks) / MIB,
            (sum(shares) if mode == "processes" else max(shares)) / MIB, size / 2 / 1024, report, report_cpu]


def show(row):
    print("| " + " | ".join(x if isinstance(x, str) else "%d" % x if isinstance(x, int) else "%.3g" % x for x in row) + " |", flush=True)


def measure_hosts(launchgap, file):
    with open(file, "w") as out:
        print("launcher,hosts,ranks,calls,startup_s,cpu_s,block_mib,largest_mib,all_mib,record_kib,report_s,report_cpu_s", file=out)
        for launcher, hosts, ranks, calls in HOSTS:
            row = measure(launchgap, "processes", ranks, launcher, hosts, calls)
            print(launcher, hosts, ranks, calls, *("%.4g" % x for x in row[2:]), sep=",", file=out, flush=True)


def main():
    launchgap = os.path.abspath(sys.argv[1])
    if sys.argv[2:3] == ["hosts"]:
        return measure_hosts(launchgap, sys.argv[3])
    sizes = [int(x) for x in sys.argv[2:]] or [2, 4, 8, 16, 32, 64, 128, 256]
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for mode in MODES:
        rows = []
        for ranks in sizes:
            rows.append(measure(launchgap, mode, ranks))
            show(rows[-1])
        if len(rows) > 1:
            show([mode, "growth"] + [b / a for a, b in zip(rows[-2][2:], rows[-1][2:])])


main()
