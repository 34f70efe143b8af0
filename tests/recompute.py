#!/usr/bin/env python3
"""Reference tables made again from raw stamps, by the definitions in results/README.md and by nothing of the
program. Reports as cmocka's programs do, for tests/run."""
import csv
import gzip
import itertools
import json
import math
import sys

RECORDS = ["results/reference/4x-h200/collectives", "results/reference/2x-h200/h800_alltoall"]
KEYS = ["variant", "collective", "asked_bytes", "dtype", "op", "root", "in_place", "pace"]
FACTOR = {"all_reduce": lambda n: 2 * (n - 1) / n, "broadcast": lambda n: 1, "reduce": lambda n: 1,
          "sendrecv": lambda n: 1, "alltoall": lambda n: (n - 1) / n, "all_gather": lambda n: (n - 1) / n,
          "reduce_scatter": lambda n: (n - 1) / n, "gather": lambda n: (n - 1) / n, "scatter": lambda n: (n - 1) / n}


def quantile(values, p):  # type 7
    values = sorted(values)
    at = (len(values) - 1) * p
    low = math.floor(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def hodges_lehmann(logs):
    """Estimate and exact 95 % signed-rank interval, of all sign patterns."""
    n = len(logs)
    walsh = sorted((logs[i] + logs[k]) / 2 for i in range(n) for k in range(i, n))
    ways = [1] + [0] * len(walsh)  # ways[t]: sets of ranks 1 … n that add up to t
    for rank in range(1, n + 1):
        for t in range(len(walsh), rank - 1, -1):
            ways[t] += ways[t - rank]
    below = list(itertools.accumulate(ways))
    c = sum(1 for t in below if t / 2**n <= 0.025)
    ends = (walsh[c - 1], walsh[-c]) if c else (math.nan, math.nan)
    return [math.exp(x) for x in (quantile(walsh, 0.5), *ends)]


def interval_of_median(values):
    """Exact 95 % interval of order statistics: the k-th from either end, fewer than k being below with 2.5 %."""
    n, k = len(values), 0
    while sum(math.comb(n, i) for i in range(k + 1)) <= 0.025 * 2**n:
        k += 1
    return (sorted(values)[k - 1], sorted(values)[-k]) if k else (math.nan, math.nan)


def trials_of(record):
    """{cell: {block: its rows' times per call, in us}} and the names of the reference and its twin."""
    trials = {}
    with gzip.open(record + "/trials.jsonl.gz", "rt") as lines:
        environment = json.loads(next(lines))
        for line in map(json.loads, lines):
            if line["kind"] != "cell" or line["error"] or line.get("pass", "timed") != "timed":
                continue
            rows = zip(zip(*line["start_ns"]), zip(*line["idle_ns"]))
            times = [(max(idle) - min(start)) / line["calls"] / 1000 for start, idle in rows]
            cell = tuple(str(int(v) if isinstance(v, bool) else v) for v in (line[k] for k in KEYS))
            trials.setdefault(cell, {}).setdefault(line["block"], []).append(times)
    return trials, [v["name"] for role in ("reference", "again") for v in environment["variants"] if v["role"] == role]


def number(leaves, p):
    """A trial's quantile: of a job that measured the cell several times the geometric mean over them."""
    return math.exp(sum(math.log(quantile(times, p)) for times in leaves) / len(leaves))


def expected(row, trials, references):
    cell = tuple(row[k] for k in KEYS)
    blocks = {b: number(t, 0.5) for b, t in trials[cell].items()}
    out = {"time_us": quantile(blocks.values(), 0.5), "time_us_lo": quantile(blocks.values(), 0.25),
           "time_us_hi": quantile(blocks.values(), 0.75)}
    if row["collective"] in FACTOR:
        out["busbw_gbs"] = int(row["bytes"]) / out["time_us"] / 1000 * FACTOR[row["collective"]](int(row["ranks"]))
    if row["pace"] == "isolated":
        out["p50_us"] = out["time_us"]
        for p, least in (95, 0), (99, 500):
            tails = [number(t, p / 100) if len(t[0]) >= least else math.nan for t in trials[cell].values()]
            out[f"p{p}_us"] = quantile(tails, 0.5)
            out[f"p{p}_us_lo"], out[f"p{p}_us_hi"] = interval_of_median(tails)
    if row["ratio"]:
        against = {}  # logs of the reference's trials of each block: its own and, but for the A/A line, its twin's
        for name in [n for n in references if n != row["variant"]]:
            for b, t in trials.get((name,) + cell[1:], {}).items():
                against.setdefault(b, []).append(math.log(number(t, 0.5)))
        logs = [sum(against[b]) / len(against[b]) - math.log(blocks[b]) for b in sorted(blocks) if b in against]
        out["ratio"], out["ratio_lo"], out["ratio_hi"] = hodges_lehmann(logs)
    return out


def check(record):
    trials, references = trials_of(record)
    numbers, wrong = 0, []
    with open(record + "/summary.csv", newline="") as lines:
        for row in csv.DictReader(lines):
            for column, x in expected(row, trials, references).items() if row["time_us"] else ():
                numbers += 1
                said = float(row[column]) if row[column] else math.nan
                if not (math.isnan(x) and math.isnan(said)) and not abs(said - x) <= 1e-5 * abs(x):
                    wrong.append(f"{record}: {' '.join(row[k] for k in KEYS)}: {column} is {said}, stamps say {x}")
    if not numbers:
        wrong.append(record + ": nothing was checked")
    return numbers, wrong


records, failed = sys.argv[1:] or RECORDS, 0
for record in records:
    print("[ RUN      ]", record)
    numbers, wrong = check(record)
    print("\n".join(wrong[:10] + [f"{numbers} numbers, {len(wrong)} of them otherwise"]))
    print("[  FAILED  ]" if wrong else "[       OK ]", record)
    failed += bool(wrong)
print(f"[==========] {len(records)} test(s) run.")
sys.exit(failed)
