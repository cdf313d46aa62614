# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Appends numbers that i8 caches have no scale for, and prints what attention to a token alone reads of them."""
import sys

import numpy

from judge.running import run

LARGEST, TINY = numpy.finfo("<f4").max, numpy.finfo("<f4").tiny
NAN, INFINITY = numpy.nan, numpy.inf
# 127 times the largest scale.
MOST = 127 * numpy.float32(float.fromhex("0x1.020406p+121"))
# Heads of a token, and what dialect/Heddle/CacheOps.td says that they become.
HEADS = {
    "halves to even": ([127, -63.5, 0.5, 2.5], [127, -64, 0, 2]),
    "zeros": ([0, 0, 0, 0], [0, 0, 0, 0]),
    "a NaN": ([NAN, 254, -1, 3], [0, 254, 0, 4]),
    "infinities": ([INFINITY, 1, -INFINITY, 0], [MOST, 0, -MOST, 0]),
    "a NaN and an infinity": ([NAN, INFINITY, 7, NAN], [0, MOST, 0, 0]),
    "NaN alone": ([NAN, NAN, NAN, NAN], [0, 0, 0, 0]),
    "too small for a scale": ([TINY, -TINY, 0, 0], [0, 0, 0, 0]),
    "the largest": ([LARGEST, -LARGEST / 127, 0, 0], [MOST, -MOST / 127, 0, 0]),
}


def main():
    given = numpy.array([[x for x, _ in HEADS.values()]], "<f4")
    inputs = {
        "q": numpy.zeros_like(given),
        "k": numpy.zeros_like(given),
        "v": given,
        "starts": numpy.array([3], "<i4"),
        "lengths": numpy.array([len(HEADS)], "<i4"),
    }
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
    run("heddlec", sys.argv[1], "--emit=shared", "-o", "i8.so")
    run("heddle-run", "run", "./i8.so", "--entry=step", "--size=capacity=32", "--cache-out=i8.cache",
        *(f"--input={name}={name}.npy" for name in inputs), "--output=y=y.npy")  # fmt: skip
    for (name, (_, expected)), found in zip(HEADS.items(), numpy.load("y.npy")[0]):
        expected = numpy.array(expected, "<f4")
        is_right = numpy.allclose(found, expected, rtol=1e-6, atol=0)
        print(f"{name}: {'right' if is_right else f'{found}, expected {expected}'}")


if __name__ == "__main__":
    main()
