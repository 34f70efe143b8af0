#!/usr/bin/env python3
"""A user's own PyTorch program: a ring of batch_isend_irecv (each rank sends to the next one) and
all_to_all_single, timed and checked. Each run adds a trial to a folder that `launchgap compare` reads, so that
settings of NCCL are tried on a program that knows nothing of launchgap:

    torchrun --standalone --nproc-per-node 4 experiments/torch_p2p.py --json before
    NCCL_CONF_FILE=nccl.sendrecv.conf torchrun --standalone --nproc-per-node 4 experiments/torch_p2p.py --json after
    launchgap compare before after

in turn, five times or more. A time is the median over groups of calls back to back, of the slowest rank (nccl-tests'
-a 3). Bytes are a rank's whole send buffer and busbw is nccl-tests'. The files have the form of nccl-tests' -J.
`--backend gloo` runs on CPUs, to see that the script works. It sets no variable of NCCL."""
import argparse
import json
import os
import pathlib
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist

MIB = 1 << 20
FLOAT = 4  # bytes
PERIOD = 1021  # of the pattern: a prime, so that shifted blocks differ


def pattern(rank, start, count, device):
    """What a rank has from element `start` on: exact in float32."""
    return ((torch.arange(start, start + count, device=device) + 7 * rank) % PERIOD).to(torch.float32)


def sendrecv(send, recv, rank, ranks):
    def call():
        ops = [dist.P2POp(dist.isend, send, (rank + 1) % ranks), dist.P2POp(dist.irecv, recv, (rank - 1) % ranks)]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
    return call, lambda: pattern((rank - 1) % ranks, 0, send.numel(), send.device)


def alltoall(send, recv, rank, ranks):
    each = send.numel() // ranks
    return (lambda: dist.all_to_all_single(recv, send),
            lambda: torch.cat([pattern(r, rank * each, each, send.device) for r in range(ranks)]))


# Of a rank's bytes, what travels (busbw): all; all but its own part.
COLLECTIVES = {"sendrecv": (sendrecv, lambda n: 1), "alltoall": (alltoall, lambda n: (n - 1) / n)}


def slowest(value, device, op=dist.ReduceOp.MAX):
    tensor = torch.tensor([value], dtype=torch.float64, device=device)
    dist.all_reduce(tensor, op=op)
    return tensor.item()


def group_us(call, calls, device):
    """µs per call of one group, after a meeting."""
    dist.barrier()
    if device.type != "cuda":
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return 1e6 * (time.perf_counter() - start) / calls
    torch.cuda.synchronize(device)
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(calls):
        call()
    last.record()
    last.synchronize()
    return 1e3 * first.elapsed_time(last) / calls


def measure(args, name, size, rank, ranks, device):
    """A row of nccl-tests' results."""
    make, part = COLLECTIVES[name]
    count = size // FLOAT // ranks * ranks
    send, recv = pattern(rank, 0, count, device), torch.empty(count, dtype=torch.float32, device=device)
    call, expected = make(send, recv, rank, ranks)
    for _ in range(args.warmup):
        call()
    times = [slowest(group_us(call, args.calls, device), device) for _ in range(args.groups)]
    recv.fill_(-1)
    call()
    wrong = int(slowest(int((recv != expected()).sum().item()), device, dist.ReduceOp.SUM))
    us, sent = statistics.median(times), count * FLOAT
    return {"size": sent, "count": count, "type": "float", "redop": "none", "root": -1,
            "out_of_place": {"time": us, "alg_bw": sent / us / 1e3, "bus_bw": sent * part(ranks) / us / 1e3,
                             "nwrong": wrong}, "in_place": None}


def nccl_version():
    version = torch.cuda.nccl.version()
    return 10000 * version[0] + 100 * version[1] + version[2]


def save(folder, name, rows, devices, args):
    """As NAME.json, NAME.json.0, NAME.json.1, …: a file is a trial."""
    path = pathlib.Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    before = len(list(path.glob(name + ".json*")))
    file = path / (name + ".json" + (f".{before - 1}" if before else ""))
    cuda = args.backend == "nccl"
    file.write_text(json.dumps({
        "args": [name + "_perf", "-a", "3"], "start_time": time.strftime("%Y-%m-%d %H:%M:%S"),
        "torch": torch.__version__, "nccl_version": nccl_version() if cuda else 0,
        "env": sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("NCCL_")),
        "config": {"devices": devices, "nthreads": 1, "ngpus": 1, "iterations": args.calls,
                   "warmup_iters": args.warmup, "validation": 1}, "results": rows,
        "end_time": time.strftime("%Y-%m-%d %H:%M:%S")}, indent=1) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sizes", default="16,32,64,128,256", help="of a rank's send buffer in MiB, with commas between")
    p.add_argument("--calls", type=int, default=20, help="of a group")
    p.add_argument("--groups", type=int, default=9)
    p.add_argument("--warmup", type=int, default=5, help="calls before the first group")
    p.add_argument("--json", metavar="FOLDER", help="add this run to it, as a trial")
    p.add_argument("--backend", default="nccl" if torch.cuda.is_available() else "gloo")
    args = p.parse_args()
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    cuda = args.backend == "nccl"
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group(args.backend)
    devices = [None] * ranks
    dist.all_gather_object(devices, {"rank": rank, "group": 0, "hostname": socket.gethostname(), "device_info":
                                     torch.cuda.get_device_name(device) if cuda else "CPU"})
    wrong = 0
    for name in COLLECTIVES:
        rows = [measure(args, name, int(float(s) * MIB), rank, ranks, device) for s in args.sizes.split(",")]
        wrong += sum(r["out_of_place"]["nwrong"] for r in rows)
        if rank == 0:
            for r in rows:
                body = r["out_of_place"]
                print(f"{name:9} {r['size'] / MIB:8.2f} MiB {body['time']:10.1f} us {body['bus_bw']:8.2f} GB/s"
                      f"  {body['nwrong']} wrong", flush=True)
            if args.json:
                save(args.json, name, rows, devices, args)
    dist.destroy_process_group()
    sys.exit(f"{wrong} elements are wrong" if wrong else 0)


main()
