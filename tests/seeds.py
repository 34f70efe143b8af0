#!/usr/bin/env python3
"""First inputs of the fuzzer of records: `seeds FOLDER` makes there what the program ($LAUNCHGAP) records of its null
backend, and what reference records say first of each variant."""

import json
import lzma
import os
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
REFERENCE = """1x-h100/one_gpu_hosts 2x-h200/access_pattern 2x-h200/cliffs 2x-h200/collectives 2x-h200/ddp_step
    2x-h200/states 2x-h200/tuned 4x-h200/api 4x-h200/matrix 4x-h200/nccl_versions"""
NULL = {
    "counts": [["blocks=2"], ["blocks=4"]],
    "six_blocks": [["blocks=6", "collective=all_reduce", "counts=even", "pace=isolated"]],
    "exchange": [["collective=sendrecv", "counts=even", "bytes=4K,64K"]],
}


def first_of_each(lines):
    """Two of each kind of each variant in each block, 16 in all, and the end."""
    seen, kept = {}, []
    for line in lines:
        row = json.loads(line)
        key = row["kind"], row.get("variant"), row.get("block")
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 2 and len(kept) < 16:
            kept.append(line)
    return kept + [lines[-1]] * (kept[-1] != lines[-1])


def recorded(at, runs):
    """One run of the fuzzer's small experiment, and those that resume it."""
    with open("tests/fuzz/corpus/experiment/overrides", "rb") as file, open(f"{at}/x.exp", "wb") as small:
        small.write(file.read().split(b"\0")[0])
    record = f"{at}/x/latest"
    for i, settings in enumerate(runs):
        what = ["--resume", record] if i else ["--results", at, "seed=5"]
        subprocess.run([os.environ.get("LAUNCHGAP", "build/launchgap"), "run", "--file", f"{at}/x.exp", "--no-report", *what, *settings], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    with open(f"{record}/trials.jsonl", encoding="utf-8") as file:
        return file.readlines()


def main(folder):
    made = {}
    for name in REFERENCE.split():
        with lzma.open(f"results/reference/{name}/trials.jsonl.xz", "rt", encoding="utf-8") as file:
            made[name.replace("/", "_")] = first_of_each(file.readlines())
    for name, runs in NULL.items():
        with tempfile.TemporaryDirectory() as at:
            made["null_" + name] = recorded(at, runs)
    for name, lines in made.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.writelines(lines)


if __name__ == "__main__":
    main(sys.argv[1])
