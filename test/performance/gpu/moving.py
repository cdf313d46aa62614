# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that move elements, or read them once: gather, scatter, caches and reductions."""

from functools import partial

import numpy as np

import references
from case import F32, Case, Work, function, normal


def embedding(small):
    vocabulary, count, width = (71, 40, 60) if small else (32768, 16384, 2048)
    table, ids, result = f"{vocabulary}x{width}xf32", f"1x{count}xi32", f"1x{count}x{width}xf32"
    return Case("embedding", f"{count} of {vocabulary}x{width}", "embedding", function(
        {"ids": ids, "table": table}, result,
        f"  %y = heddle.embedding %ids, %table : tensor<{ids}>, tensor<{table}>"),
        lambda random: [("run", {"ids": random.integers(0, vocabulary, (1, count), np.int32),
                                 "table": normal(random, vocabulary, width)})],
        ("y", (1, count, width)), references.embedding, Work(2 * F32 * count * width), 0.0,
        target="roof", peer=("embedding", vocabulary, count, width))


def scatter(small):
    """Rows that are added to others, some of them to the same."""
    rows, count, width = (40, 60, 71) if small else (16384, 16384, 2048)
    x, i, u = f"{rows}x{width}xf32", f"{count}xi32", f"{count}x{width}xf32"
    return Case("scatter add", f"{count} to {rows}x{width}", "scatter", function(
        {"x": x, "i": i, "u": u}, x,
        f"  %y = heddle.scatter add %x, %i, %u axis(0) : "
        f"(tensor<{x}>, tensor<{i}>, tensor<{u}>) -> tensor<{x}>"),
        lambda random: [("run", {"x": normal(random, rows, width),
                                 "i": random.integers(0, rows, count, np.int32),
                                 "u": normal(random, count, width)})],
        ("y", (rows, width)), references.scatter, Work(F32 * width * (2 * rows + count)),
        target="roof", peer=("scatter", rows, count, width))


def append(small):
    """Keys that go into a cache behind others, and all that it holds then."""
    heads, length, before = (2, 24, 17) if small else (16, 4096, 4096)
    hidden, capacity = heads * 64, before + length
    cache = f"!heddle.cache<1 x {heads} x 64 x f32>"
    new = f"?x?x{hidden}xf32"
    source = f"""
func.func @run(%k: tensor<{new}> {{heddle.sizes = ["batch", "length"], heddle.name = "k"}},
    %v: tensor<{new}> {{heddle.sizes = ["batch", "length"], heddle.name = "v"}},
    %starts: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "starts"}},
    %lengths: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "lengths"}},
    %cache: {cache} {{heddle.sizes = ["batch", "capacity"], heddle.name = "cache"}})
    -> (tensor<{new}> {{heddle.name = "y"}}, {cache}) {{
  %c = heddle.cache.append %cache, %k, %v layer(0) at(%starts) lengths(%lengths)
    : {cache}, tensor<{new}>, tensor<{new}>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c layer(0) : {cache}
  %y = arith.addf %keys, %values : tensor<{new}>
  return %y, %c : tensor<{new}>, {cache}
}}
"""

    def step(random, start, count):
        return "run", {"k": normal(random, 1, count, hidden),
                       "v": normal(random, 1, count, hidden),
                       "starts": np.array([start], np.int32),
                       "lengths": np.array([count], np.int32)}
    return Case("append and read", f"{length} behind {before}, {heads}x64", "append", source,
                lambda random: [step(random, 0, before), step(random, before, length)],
                ("y", (1, capacity, hidden)), references.append,
                Work(F32 * hidden * (4 * length + 3 * capacity)), target="roof",
                cache={"batch": 1, "capacity": capacity}, peer=("append", heads, before, length))


def reduce(name, op, result, tolerance, small):
    rows, width = (40, 224) if small else (4096, 16384)
    type = f"{rows}x{width}xf32"
    return Case(name, f"{rows}x{width}", name, function(
        {"x": type}, f"{rows}x1xf32", f"  %{result} = heddle.{op} : tensor<{type}> -> "
        + (f"tensor<{rows}x1xf32>" if result == "y" else
           f"tensor<{rows}x1xi32>\n  %y = arith.sitofp %{result} : tensor<{rows}x1xi32> to "
           f"tensor<{rows}x1xf32>")),
        lambda random: [("run", {"x": normal(random, rows, width)})], ("y", (rows, 1)),
        partial(references.reduce, name), Work(F32 * rows * width), tolerance, target="roof",
        peer=("reduce", name, rows, width))


CASES = [
    embedding, scatter, append,
    partial(reduce, "sum", "reduce sum %x axes [1] keep_sizes", "y", 1e-5),
    partial(reduce, "argmax", "arg_reduce max %x axis(1) keep_sizes", "i", 0.0),
]
