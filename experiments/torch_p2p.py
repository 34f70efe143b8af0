#!/usr/bin/env python3
"""PyTorch's own calls under other NCCL settings: a ring of batch_isend_irecv, and all_to_all_single.

    torchrun --standalone --nproc_per_node=4 experiments/torch_p2p.py --json default
    NCCL_CONF_FILE=results/tuning/latest/nccl.sendrecv.conf \\
        torchrun --standalone --nproc_per_node=4 experiments/torch_p2p.py --json tuned
    launchgap compare default tuned

A group of calls back to back, timed by CUDA events; the slowest rank counts. A row is the median of the rounds:
bytes, µs, GB/s as nccl-tests defines its bus bandwidth (sendrecv: bytes ÷ time; alltoall: (n - 1) ÷ n of that),
and quartiles. Each element of the last call is compared with its sender's. `--json DIR` adds a file for each
collective in the form of nccl-tests' -J, which `launchgap compare` reads; run it several times for several trials.
`--backend gloo` runs on CPUs, to see that the script works."""
import argparse
import json
import os
import pathlib
import socket
import statistics
import time

import torch
import torch.distributed as dist

MIB = 1 << 20


def ring(sent, got):
    me, n = dist.get_rank(), dist.get_world_size()
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, sent, (me + 1) % n), dist.P2POp(dist.irecv, got, (me - 1) % n)]):
        work.wait()


def alltoall(sent, got):
    dist.all_to_all_single(got, sent)


CALLS = {"sendrecv": ring, "alltoall": alltoall}


def group_us(call, sent, got, calls):
    """µs per call; streams are waited for at the end alone."""
    dist.barrier()
    if sent.is_cuda:
        begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begun.record()
        for _ in range(calls):
            call(sent, got)
        ended.record()
        torch.cuda.synchronize()
        us = begun.elapsed_time(ended) * 1e3
    else:
        begun = time.perf_counter()
        for _ in range(calls):
            call(sent, got)
        us = (time.perf_counter() - begun) * 1e6
    slowest = torch.tensor([us / calls], device=sent.device, dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def wrong(name, sent, got):
    """Elements that are not their sender's: element i of rank r is r × count + i, modulo 251."""
    me, n, count = dist.get_rank(), dist.get_world_size(), sent.numel()
    i = torch.arange(count, device=sent.device)
    if name == "sendrecv":
        value = (me - 1) % n * count + i
    else:
        part = count // n
        value = i // part * count + me * part + i % part
    bad = (got != (value % 251).to(got.dtype)).sum().to(torch.int64)
    dist.all_reduce(bad)
    return bad.item()


def measure(name, size, options, device):
    n = dist.get_world_size()
    count = size // 4 // n * n
    sent = ((dist.get_rank() * count + torch.arange(count, device=device)) % 251).to(torch.float32)
    got = torch.full_like(sent, -1)
    rounds = [group_us(CALLS[name], sent, got, options.calls) for _ in range(options.rounds + 1)][1:]
    low, us, high = statistics.quantiles(rounds, n=4) if len(rounds) > 1 else rounds * 3
    algbw = count * 4 / us / 1e3
    return {"bytes": count * 4, "us": us, "quartiles_us": [low, high], "algbw": algbw,
            "busbw": algbw * ((n - 1) / n if name == "alltoall" else 1), "wrong": wrong(name, sent, got)}


def write(folder, name, rows, options, devices):
    """As nccl-tests' -J has it."""
    nccl = torch.cuda.nccl.version() if options.backend == "nccl" else (0, 0, 0)
    results = [{"size": row["bytes"], "count": row["bytes"] // 4, "type": "float", "redop": "none", "root": "-1",
                "out_of_place": {"time": row["us"], "alg_bw": row["algbw"], "bus_bw": row["busbw"], "nwrong": row["wrong"]},
                "in_place": None} for row in rows]
    config = {"nthreads": 1, "ngpus": 1, "iterations": options.calls, "validation": 1,
              "devices": [{"group": 0, "rank": r, "hostname": host, "device_info": gpu} for r, (host, gpu) in enumerate(devices)]}
    text = json.dumps({"args": [f"torch_p2p.py/{name}_perf"], "start_time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                       "nccl_version": nccl[0] * 10000 + nccl[1] * 100 + nccl[2],
                       "env": [f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith("NCCL_")],
                       "config": config, "results": results}, indent=1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}-{time.time_ns()}.json").write_text(text + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", default="16,32,64,128,256", help="sizes of a rank's buffer, MiB")
    parser.add_argument("--rounds", type=int, default=20, help="groups of calls that are counted")
    parser.add_argument("--calls", type=int, default=10, help="of a group")
    parser.add_argument("--json", type=pathlib.Path, help="a folder")
    parser.add_argument("--backend", default="nccl", choices=("nccl", "gloo"))
    options = parser.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if options.backend == "nccl" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group(options.backend, **({"device_id": device} if device.type == "cuda" else {}))
    devices = [None] * dist.get_world_size()
    dist.all_gather_object(devices, (socket.gethostname(), torch.cuda.get_device_name() if device.type == "cuda" else "CPU"))
    for name in CALLS:
        rows = [measure(name, int(float(mib) * MIB), options, device) for mib in options.mib.split(",")]
        if dist.get_rank() == 0:
            for row in rows:
                print("{:8} {:>10} B {:>10.1f} us {:>7.1f} GB/s, quartiles {:.1f} to {:.1f} us, {} wrong".format(
                    name, row["bytes"], row["us"], row["busbw"], *row["quartiles_us"], row["wrong"]), flush=True)
            if options.json:
                write(options.json, name, rows, options, devices)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
