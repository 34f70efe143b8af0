#!/usr/bin/env python3
"""The first inputs of the fuzzers, made of committed files: seeds.py LAUNCHGAP [FOLDER]

Records are cut down from results/reference, and measured on null; they are small, since an input
that takes long teaches little. What is found later is put beside them by hand, and stays."""
import gzip
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCHGAP = os.path.abspath(sys.argv[1])
TO = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(ROOT, "tests/fuzz/corpus")

# Of a reference record: the variants, how many sizes, blocks, rows of stamps and ranks stay.
CUT = {
    "4x-h200/nccl_versions": (["threads", "processes", "threads-nccl-2.21.5", "limit"], 1, 6, 1, 2),
    "2x-h200/h800_alltoall": (["single", "threads", "processes", "threads-registered"], 2, 1, 1, 2),
    "4x-h200/api": (["single", "single-native", "single-again"], 1, 6, 1, 3),
    "2x-h200/states": (["threads", "processes"], 1, 6, 1, 2),
    "4x-h200/matrix": (["single", "threads", "processes"], 1, 1, 1, 2),
}
NULL = """; Small, and with all that an experiment can ask.
[experiment]
collective = %s
bytes = 4K%s
backend = null
ranks = 2
pace = %s
blocks = %d
warmup = 0
stretches = 1
calls = 2
isolated_calls = %d
%s
[variant s]
mode = single
[variant t]
mode = threads
delay = 1us
[variant p]
mode = threads
[factor x]
text = a switch
from = t
to = p
placebo = yes
%s
"""
CLAIMS = """[claim same]
text = Equal
left = s
right = t
metric = latency
is = within 2%
[claim more]
text = More
left = p
right = t
metric = busbw
is = more by 1%
"""
RUNS = {
    "one_trial": ("alltoall", "", "stream", 1, 2, "limit = no", ""),
    "both_paces": ("alltoall", ", 16K", "stream, isolated", 2, 3, "", CLAIMS),
    "six_blocks": ("all_reduce", "", "isolated", 6, 2, "limit = no\nprimary = same\ngap = p, t", CLAIMS),
    "counts": ("alltoallv", "", "stream", 2, 2, "limit = no\ncounts = 0:9, 1:0", ""),
    "pingpong": ("pingpong", ", 16K", "stream, isolated", 1, 2, "limit = no", ""),
    "nested": ("broadcast", "", "stream", 1, 2, "connections = 2\nallocations = 2\nlimit = no", ""),
}


