#!/usr/bin/env python3
"""The step of ddp_step.exp by PyTorch's DistributedDataParallel: the same parameters in the same order,
the same matrix products in the backward pass, the same buckets. A line of JSON for each model and cap:

    torchrun --standalone --nproc_per_node=2 experiments/ddp_torch.py experiments/models/gpt2_xl.csv@2 \\
        experiments/models/bert_large.csv@8 --buckets 1,25,100,256

    products_ms        the products alone, called one after the other: what ddp_compute does
    compute_ms         the backward pass without DDP: the products, called by autograd
    communication_ms   the buckets alone
    step_ms            the backward pass of DDP
    ..._host_ms        until the call returned, which is what launching takes: near the time itself, the
                       GPU waits for Python
    kernels            of one step and one compute, by PyTorch's profiler: how many, and their ms

Times are [median, least, most] over the rounds. exposed_ms is step - compute, overlap
1 - exposed / communication, as in launchgap's report. same_buckets: DDP's buckets are launchgap's.

What differs from ddp_step: PyTorch launches from Python (autograd calls a Python function for each layer),
and copies each gradient into its bucket, scaled by 1 / ranks, in a separate kernel. `--backend gloo`
runs on CPUs, to see that the script works."""
import argparse
import gc
import json
import statistics
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

MOST_SIDE, MOST_DEPTH = 4096, 8192
MOST_TENSORS = 3  # of a node: autograd takes so few in the order in which they are given
MIB = 1 << 20
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def read_model(path):
    """[(elements, flops)], in the order in which gradients become ready."""
    rows = []
    for line in open(path):
        if line[0] != "#" and not line.startswith("name,") and line.strip():
            rows.append(tuple(int(n) for n in line.split(",")[1:3]))
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


def nodes_of(rows):
    """[[elements], flops]: a layer's tensor with the next ones without work."""
    nodes = []
    for elements, flops in rows:
        if flops or not nodes or len(nodes[-1][0]) == MOST_TENSORS:
            nodes.append(([], flops))
        if elements:
            nodes[-1][0].append(elements)
    return nodes


class Buckets(DistributedDataParallel):
    """The first bucket has its own size whatever the cap: PyTorch has that with its default
    cap alone."""

    def _ddp_init_helper(self, *args, **kwargs):
        self.bucket_bytes_cap_default = True
        super()._ddp_init_helper(*args, **kwargs)


class Work(torch.autograd.Function):
    """Nothing forward; backward the products of one layer, and its gradients."""

    @staticmethod
    def forward(ctx, x, products, *parameters):
        ctx.products, ctx.parameters = products, parameters
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        for a, b, c in ctx.products:
            torch.mm(a, b, out=c)
        return grad, None, *[torch.empty_like(p) for p in ctx.parameters]


class Model(torch.nn.Module):
    def __init__(self, rows, batch, dtype, device):
        super().__init__()
        nodes = nodes_of(rows)
        work = [product(flops * batch) for _, flops in nodes]
        side, depth = max(w[0] for w in work), max(w[1] for w in work)
        made = lambda n: ((torch.randint(0, 2, (n,), device=device) * 1.5 + 0.5)
                          * (1 - 2 * torch.randint(0, 2, (n,), device=device))).to(dtype)
        a, b, c = made(side * depth), made(side * depth), made(side * side)
        self.layers = []
        for i, ((sizes, _), (m, k, times)) in enumerate(zip(nodes, work)):
            tensors = [torch.nn.Parameter(torch.zeros(n, dtype=dtype, device=device)) for n in sizes]
            views = a[:m * k].view(m, k), b[:k * m].view(k, m), c[:m * m].view(m, m)
            self.layers.insert(0, ([views] * times, tensors))
            for j, tensor in enumerate(tensors):
                self.register_parameter(f"t{i:04}_{j}", tensor)

    def forward(self, x):
        for products, tensors in self.layers:
            x = Work.apply(x, products, *tensors)
        return x

    def multiply(self):
        for products, _ in reversed(self.layers):
            for a, b, c in products:
                torch.mm(a, b, out=c)

    def clear(self):
        for _, tensors in self.layers:
            for tensor in tensors:
                tensor.grad = None


class Clock:
    """Medians over steps of the slowest rank's times, from a meeting on: until all is done, and until
    the call returned."""

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
            returned = time.perf_counter() - start
            self.sync()
            took = torch.tensor([time.perf_counter() - start, returned], dtype=torch.float64, device=self.device)
            dist.all_reduce(took, op=dist.ReduceOp.MAX)
            times.append([1e3 * t for t in took.tolist()])
        return [statistics.median(t) for t in zip(*times)]


KINDS = (("communication", ("nccl",)), ("products", ("gemm", "nvjet", "xmma", "cutlass", "cublas")))


