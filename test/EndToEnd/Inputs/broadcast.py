# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the entry points of broadcast.mlir with sizes of 0, 1 and more, which fit together or not,
and compares what they give, or that they refuse them, with NumPy.

    broadcast.py SHARED_OBJECT
"""
import itertools
import sys

import numpy

import heddle

SIZES = (0, 1, 2, 3, 40)
model = heddle.load(sys.argv[1])
random = numpy.random.default_rng(0)
# Sums of a few terms in f32.
TOLERANCE = 1e-5
TABLE = numpy.array([[0.5, -1], [2, 4], [-8, 16]], "f4")


def softmax(x, m):
    # The mask is broadcast to x, which is not broadcast to it.
    s = x + numpy.broadcast_to(m, x.shape)
    e = numpy.exp(s - s.max(1, keepdims=True, initial=-numpy.inf))
    return e / e.sum(1, keepdims=True)


def loop(x, y):
    return x + 3 * y


def product(x, y, w):
    u, s = numpy.broadcast_arrays(x, y)[0], x + y
    return (u @ w.T) * (s @ w.T)


FORMULAS = {
    "add": (lambda x, y: x + y, lambda a, b, c: {"x": (c, a), "y": (b,)}, 3),
    "three": (
        lambda x, y, c: numpy.where(c, x * y, y),
        lambda a, b, d, e: {"x": (a, 1), "y": (b,), "c": (2, d, e)},
        4,
    ),
    "softmax": (softmax, lambda a, b, c, d: {"x": (a, b), "m": (c, d)}, 4),
    "product": (product, lambda a, b: {"x": (a, 24), "y": (b, 24), "w": (40, 24)}, 2),
    "loop": (loop, lambda a, b: {"x": (a,), "y": (b,)}, 2),
    "where": (
        numpy.where,
        lambda a, b, d, e: {"c": (d,), "x": (a, b), "y": (e, 1)},
        4,
    ),
    "matmul": (numpy.matmul, lambda a, b: {"x": (a, 5, 24), "y": (2, b, 24, 18)}, 2),
    "batches": (lambda ids, x: TABLE[ids] + x, lambda n: {"ids": (n, 4), "x": (3, 4, 2)}, 1),
}


def values(name, shape):
    if name == "ids":
        return random.integers(0, len(TABLE), shape, "i4")
    if name == "c":
        return random.random(shape) < 0.5
    return random.standard_normal(shape, "f4")


def check(name, formula, shapes):
    arrays = {key: values(key, shape) for key, shape in shapes.items()}
    try:
        expected = formula(*arrays.values())
    except ValueError:
        expected = None
    try:
        found = getattr(model, name)(**arrays)
    except heddle.HeddleError as error:
        assert expected is None, f"{name} with {shapes}: {error}"
        assert "cannot be broadcast together: expected equal sizes or 1" in str(error), error
        return 0
    assert expected is not None, f"{name} with {shapes} is not refused"
    (found,) = found.values() if isinstance(found, dict) else (found,)
    assert found.shape == expected.shape, (name, shapes, found.shape, expected.shape)
    assert numpy.allclose(found, expected, TOLERANCE, TOLERANCE), (name, shapes)
    return 1


for name, (formula, shapes_of, count) in FORMULAS.items():
    calls = list(itertools.product(SIZES, repeat=count))
    made = sum(check(name, formula, shapes_of(*sizes)) for sizes in calls)
    print(f"{name}: {made} of {len(calls)} calls as NumPy, all others refused")
