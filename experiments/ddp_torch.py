#!/usr/bin/env python3
"""The step of ddp_step.exp by PyTorch's DistributedDataParallel: the same parameters in the same order,
the same matrix products in the backward pass, the same bucket caps. Prints, for each cap, the step, its
compute alone, its buckets alone, exposed communication and overlap, and whether DDP's buckets are
those that launchgap makes.

    torchrun --standalone --nproc_per_node=2 experiments/ddp_torch.py experiments/models/gpt2_xl.csv \\
        --batch 2 --buckets 1,25,100,256

What differs from ddp_step: PyTorch launches from Python (autograd calls a Python function for each
tensor), copies each gradient into its bucket or adds it there, and scales by 1 / ranks in a kernel
of its own. `--backend gloo` runs on CPUs, to see that the script works."""
import argparse
import gc
import json
import statistics
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

MOST_SIDE, MOST_DEPTH = 4096, 8192
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def read_model(path):
    """[(elements, flops)], in the order in which gradients become ready."""
    rows = []
    for line in open(path):
        if line[0] != "#" and not line.startswith("name,") and line.strip():
            _, elements, flops = line.rsplit(",", 2)
            rows.append((int(elements), int(flops)))
    return rows


def product(flops):
    """As network_product: side, depth, times."""
    half = flops // 2
    if not half:
        return 0, 0, 0
    side = min(MOST_SIDE, max(64, int((half / 2) ** (1 / 3)) // 64 * 64))
    whole = half // (2 * side * side)
    each = 1 + whole // (MOST_DEPTH + 1)
    depth = min(MOST_DEPTH, max(8, (whole + 4 * each) // (8 * each) * 8))
    return side, depth, 2 * each


def buckets_of(rows, element, first, cap):
    """Bytes of each bucket, by the rule that coll/network.h states, from PyTorch's reducer."""
    sizes, own, full = [], 0, first
    for elements, _ in rows:
        own += elements * element
        if own >= full:
            sizes.append(own)
            own, full = 0, cap
    return sizes + ([own] if own else [])


class Work(torch.autograd.Function):
    """Nothing forward; backward the products of one tensor's layer, and its gradient."""

    @staticmethod
    def forward(ctx, x, parameter, factors, work):
        ctx.factors, ctx.work, ctx.parameter = factors, work, parameter
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        side, depth, times = ctx.work
        if times:
            a, b, c = ctx.factors
            a, b, c = (f[:n].view(shape) for f, n, shape in (
                (a, side * depth, (side, depth)), (b, depth * side, (depth, side)), (c, side * side, (side, side))))
            for _ in range(times):
                torch.mm(a, b, out=c)
        parameter = ctx.parameter
        return grad, None if parameter is None else torch.empty_like(parameter), None, None


class Model(torch.nn.Module):
    def __init__(self, rows, batch, dtype, device):
        super().__init__()
        self.work = [product(flops * batch) for _, flops in rows]
        side = max(w[0] for w in self.work)
        depth = max(w[1] for w in self.work)
        made = lambda n: torch.randint(0, 2, (n,), device=device).to(dtype) * 1.5 + 0.5
        self.factors = [made(side * depth), made(side * depth), made(side * side)]
        self.tensors = [torch.nn.Parameter(torch.zeros(n, dtype=dtype, device=device)) if n else None
                        for n, _ in reversed(rows)]
        for i, tensor in enumerate(self.tensors):
            if tensor is not None:
                self.register_parameter(f"t{i:04}", tensor)

    def forward(self, x):
        for parameter, work in zip(self.tensors, reversed(self.work)):
            x = Work.apply(x, parameter, self.factors, work)
        return x


class Clock:
    """Median over steps of the slowest rank's time, from a meeting on."""

    def __init__(self, device):
        self.device = device

    def sync(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def time(self, prepare, act, steps):
        times = []
        for _ in range(steps):
            given = prepare()
            self.sync()
            dist.barrier()
            self.sync()
            start = time.perf_counter()
            act(given)
            self.sync()
            took = torch.tensor([time.perf_counter() - start], dtype=torch.float64, device=self.device)
            dist.all_reduce(took, op=dist.ReduceOp.MAX)
            times.append(1e3 * took.item())
        return statistics.median(times)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("--batch", type=int, default=1)
    p.add_argument("--dtype", choices=DTYPES, default="bfloat16")
    p.add_argument("--buckets", default="25", help="caps in MiB, with commas between")
    p.add_argument("--first", type=float, default=1, help="the first bucket's, MiB")
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--rounds", type=int, default=6)
    p.add_argument("--copies", action="store_true", help="gradients are no views of their buckets")
    p.add_argument("--backend", default="nccl")
    args = p.parse_args()
    dist.init_process_group(args.backend)
    rank, ranks = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", rank) if args.backend == "nccl" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = True
    dtype, rows = DTYPES[args.dtype], read_model(args.model)
    element, clock, mib = torch.empty(0, dtype=dtype).element_size(), Clock(device), 1 << 20
    # DDP takes the first bucket's size from this.
    first = int(args.first * mib)
    dist._DEFAULT_FIRST_BUCKET_BYTES = first
    model = Model(rows, args.batch, dtype, device)
    x = torch.ones(1, device=device, requires_grad=True)
    clear = lambda m: [setattr(t, "grad", None) for t in m.tensors if t is not None]

    for cap in (float(c) for c in args.buckets.split(",")):
        ours = buckets_of(rows, element, first, int(cap * mib))
        ddp = DistributedDataParallel(model, device_ids=[rank] if device.type == "cuda" else None, bucket_cap_mb=cap,
                                      gradient_as_bucket_view=not args.copies, broadcast_buffers=False)
        flat = [torch.zeros(n // element, dtype=dtype, device=device) for n in ours]
        average = dist.ReduceOp.AVG if args.backend == "nccl" else dist.ReduceOp.SUM

        def communicate(_):
            for work in [dist.all_reduce(b, op=average, async_op=True) for b in flat]:
                work.wait()

        def alone():
            clear(model)
            return model(x)

        def training():
            clear(model)
            return ddp(x)

        measures = {"step": (training, lambda loss: loss.backward(torch.ones_like(loss))),
                    "compute": (alone, lambda loss: loss.backward(torch.ones_like(loss))),
                    "communication": (lambda: None, communicate)}
        for prepare, act in measures.values():
            clock.time(prepare, act, 3)
        got = {name: [] for name in measures}
        for _ in range(args.rounds):
            for name, (prepare, act) in measures.items():
                got[name].append(clock.time(prepare, act, args.steps))
        said = ddp._get_ddp_logging_data().get("rebuilt_bucket_sizes", "")
        theirs = [int(n) for n in said.split(",")] if said else None
        exposed = [s - c for s, c in zip(got["step"], got["compute"])]
        row = {"model": args.model.rsplit("/", 1)[-1].removesuffix(".csv"), "dtype": args.dtype, "ranks": ranks,
               "batch": args.batch, "bucket_mib": cap, "buckets": len(ours),
               "same_buckets": None if theirs is None else sorted(theirs) == sorted(ours),
               **{name + "_ms": [round(f(v), 4) for f in (statistics.median, min, max)] for name, v in got.items()},
               "exposed_ms": round(statistics.median(exposed), 4),
               "overlap": round(1 - statistics.median(exposed) / statistics.median(got["communication"]), 4),
               "torch": torch.__version__}
        if rank == 0:
            print(json.dumps(row), flush=True)
        del ddp
        clear(model)
        gc.collect()  # a DDP that is left keeps its buckets
    dist.destroy_process_group()


main()