def kernels_of(prepare, act, sync):
    """{kind: [kernels, ms]} of one call; why not, where the profiler fails."""
    from torch.profiler import ProfilerActivity, profile
    given, found = prepare(), {}
    sync()
    with profile(activities=[ProfilerActivity.CUDA]) as prof:
        act(given)
        sync()
    try:
        for event in prof.profiler.kineto_results.events():
            if "CUDA" not in str(event.device_type()):
                continue
            name = event.name().lower()
            if "synchronize" in name:
                continue
            kind = next((k for k, words in KINDS if any(w in name for w in words)), "other")
            entry = found.setdefault(kind, [0, 0.0])
            entry[0] += 1
            entry[1] = round(entry[1] + event.duration_ns() / 1e6, 4)
    except Exception as e:  # of a PyTorch that names these otherwise
        return str(e)[:100]
    return found


def measures_of(args, model, ddp, flat):
    average = dist.ReduceOp.AVG if args.backend == "nccl" else dist.ReduceOp.SUM
    x = torch.ones(1, device=flat[0].device, requires_grad=True)

    def communicate(_):
        for work in [dist.all_reduce(b, op=average, async_op=True) for b in flat]:
            work.wait()

    def forward(of):
        def prepare():
            model.clear()
            return of(x)
        return prepare

    def backward(loss):
        loss.backward(torch.ones_like(loss))

    return {"step": (forward(ddp), backward), "compute": (forward(model), backward),
            "products": (lambda: None, lambda _: model.multiply()), "communication": (lambda: None, communicate)}


def run(args, path, rank, device):
    path, _, batch = path.partition("@")
    batch = int(batch or args.batch)
    dtype, rows = DTYPES[args.dtype], read_model(path)
    element, clock = torch.empty(0, dtype=dtype).element_size(), Clock(device)
    first = dist._DEFAULT_FIRST_BUCKET_BYTES = int(args.first * MIB)
    model = Model(rows, batch, dtype, device)
    for cap in (float(c) for c in args.buckets.split(",")):
        ours = buckets_of(rows, element, first, int(cap * MIB))
        ddp = Buckets(model, device_ids=[rank] if device.type == "cuda" else None, bucket_cap_mb=cap,
                      gradient_as_bucket_view=not args.copies, broadcast_buffers=False)
        flat = [torch.zeros(n // element, dtype=dtype, device=device) for n in ours]
        measures = measures_of(args, model, ddp, flat)
        for prepare, act in measures.values():
            clock.time(prepare, act, 3)
        got = {name: [] for name in measures}
        for _ in range(args.rounds):
            for name, (prepare, act) in measures.items():
                got[name].append(clock.time(prepare, act, args.steps))
        wall = {name: [t[0] for t in v] for name, v in got.items()}
        said = ddp._get_ddp_logging_data().get("rebuilt_bucket_sizes", "")
        theirs = [int(n) for n in said.split(",")] if said else None
        exposed = statistics.median(s - c for s, c in zip(wall["step"], wall["compute"]))
        row = {"model": path.rsplit("/", 1)[-1].removesuffix(".csv"), "dtype": args.dtype,
               "ranks": dist.get_world_size(), "batch": batch, "bucket_mib": cap, "buckets": len(ours),
               "same_buckets": None if theirs is None else sorted(theirs) == sorted(ours),
               **{name + "_ms": [round(f(v), 4) for f in (statistics.median, min, max)] for name, v in wall.items()},
               **{name + "_host_ms": round(statistics.median(t[1] for t in v), 4) for name, v in got.items()},
               "exposed_ms": round(exposed, 4), "overlap": round(1 - exposed / statistics.median(wall["communication"]), 4),
               "torch": torch.__version__}
        if device.type == "cuda":
            row["kernels"] = {name: kernels_of(*measures[name], clock.sync) for name in ("step", "compute")}
        if rank == 0:
            print(json.dumps(row), flush=True)
        del ddp, flat, measures
        model.clear()
        gc.collect()  # a DDP that is left keeps its buckets


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="+", metavar="MODEL[@BATCH]", help="a file as in experiments/models")
    p.add_argument("--batch", type=int, default=1, help="of models that name none")
    p.add_argument("--dtype", choices=DTYPES, default="bfloat16")
    p.add_argument("--buckets", default="25", help="caps in MiB, with commas between")
    p.add_argument("--first", type=float, default=1, help="the first bucket's, MiB")
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--rounds", type=int, default=6)
    p.add_argument("--copies", action="store_true", help="gradients are no views of their buckets")
    p.add_argument("--backend", default="nccl")
    args = p.parse_args()
    dist.init_process_group(args.backend)
    rank = dist.get_rank()
    device = torch.device("cuda", rank) if args.backend == "nccl" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = True
    for path in args.models:
        run(args, path, rank, device)
        gc.collect()
        if device.type == "cuda":
            torch.cuda.empty_cache()
    dist.destroy_process_group()


main()
