# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Appends to caches of every kind over several calls, and compares attention to them with NumPy.

    caches.py [KIND...|COUNT]

Without names all kinds are meant, or COUNT of them that are drawn. What a cache should hold is kept as plain lists of keys and values, rounded as dialect/Heddle/CacheOps.td says.
"""
import random
import sys
from collections import namedtuple

import numpy

from judge.running import Failure, run

HEADS, KV_HEADS, BATCH = 4, 2, 3

# Elements and channels of a head of keys and of values; sizes of the cache; how many keys before a query its window
# has; what is said of append and of read; positions of a page; what factors are rounded to.
Kind = namedtuple("Kind", "keys key_dim values value_dim sizes window place read table products",
                  defaults=("", "", 0, ""))  # fmt: skip

PAGES = "pages(%table : tensor<?x?xi32>)"
KINDS = {
    "f32": Kind("f32", 16, "f32", 16, ("batch", "capacity"), None),
    "bf16": Kind("bf16", 16, "bf16", 16, ("batch", "capacity"), None),
    "f16": Kind("f16", 48, "f16", 48, ("batch", "capacity"), None),
    "i8": Kind("i8", 16, "i8", 16, ("batch", "capacity"), None),
    "mixed": Kind("i8", 80, "bf16", 8, ("batch", "capacity"), None),
    "wide_values": Kind("f16", 8, "f32", 96, ("batch", "capacity"), None),
    "ring": Kind("f32", 16, "f32", 16, ("batch", 40), 20, "ring", 'ring("positions")'),
    "ring_of_blocks": Kind("i8", 16, "f16", 16, ("batch", 64), 47, "ring", 'ring("positions")'),
    "pages": Kind("f32", 16, "f32", 16, ("pool", 64), None, PAGES, PAGES, 64),
    "pages_of_i8": Kind("i8", 64, "i8", 64, ("pool", 32), None, PAGES, PAGES, 32),
    "small_pages": Kind("f32", 16, "f32", 16, ("pool", 5), None, PAGES, PAGES, 5),
    "odd_pages": Kind("bf16", 16, "bf16", 16, ("pool", 48), 30, PAGES, PAGES, 48),
    "pairs": Kind("bf16", 16, "bf16", 48, ("batch", "capacity"), None, products="products(bf16)"),
    "pairs_in_ring": Kind("bf16", 16, "bf16", 16, ("batch", 40), 20, "ring", 'ring("positions")', 0, "products(bf16)"),
    "pairs_in_small_pages": Kind("bf16", 16, "bf16", 16, ("pool", 5), None, PAGES, PAGES, 5, "products(bf16)"),
}
# A CPU multiplies pairs of bf16 as they lie in the cache.
HAS_PAIRS = "avx512_bf16" in open("/proc/cpuinfo", encoding="utf-8").read()
POSITIONS = 250  # of a sequence, over all calls
# The lengths of calls: at most 17 tokens, so that a ring of 40 positions has room for a window of 20.
CALLS = ((17, 9, 1), (1, 1, 1), (1, 1, 1), (5, 1, 5), (16, 17, 3), (1, 1, 1))


def text_of(kind):
    """Two layers: the second is what is read."""
    element = f"{kind.keys}, values {kind.value_dim} x {kind.values}"
    cache = f"!heddle.cache<2 x {KV_HEADS} x {kind.key_dim} x {element}>"
    sizes = ", ".join(f'"{size}"' for size in kind.sizes)
    pool = ', #heddle.symbol<"pool", 1 to 1000>' if kind.table else ""
    q, k, v = (heads * dim for heads, dim in ((HEADS, kind.key_dim), (KV_HEADS, kind.key_dim),
                                              (KV_HEADS, kind.value_dim)))  # fmt: skip
    table, mask = "", ""
    if kind.table:
        table = '%table: tensor<?x?xi32> {heddle.name = "table", heddle.sizes = ["batch", "columns"]},'
    if kind.window is not None:
        mask = f"""%window = heddle.mask.window left({kind.window}) right(0) offset(%starts : tensor<?xi32>)
  %mask = heddle.mask.and %causal, %window"""
    else:
        mask = "%mask = heddle.mask.and %causal, %causal"
    tokens = '{heddle.name = "%s", heddle.sizes = ["batch", "length"]}'
    types = f"{cache}, tensor<?x?x{k}xf32>, tensor<?x?x{v}xf32>, tensor<?xi32>, tensor<?xi32>"
    keep = ""
    if not kind.place:
        keep = f"""
