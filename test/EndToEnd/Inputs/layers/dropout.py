# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, with the masks of Philox4x32-10."""
import numpy

from philox import WORD, philox

from .function import Argument, Function
from .sizes import BATCHES, some_lengths


def drop(x, seed, rate):
    key = [int(word) % WORD for word in seed]
    words = [philox([e % WORD, e // WORD, 0, 0], key)[0] for e in range(x.size)]
    kept = numpy.array(words).reshape(x.shape) >= round(rate * WORD)
    return numpy.where(kept, x / (1 - rate), 0)


def seeds(rng, shape, _):
    return rng.integers(-(2**31), 2**31, shape)


def dropout(name, sizes, rate, calls=({},), element="f32"):
    x, seed = Argument(*sizes, element=element), Argument(2, element="i32", fill=seeds)
    return Function(
        name, {"x": x, "seed": seed}, {"y": x},
        f"%y = heddle.dropout %x rate({rate}) seed(%seed : {seed}) : {x}",
        lambda x, seed: drop(x, seed, rate), calls, tolerance=1e-6,
    )  # fmt: skip


X = Argument("n", 7)
FUNCTIONS = [
    dropout("few", (3, 5), 0.1),
    dropout("many", ("n", "m", 33), 0.5, ({"n": 1, "m": 1}, {"n": 3, "m": 17})),
    dropout("none_dropped", (64,), 0.0),
    dropout("all_dropped", (64,), 0.99999999999),
    Function("inference", {"x": X}, {"y": X}, f"%y = heddle.dropout %x rate(0.5) : {X}",
             lambda x: x, ({"n": 4},), tolerance=0.0),
]  # fmt: skip


def draw(name, random):
    rate, element = random.choice((0.0, 0.1, 0.5, 0.9)), random.choice(("f32", "bf16", "f16"))
    sizes = random.choice((("n", "m", 7), ("n", 5, "m"), (3, 13), ("n",), (2, "m", 3, 5)))
    calls = [{"n": n, "m": m} for n, m in zip(BATCHES, some_lengths(random))]
    if random.random() < 0.7:
        return dropout(name, sizes, rate, calls, element)
    x = Argument(*sizes, element=element)
    return Function(name, {"x": x}, {"y": x}, f"%y = heddle.dropout %x rate({rate}) : {x}",
                    lambda x: x, calls, tolerance=0.0)  # fmt: skip


DRAWN = {"dropout": draw}