def put(target, name, data):
    os.makedirs(os.path.join(TO, target), exist_ok=True)
    with open(os.path.join(TO, target, name), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


def cut_lists(line, were, ranks, rows):
    for key, value in list(line.items()):
        if isinstance(value, list) and len(value) == were and key not in ("command", "variants"):
            line[key] = [v[:rows] if isinstance(v, list) else v for v in value[:ranks]]


def cut_record(name, keep, nsizes, nblocks, nrows, nranks):
    lines = [json.loads(l) for l in gzip.open(os.path.join(ROOT, "results/reference", name, "trials.jsonl.gz"))]
    env, sizes, out = lines[0], {}, []
    were = env["ranks"]
    variants = [v for v in env["variants"] if not keep or v["name"] in keep]
    names = {v["name"] for v in variants}
    env.update(variants=variants, ranks=min(were, nranks))
    for key in ("factors", "claims"):
        env[key] = [x for x in env.get(key, []) if all(
            x.get(end) is None or x[end] in names for end in ("from", "to", "left", "right"))][:4]
    for line in lines:
        line.pop("xxh3", None)  # as older programs wrote it
        if line["kind"] in ("cell", "path"):
            if line["variant"] not in names or line["block"] >= nblocks:
                continue
        if line["kind"] == "cell":
            mine = sizes.setdefault((line["pace"], line.get("pass")), [])
            if line["asked_bytes"] not in mine and len(mine) < nsizes:
                mine.append(line["asked_bytes"])
            if line["asked_bytes"] not in mine or line["collective"] != env["collectives"][0]:
                continue
            if line.get("cycle") or line.get("connection", 0) > 1 or line.get("allocation"):
                continue
            if line.get("pass") not in (None, "timed") and line["block"]:
                continue
            if line["dtype"] != "float32" or line["op"] not in ("none", "sum"):
                continue
            line["ranks"] = min(were, nranks)
            if "comm_ranks" in line:
                line["comm_ranks"] = min(line["comm_ranks"], nranks)
            cut_lists(line, were, nranks, nrows)
            for facts in line.get("facts") or []:
                for key in [k for k in facts if len(str(facts[k])) > 80 or line["block"] and k != "clock_sm_mhz"]:
                    del facts[key]
        if line["kind"] == "path":
            line["path"]["links"] = [l for l in line["path"]["links"] if l["from"] < nranks and l["to"] < nranks]
        out.append(line)
    text = "".join(json.dumps(l, separators=(",", ":"), ensure_ascii=False) + "\n" for l in out)
    put("record", name.replace("/", "_"), text)


def launchgap(folder, *args):
    """In the folder, by a name there: the record holds the command, and is to name no machine's paths."""
    run = subprocess.run(["./launchgap", *args], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)


def run_null(name, experiment, *more):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(LAUNCHGAP, os.path.join(folder, "launchgap"))
        open(os.path.join(folder, name + ".exp"), "w").write(experiment)
        launchgap(folder, "run", "--file", name + ".exp", "--no-report", "--results", "r", "seed=5")
        run = os.path.join("r", name, sorted(os.listdir(os.path.join(folder, "r", name)))[0])
        if more:
            launchgap(folder, "resume", run, "--no-report", *more)
        put("record", "null_" + name, open(os.path.join(folder, run, "trials.jsonl"), "rb").read())


def as_access(name):
    """A record of null once more, as if it were one of strided access that moved data."""
    lines = [json.loads(l) for l in open(os.path.join(TO, "record", "null_" + name))]
    for line in lines:
        line.pop("xxh3", None)
        if line["kind"] == "cell":
            line.update(collective="access", root=0, digest="00000000000000aa", wrong=0)
        for backend in line.get("backends", {}).values():
            backend["carries_data"] = True
        for i, variant in enumerate(line.get("variants", [])):
            variant.get("settings", variant)["stride"] = 1 + i
    put("record", "access", "".join(json.dumps(l, separators=(",", ":"), ensure_ascii=False) + "\n" for l in lines))


def as_small(name):
    """What a record has, but once: of two variants and one block a cell of each kind. A report on it takes a third."""
    lines = [json.loads(l) for l in open(os.path.join(TO, "record", name))]
    names = [v["name"] for v in lines[0]["variants"]][:2]
    lines[0]["variants"] = lines[0]["variants"][:2]
    for key in ("factors", "claims"):
        lines[0][key] = [x for x in lines[0].get(key, []) if all(
            x.get(end) is None or x[end] in names for end in ("from", "to", "left", "right"))][:1]
    seen, out = set(), []
    for line in lines:
        line.pop("xxh3", None)
        kind = line["kind"], line.get("variant"), line.get("pace"), line.get("pass")
        if line["kind"] in ("cell", "path") and (line["variant"] not in names or line["block"] or
                                                 line["kind"] == "cell" and kind in seen):
            continue
        seen.add(kind)
        out.append(line)
    put("record", "small_" + name, "".join(json.dumps(l, separators=(",", ":"), ensure_ascii=False) + "\n" for l in out))


def texts(file, pattern, group=1):
    """The strings of a C file that match."""
    for match in re.finditer(pattern, open(os.path.join(ROOT, file)).read(), re.S):
        yield match.group(group)


def experiments():
    for file in sorted(os.listdir(os.path.join(ROOT, "experiments"))):
        if file.endswith(".exp"):
            yield open(os.path.join(ROOT, "experiments", file)).read()


def main():
    for name, cut in CUT.items():
        cut_record(name, *cut)
    for name, values in RUNS.items():
        run_null(name, NULL % values)
    as_access("pingpong")
    run_null("resumed", NULL % RUNS["one_trial"], "blocks=1")
    for name in sorted(os.listdir(os.path.join(TO, "record"))):
        if not name.startswith("small_"):
            as_small(name)

    put("experiment", "overrides", NULL % RUNS["counts"] + "\0bytes=1K..1M x4\0host.blocks=auto\0--only=s,t\0title=x")
    put("experiment", "like", "[experiment]\nlike = base\nranks = 3\n[variant s]\nlike = t\nmode = single\n"
                              "[variant n]\nlike = t\nbackend = nccl\nnccl = ${SET}\n[variant e]\nlike = t\neach = ${UNSET}\n")

    values = {m for t in experiments() for m in re.findall(r"^(?:\w+\.)?bytes\s*=\s*(.*)$", t, re.M)}
    for i, value in enumerate(sorted(values)):
        put("sizes", "bytes_%02d" % i, value)
    for i, value in enumerate(["0:9, 1:0", "even", "skewed", "1:2:4", "[[0,9,1],[1,0,1],[1,9,0]]", "[1,2,4]",
                               "x\x000 9 1\n1 0 1.5\n\n1e3 9 0\n"]):
        put("sizes", "counts_%02d" % i, value)

    plain = eval('"' + next(texts("tests/test_nccl_tests.c", r'plain\[\] =\s*(.*?);')).strip().replace('"\n    "', "")[1:-1]
                 .replace('\\"', '\x01').replace('"', '').replace('\x01', '\\"').replace("\\/", "/").replace("\n", "") + '"')
    json.loads(plain)
    put("nccl_tests", "alltoall", plain)
    put("nccl_tests", "two_files", plain + "\0" + plain.replace("22803", "22105").replace("21.5", "31.5"))
    put("nccl_tests", "all_reduce", plain.replace("alltoall_perf", "all_reduce_perf").replace('"none"', '"sum"') + " ")
    put("nccl_tests", "alltoallv", plain.replace("alltoall_perf", "alltoallv_perf").replace(
        "TOKEN=SECRET", "NCCL_TESTS_ALLTOALLV_SPREAD=0.5"))

    hello = b"lgcall2\0" + struct.pack("<II", 1, 2) + b"peer's nonce".ljust(32)
    answer = b"lganswr\0" + b"door's nonce".ljust(32) + b"no proof".ljust(32)
    letter = lambda kind, step, bytes, of: struct.pack("<IIQq", kind, step, bytes, of).ljust(104, b"\0")
    begin, part = letter(2, 1, 0, 0), letter(2, 2, 4, 8) + b"part"
    first, failed = letter(2, 2, 8, 8) + b"8 bytes.", letter(1, 1, 9, 0) + b"no memory"
    for name, data in {
            "door_peer": b"\0" + hello + b"no proof".ljust(32), "door_half": b"\0" + hello[:20],
            "door_http": b"\0GET / HTTP/1.1\r\n\r\n",
            "peer": b"\1" + begin + part, "peer_half": b"\1" + begin + part[:106],
            "peer_twice": b"\1" + begin + part + part,
            "answer": b"\2" + answer, "answer_half": b"\2" + answer[:50], "answer_ssh": b"\2SSH-2.0-x\r\n",
            "rank_0": b"\3" + begin + first, "rank_0_failed": b"\3" + failed, "rank_0_later": b"\3" + begin + failed}.items():
        put("wire", name, data)

    head = "node1:4242:4243 [0] NCCL INFO "
    channels = "".join("%sChannel %02d/%d : %d[%d] -> %d[%d] via %s\n" % (head, c, k, a, a, 1 - a, 1 - a, via)
                       for via in ["P2P/CUMEM/read"] for c in (0, 1) for k in (0, 1) for a in (0, 1))
    put("nccl_log", "links", head + "NCCL version 2.28.3+cuda12.4\n" + channels)
    put("nccl_log", "two_processes", head + "NCCL version 2.22.3+cuda12.4\n" + channels + "\0" +
        channels.replace("P2P/CUMEM/read", "NET/IB/7/GDRDMA(PCI)/Shared").replace("[send]", ""))
    for i, line in enumerate(sorted(set(texts("tests/test_nccl_log.c", r'HEAD\s+"([^"\n]*)\\n"')))):
        if i % 3 == 0:
            put("nccl_log", "line_%02d" % (i // 3), head + line + "\n")


main()
