#!/usr/bin/env python3
"""Reference tables made again from raw stamps, by the definitions in results/README.md and by nothing of the
program. Reports as cmocka's programs do, for tests/run."""
import csv
import itertools
import json
import lzma
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


def narrower(pairs, centre):
    """By what two numbers a block narrow the signed-rank statistic: by the correlation of their signed ranks."""
    far = [x - centre for pair in pairs for x in pair]
    ranks = [math.copysign(sum(abs(y) <= abs(x) + 1e-12 for y in far), x) if abs(x) > 1e-12 else 0 for x in far]
    both = 2 * sum(a * b for a, b in zip(ranks[::2], ranks[1::2])) / sum(x * x for x in ranks)
    return math.sqrt((1 + max(both, 0.5)) / 2)


def hodges_lehmann(pairs):
    """Estimate and 95 % signed-rank interval of one number a block, or two, by the counts of all sign patterns."""
    n, copies = len(pairs), len(pairs[0]) ** 2
    walsh = sorted((a + (a if i == k else b)) / 2 for i in range(n) for k in range(i, n)
                   for a in pairs[i] for b in pairs[k])
    most = n * (n + 1) // 2
    ways = [1] + [0] * most  # ways[t]: sets of ranks 1 … n that add up to t
    for rank in range(1, n + 1):
        for t in range(most, rank - 1, -1):
            ways[t] += ways[t - rank]
    below = [t / 2**n for t in itertools.accumulate(ways)]
    c = sum(1 for t in below if t <= 0.025)
    ends = (math.nan, math.nan)
    if c:
        at = c - 1
        if copies > 1:
            at += (0.025 - below[c - 1]) / (below[c] - below[c - 1])
            at = most / 2 + (at - most / 2) * narrower(pairs, quantile(walsh, 0.5))
        skipped = int(at * copies)
        ends = walsh[skipped], walsh[-1 - skipped]
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
    with lzma.open(record + "/trials.jsonl.xz", "rt") as lines:
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
            enough = [[leaf for leaf in t if len(leaf) >= least] for t in trials[cell].values()]
            tails = [number(t, p / 100) if t else math.nan for t in enough]
            out[f"p{p}_us"] = quantile(tails, 0.5)
            out[f"p{p}_us_lo"], out[f"p{p}_us_hi"] = interval_of_median(tails)
    if row["ratio"]:
        others = [trials.get((name,) + cell[1:], {}) for name in references if name != row["variant"]]
        logs = []  # of a block to each of the reference's trials: its own and, but for the A/A line, its twin's
        for b in sorted(blocks):
            to = [math.log(number(t[b], 0.5)) - math.log(blocks[b]) for t in others if b in t]
            if to:
                logs.append((to * len(others))[:len(others)])
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