func.func @keep(%cache: {cache} {{heddle.name = "cache", heddle.sizes = [{sizes}]}},
    %positions: tensor<?x?xi32> {{heddle.name = "kept", heddle.sizes = ["batch", "count"]}},
    %lengths: tensor<?xi32> {{heddle.name = "lengths", heddle.sizes = ["batch"]}},
    %sequences: tensor<?xi32> {{heddle.name = "sequences", heddle.sizes = ["batch"]}}) -> {cache} {{
  %0 = heddle.cache.select %cache positions(%positions) lengths(%lengths) sequences(%sequences : tensor<?xi32>)
      : {cache}, tensor<?x?xi32>, tensor<?xi32>
  return %0 : {cache}
}}
"""
    return f"""{keep}
func.func @step(%q: tensor<?x?x{q}xf32> {tokens % "q"}, %k: tensor<?x?x{k}xf32> {tokens % "k"},
    %v: tensor<?x?x{v}xf32> {tokens % "v"}, {table}
    %starts: tensor<?xi32> {{heddle.name = "starts", heddle.sizes = ["batch"]}},
    %lengths: tensor<?xi32> {{heddle.name = "lengths", heddle.sizes = ["batch"]}},
    %cache: {cache} {{heddle.name = "cache", heddle.sizes = [{sizes}]}})
    -> (tensor<?x?x{HEADS * kind.value_dim}xf32> {{heddle.name = "y"}}, {cache})
    attributes {{heddle.symbols = [#heddle.symbol<"length", 1 to 17>{pool}]}} {{
  %other = arith.mulf %k, %k : tensor<?x?x{k}xf32>
  %0 = heddle.cache.append %cache, %other, %v layer(0) at(%starts) lengths(%lengths) {kind.place} : {types}
  %1 = heddle.cache.append %0, %k, %v layer(1) at(%starts) lengths(%lengths) {kind.place} : {types}
  %keys, %values = heddle.cache.read %1 layer(1) {kind.read} : {cache}
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  {mask}
  %y = heddle.attention %q, %keys, %values mask(%mask) heads({HEADS}, kv = {KV_HEADS}) {kind.products}
      : tensor<?x?x{q}xf32>, tensor<?x?x{k}xf32>, tensor<?x?x{v}xf32>
  return %y, %1 : tensor<?x?x{HEADS * kind.value_dim}xf32>, {cache}
}}
"""


def to_bf16(x):
    bits = x.astype("<f4").view("<u4").astype("<u8")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype("<u4").view("<f4")


def to_i8(x):
    largest = numpy.abs(x).max(axis=-1, keepdims=True)
    scale = (largest / numpy.float32(127)).astype("<f4")
    scale = numpy.where(scale < numpy.finfo("<f4").tiny, numpy.float32(1), scale)
    return numpy.round(x / scale).clip(-127, 127) * scale


ROUNDED = {
    "f32": lambda x: x, "bf16": to_bf16, "f16": lambda x: x.astype("<f2").astype("<f4"), "i8": to_i8,
}  # fmt: skip


def attend(query, keys, values, position, window):
    """The output of one query [heads, key_dim] at `position`."""
    first = 0 if window is None else max(position - window, 0)
    k, v = (numpy.array(part[first : position + 1], "f8") for part in (keys, values))
    group = HEADS // KV_HEADS
    result = []
    for head in range(HEADS):
        scores = k[:, head // group] @ query[head].astype("f8") / numpy.sqrt(query.shape[1])
        weights = numpy.exp(scores - scores.max())
        result.append(weights / weights.sum() @ v[:, head // group])
    return numpy.concatenate(result)


def keep(name, sizes, random, keys, values):
    """Drops and reorders positions, and lets sequences go on from others."""
    sequences = numpy.array([2, 0, 0], "<i4")
    lengths = numpy.array([len(keys[2]) - 1, 7, len(keys[0])], "<i4")
    kept = numpy.full((BATCH, max(lengths)), -5, "<i4")  # what nobody asks for
    for row, sequence, length in zip(kept, sequences, lengths):
        row[:length] = random.permutation(len(keys[sequence]))[:length]
    for argument, array in {"kept": kept, "lengths": lengths, "sequences": sequences}.items():
        numpy.save(f"{argument}.npy", array)
    run("heddle-run", "run", f"./{name}.so", "--entry=keep", *sizes, f"--cache-in={name}.cache",
        f"--cache-out={name}.cache", "--input=kept=kept.npy", "--input=lengths=lengths.npy",
        "--input=sequences=sequences.npy")  # fmt: skip
    for part in keys, values:
        part[:] = [
            [part[sequence][position] for position in row[:length]]
            for row, sequence, length in zip(kept, sequences, lengths)
        ]
    return lengths


def check(name, kind):
    with open(name + ".mlir", "w", encoding="utf-8") as file:
        file.write(text_of(kind))
    target = ["--target-cpu=znver4"] if kind.products and HAS_PAIRS else []
    run("heddlec", name + ".mlir", *target, "--verify", "--emit=shared", "-o", name + ".so")
    random = numpy.random.default_rng(len(name))
    starts = numpy.zeros(BATCH, "<i4")
    keys, values = [[] for _ in range(BATCH)], [[] for _ in range(BATCH)]
    sizes = [f"--size={kind.sizes[1]}={POSITIONS}"] if isinstance(kind.sizes[1], str) else []
    inputs = {}
    if kind.table:
        columns = -(-POSITIONS // kind.table)
        pool = BATCH * columns + 2
        sizes.append(f"--size=pool={pool}")
        inputs["table"] = random.permutation(pool)[: BATCH * columns].reshape(BATCH, columns).astype("<i4")
    if kind.read.startswith("ring"):
        sizes.append(f"--size=positions={POSITIONS}")
    worst, has_cache = 0, False
    for number, lengths in enumerate(CALLS * 4):
        if number % 7 == 6 and not kind.place:
            starts = keep(name, sizes, random, keys, values)
        lengths = numpy.array(lengths, "<i4")
        shape = BATCH, max(lengths)
        q, k, v = (
            random.normal(size=(*shape, heads, dim)).astype("<f4")
            for heads, dim in ((HEADS, kind.key_dim), (KV_HEADS, kind.key_dim), (KV_HEADS, kind.value_dim))
        )
        inputs.update(q=q, k=k, v=v, starts=starts, lengths=lengths)
        for argument, array in inputs.items():
            flat = array.reshape(*shape, -1) if array.ndim == 4 else array
            numpy.save(f"{argument}.npy", flat)
        before = [f"--cache-in={name}.cache"] if has_cache else []
        run("heddle-run", "run", f"./{name}.so", "--entry=step", *sizes, *before, f"--cache-out={name}.cache",
            *(f"--input={argument}={argument}.npy" for argument in inputs), "--output=y=y.npy")  # fmt: skip
        has_cache = True
        y = numpy.load("y.npy")
        for b in range(BATCH):
            for s in range(lengths[b]):
                keys[b].append(ROUNDED[kind.keys](k[b, s]))
                values[b].append(ROUNDED[kind.values](v[b, s]))
                expected = attend(q[b, s], keys[b], values[b], starts[b] + s, kind.window)
                worst = numpy.maximum(worst, numpy.abs(y[b, s] - expected).max())
        starts = starts + lengths
    # Factors of bf16 are off by a 256th of themselves, scores by as much of a few numbers up to 4.
    if not worst < (0.1 if kind.products else 1e-5):
        raise Failure(f"{name}: an element is off by {worst}")
    print(f"{name}: {sum(starts)} positions, right")


def main():
    failed = False
    names = sys.argv[1:] or list(KINDS)
    if names[0].isdigit():
        names = random.sample(list(KINDS), int(names[0]))
    for name in names:
        try:
            check(name, KINDS[name])
        except Failure as failure:
            print(failure)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
