# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases: each in the shape that is timed, and in a small one."""

from functools import partial

import numpy as np

import attention
import llama
import moving
import references
from case import F32, Case, Work, function, normal

SUMS = 5e-5  # the tolerance of sums of 4096 products, of which the largest of many is looked at


def matmul(small):
    n = 160 if small else 4096
    type = f"{n}x{n}xf32"
    return Case("matmul f32", f"{n}x{n}x{n}", "matmul_f32", function(
        {"a": type, "b": type}, type,
        f"  %y = heddle.matmul %a, %b : tensor<{type}>, tensor<{type}> -> tensor<{type}>"),
        lambda random: [("run", {"a": normal(random, n, n), "b": normal(random, n, n)})],
        ("y", (n, n)), references.matmul, Work(3 * F32 * n * n, 2 * n**3), SUMS, "gemm",
        peer=("matmul", n))


def linear(storage, rows, small):
    n = 160 if small else 4096
    rows = min(rows, 48) if small else rows
    source = f"heddle.weight @w = dense<0.0> : tensor<{n}x{n}x{storage}>\n" + function(
        {"x": f"{rows}x{n}xf32"}, f"{rows}x{n}xf32",
        f"  %w = heddle.weight_ref @w : tensor<{n}x{n}x{storage}>\n"
        f"  %y = heddle.linear %x, %w : tensor<{rows}x{n}xf32>, tensor<{n}x{n}x{storage}>")
    stored = {"f32": 4, "bf16": 2, "f16": 2}[storage] * n * n
    return Case(f"linear {storage}", f"{rows}x{n}x{n}",
                f"linear_{storage}_{'row' if rows == 1 else 'rows'}", source,
                lambda random: [("run", {"x": normal(random, rows, n)})], ("y", (rows, n)),
                references.linear, Work(stored + 2 * F32 * rows * n, 2 * rows * n * n), SUMS,
                "roof" if rows == 1 else "",
                peer=("linear", storage, rows, n))


def rows_op(name, op, vectors, small, reference):
    """An op along rows; `op` is its MLIR, with TYPE and WIDTH for types."""
    rows, width = (40, 224) if small else (4096, 4096)
    type = f"{rows}x{width}xf32"
    body = op.replace("TYPE", f"tensor<{type}>").replace("WIDTH", f"tensor<{width}xf32>")
    return Case(name, f"{rows}x{width}", name, function(
        {"x": type, **{v: f"{width}xf32" for v in vectors}}, type, body),
        lambda random: [("run", {"x": normal(random, rows, width),
                                 **{v: normal(random, width) for v in vectors}})],
        ("y", (rows, width)), reference, Work(2 * F32 * rows * width), target="roof",
        peer=(name, rows, width))


GELU = """
  %half = arith.constant dense<0.5> : TYPE
  %root = arith.constant dense<0.70710678118654752> : TYPE
  %one = arith.constant dense<1.0> : TYPE
  %0 = arith.mulf %x, %root : TYPE
  %1 = math.erf %0 : TYPE
  %2 = arith.addf %1, %one : TYPE
  %3 = arith.mulf %x, %half : TYPE
  %y = arith.mulf %2, %3 : TYPE"""


def elementwise(name, names, body, small, reference):
    rows, width = (40, 224) if small else (16384, 4096)
    type = f"{rows}x{width}xf32"
    return Case(name, "8960" if small else "64 Mi", name, function(
        {n: type for n in names}, type, body.replace("TYPE", f"tensor<{type}>")),
        lambda random: [("run", {n: normal(random, rows, width) for n in names})],
        ("y", (rows, width)), reference, Work((1 + len(names)) * F32 * rows * width),
        target="roof", peer=(name, rows, width))


# Few ids are likely enough that roundings could make another of them the answer.
TEMPERATURES = {"sample": 0.1, "sample_likely": 0.6}


def sample(name, small):
    """The next id by all logits of a vocabulary, or by those that top_k and top_p keep. Its
    number is the result, as f32, which has all of them."""
    vocabulary = 1000 if small else 128256
    logits = f"1x{vocabulary}xf32"
    numbers = {"t": TEMPERATURES[name], "p": 0.02, "u": None}
    types = {"x": logits, **{n: "1xf32" for n in numbers}}
    kept = ""
    if name == "sample_likely":
        numbers |= {"k": 50, "q": 0.9}
        types |= {"k": "1xi32", "q": "1xf32"}
        kept = (f"  %l = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%q) "
                f": tensor<{logits}>, tensor<1xf32>, tensor<1xi32>\n")
    body = (f"{kept}  %i = heddle.sample %{'l' if kept else 'x'} temperature(%t) min_p(%p) "
            f"uniform(%u) : tensor<{logits}>, tensor<1xf32> -> tensor<1xi32>\n"
            "  %y = arith.sitofp %i : tensor<1xi32> to tensor<1xf32>")

    def calls(random):
        given = {**numbers, "u": random.random()}
        return [("run", {"x": normal(random, 1, vocabulary),
                         **{n: np.array([value], np.int32 if n == "k" else np.float32)
                            for n, value in given.items()}})]
    return Case(name, f"{vocabulary}", name, function(types, "1xf32", body), calls, ("y", (1,)),
                references.sample, Work(F32 * vocabulary), 0.0, peer=(name, vocabulary))


CASES = [
    matmul,
    partial(linear, "f32", 1), partial(linear, "bf16", 1), partial(linear, "f16", 1),
    partial(linear, "f32", 512), partial(linear, "bf16", 512), partial(linear, "f16", 512),
    *attention.CASES,
    partial(rows_op, "softmax", "  %y = heddle.softmax %x axis(1) : TYPE", "",
            reference=references.softmax),
    partial(rows_op, "rms_norm", "  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : TYPE, WIDTH",
            "w", reference=references.rms_norm),
    partial(rows_op, "layer_norm",
            "  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5) : TYPE, WIDTH, WIDTH", "wb",
            reference=references.layer_norm),
    partial(elementwise, "gelu", "x", GELU, reference=references.gelu),
    partial(elementwise, "add", "ab", "  %y = arith.addf %a, %b : TYPE",
            reference=references.add),
    *moving.CASES,
    partial(sample, "sample"), partial(sample, "sample_likely"),
    *llama.CASES,
]
