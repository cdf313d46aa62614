# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention to parts of the keys, merged."""
import math

import numpy

from .function import Argument, Function
from .sizes import BATCHES, CHANNELS, LENGTHS

PARTIAL = ("unnormalized", "maximum", "sum")
RESULTS = (*PARTIAL, "output", "log_sum_exp")


def attend(q, k, v, heads, kv, scale, keep):
    """All that parts are merged of; operands are [batch, heads, length, channels]."""
    k, v = (numpy.repeat(x, heads // kv, axis=1) for x in (k, v))
    scores = numpy.where(keep, scale * q @ k.swapaxes(2, 3), -numpy.inf)
    maximum = scores.max(axis=3, initial=-numpy.inf)
    base = numpy.where(maximum == -numpy.inf, 0, maximum)
    weights = numpy.exp(scores - base[..., None])
    total = weights.sum(axis=3)
    divisor = numpy.where(total == 0, 1, total)
    log = numpy.where(total == 0, -numpy.inf, base + numpy.log(divisor))
    values = weights @ v
    return {"unnormalized": values, "maximum": maximum, "sum": total,
            "output": values / divisor[..., None], "log_sum_exp": log}  # fmt: skip


def merged(name, heads, kv, d, dv, parts, place, wanted, scale, masks, calls):
    """`place` says where the dimension of heads is: "outside" of the tokens, "inside" or, of
    channels that are those of all heads, nowhere; `masks` whether each part has lengths."""
    layout = "layout(batch, length, head, channel) " if place == "inside" else ""

    def argument(length, count, size):
        if place == "outside":
            return Argument("batch", count, length, size)
        return Argument("batch", length, *((count, size) if place else (count * size,)))

    q = argument("queries", heads, d)
    arguments, lines = {"q": q}, []
    u, row = argument("queries", heads, dv), Argument("batch", heads, "queries")
    for part in range(parts):
        length = f"n{part}"
        k, v = argument(length, kv, d), argument(length, kv, dv)
        arguments |= {f"k{part}": k, f"v{part}": v}
        clause = ""
        if masks[part]:
            counts = Argument(
                "batch", element="i32",
                fill=lambda rng, shape, sizes, n=length: rng.integers(0, sizes[n] + 1, shape),
            )  # fmt: skip
            arguments[f"c{part}"] = counts
            lines.append(f"%mask{part} = heddle.mask.lengths %c{part} : {counts}")
            clause = f"mask(%mask{part}) "
        lines.append(
            f"%u{part}, %m{part}, %s{part} = heddle.attention %q, %k{part}, %v{part} {clause}"
            f"heads({heads}, kv = {kv}) scale({scale}) {layout}results({', '.join(PARTIAL)}) : {q}, {k}, {v}"
        )
    lists = [", ".join(f"%{what}{part}" for part in range(parts)) for what in "ums"]
    results = {result: u if result in ("output", "unnormalized") else row for result in wanted}
    clause = "" if wanted == ["output"] else f"results({', '.join(wanted)}) "
    lines.append(
        f"{', '.join('%' + result for result in wanted)} = heddle.merge_attention ({lists[0]}) "
        f"maxima({lists[1]}) sums({lists[2]}) {layout}{clause}: {u}, {row}"
    )

    def to_heads(x, count):
        if place == "outside":
            return x
        if place is None:
            x = x.reshape(*x.shape[:2], count, x.shape[2] // count)
        return x.swapaxes(1, 2)

    def compute(**arrays):
        queries = to_heads(arrays["q"], heads)
        keys, values = (
            numpy.concatenate([to_heads(arrays[f"{what}{part}"], kv) for part in range(parts)], 2)
            for what in "kv"
        )
        keep = []
        for part in range(parts):
            count = arrays[f"k{part}"].shape[2 if place == "outside" else 1]
            limits = arrays.get(f"c{part}", numpy.full(len(queries), count))
            keep.append(numpy.arange(count) < limits[:, None, None, None])
        found = attend(queries, keys, values, heads, kv, scale, numpy.concatenate(keep, 3))
        for result in ("output", "unnormalized"):
            if place != "outside":
                found[result] = found[result].swapaxes(1, 2)
            if not place:
                found[result] = found[result].reshape(*found[result].shape[:2], heads * found[result].shape[3])
        return tuple(found[result] for result in wanted)

    return Function(name, arguments, results, "\n".join(lines), compute, calls, tolerance=1e-4)


def draw(name, random):
    while True:
        kv, d, dv = random.choice((1, 2, 3)), random.choice(CHANNELS), random.choice(CHANNELS)
        heads = kv * random.choice((1, 1, 2, 4))
        if heads * max(d, dv) <= 1024:
            break
    parts = random.choice((1, 2, 2, 3, 4))
    wanted = random.sample(RESULTS, random.choice((1, 1, 2, 5)))
    masks = [random.random() < 0.6 for _ in range(parts)]
    calls = [
        {"batch": batch, "queries": random.choice(LENGTHS),
         **{f"n{part}": random.choice(LENGTHS) for part in range(parts)}}
        for batch in BATCHES
    ]  # fmt: skip
    scale = random.choice((0.125, 0.5, -0.3, 0.0))
    place = random.choice(("outside", "inside", None))
    return merged(name, heads, kv, d, dv, parts, place, wanted, scale, masks, calls)


DRAWN = {"merge_attention": draw}
