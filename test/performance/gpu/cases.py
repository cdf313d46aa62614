# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases: each in the shape that is timed, and in a small one."""

from functools import partial

import numpy as np

import llama
import references
from case import Case, Work

WIDTH = 64  # of a head
F32 = 4
SUMS = 5e-5  # the tolerance of sums of 4096 products, of which the largest of many is looked at


def normal(random, *shape):
    return random.standard_normal(shape, dtype=np.float32)


def function(arguments, result, body, entry="run"):
    """MLIR of a function: {name: type}, the type of the result %y."""
    given = ", ".join(f'%{name}: tensor<{type}> {{heddle.name = "{name}"}}'
                      for name, type in arguments.items())
    return (f'func.func @{entry}({given}) -> (tensor<{result}> {{heddle.name = "y"}}) {{\n'
            f"{body}\n  return %y : tensor<{result}>\n}}\n")


def matmul(small):
    n = 160 if small else 4096
    type = f"{n}x{n}xf32"
    return Case("matmul f32", f"{n}x{n}x{n}", "matmul_f32", function(
        {"a": type, "b": type}, type,
        f"  %y = heddle.matmul %a, %b : (tensor<{type}>, tensor<{type}>) -> tensor<{type}>"),
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
                peer=("linear", storage, rows, n))


def attention_causal(small):
    length, heads = (80, 2) if small else (2048, 16)
    hidden = heads * WIDTH
    type = f"1x{length}x{hidden}xf32"
    return Case("attention causal", f"{heads}x{WIDTH}, L={length}", "attention_causal", function(
        {"q": type, "k": type, "v": type}, type,
        "  %m = heddle.mask.causal align(top_left)\n"
        f"  %y = heddle.attention %q, %k, %v mask(%m) heads({heads}, kv = {heads}) "
        f"scale(0.125) : tensor<{type}>, tensor<{type}>, tensor<{type}>"),
        lambda random: [("run", {n: normal(random, 1, length, hidden) for n in "qkv"})],
        ("y", (1, length, hidden)), references.attention_causal,
        Work(4 * F32 * length * hidden, 4 * hidden * length * (length + 1) // 2), target="roof",
        peer=("attention", heads, length, length))


def attention_decode(small):
    keys, heads = (96, 2) if small else (4096, 16)
    hidden = heads * WIDTH
    cache = f"!heddle.cache<1 x {heads} x {WIDTH} x f32>"
    given = (f'%cache: {cache} {{heddle.sizes = ["batch", "capacity"], '
             'heddle.name = "cache"}')
    pair = f"tensor<?x{keys}x{hidden}xf32>"
    source = f"""
func.func @fill(%k: {pair} {{heddle.sizes = ["batch"], heddle.name = "k"}},
    %v: {pair} {{heddle.sizes = ["batch"], heddle.name = "v"}},
    %starts: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "starts"}},
    %lengths: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "lengths"}},
    {given}) -> {cache} {{
  %y = heddle.cache.append %cache, %k, %v layer(0) at(%starts) lengths(%lengths)
    : {cache}, {pair}, {pair}, tensor<?xi32>, tensor<?xi32>
  return %y : {cache}
}}
func.func @run(%q: tensor<?x1x{hidden}xf32> {{heddle.sizes = ["batch"], heddle.name = "q"}},
    %lengths: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "lengths"}}, {given})
    -> (tensor<?x1x{hidden}xf32> {{heddle.name = "y"}}) {{
  %k, %v = heddle.cache.read %cache layer(0) : {cache}
  %m = heddle.mask.lengths %lengths : tensor<?xi32>
  %y = heddle.attention %q, %k, %v mask(%m) heads({heads}, kv = {heads}) scale(0.125)
    : tensor<?x1x{hidden}xf32>, tensor<?x?x{hidden}xf32>, tensor<?x?x{hidden}xf32>
  return %y : tensor<?x1x{hidden}xf32>
}}
"""

    def calls(random):
        lengths = np.array([keys], np.int32)
        return [("fill", {"k": normal(random, 1, keys, hidden),
                          "v": normal(random, 1, keys, hidden),
                          "starts": np.zeros(1, np.int32), "lengths": lengths}),
                ("run", {"q": normal(random, 1, 1, hidden), "lengths": lengths})]
    return Case("attention decode", f"{heads}x{WIDTH}, {keys} keys", "attention_decode", source,
                calls, ("y", (1, 1, hidden)), references.attention_decode,
                Work(2 * F32 * keys * hidden, 4 * keys * hidden), target="roof",
                cache={"batch": 1, "capacity": keys}, peer=("attention", heads, 1, keys))


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
    attention_causal,
    attention_decode,
    partial(rows_op, "softmax", "  %y = heddle.softmax %x axis(1) : TYPE -> TYPE", "",
            reference=references.softmax),
    partial(rows_op, "rms_norm", "  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : TYPE, WIDTH",
            "w", reference=references.rms_norm),
    partial(rows_op, "layer_norm",
            "  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5) : TYPE, WIDTH, WIDTH", "wb",
            reference=references.layer_norm),
    partial(elementwise, "gelu", "x", GELU, reference=references.gelu),
    partial(elementwise, "add", "ab", "  %y = arith.addf %a, %b : TYPE",
            reference=references.add),
    partial(sample, "sample"), partial(sample, "sample_likely"),
    *llama.CASES,
]
