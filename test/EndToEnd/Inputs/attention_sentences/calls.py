# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the attention of the checks, calls it, and compares what it gives."""
import numpy

from judge.running import run

QUERIES, KEYS, HEADS, DEPTH = 5, 40, 2, 16
LOWEST = float(numpy.finfo(numpy.float32).min)
RESULTS = (
    "output", "weights", "log_sum_exp", "raw_scores", "scaled_scores", "changed_scores",
    "masked_scores", "unnormalized", "maximum", "sum",
)  # fmt: skip
MATRIX = f"tensor<1x{HEADS}x?x?xf32>"
TYPES = {
    "output": f"tensor<1x{HEADS}x?x{DEPTH}xf32>", "unnormalized": f"tensor<1x{HEADS}x?x{DEPTH}xf32>",
    **{name: MATRIX for name in RESULTS if name == "weights" or name.endswith("scores")},
    **{name: f"tensor<1x{HEADS}x?xf32>" for name in ("log_sum_exp", "maximum", "sum")},
}  # fmt: skip
CHECKS = []


def sentence(function):
    CHECKS.append(function)
    return function


def compile_attention(name, mask, scale, has_biases):
    """An attention with `mask`, sinks and two biases, or whose scores are products alone."""
    types = ", ".join(TYPES[result] for result in RESULTS)
    named = ", ".join(f'{TYPES[result]} {{heddle.name = "r_{result}"}}' for result in RESULTS)
    results = ", ".join(f"%r#{index}" for index in range(len(RESULTS)))
    sizes = 'heddle.sizes = ["queries", "keys"]'
    tensor = f"tensor<1x{HEADS}x?x{DEPTH}xf32>"
    score = f"""
      score(%one, %two : {MATRIX}, {MATRIX}) {{
    ^bb0(%s: {MATRIX}, %x: {MATRIX}, %y: {MATRIX}):
      %0 = arith.addf %s, %x : {MATRIX}
      %1 = arith.addf %0, %y : {MATRIX}
      heddle.yield %1 : {MATRIX}
    }}"""
    with open(name + ".mlir", "w", encoding="utf-8") as file:
        file.write(f"""
func.func @f(%q: {tensor} {{heddle.sizes = ["queries"], heddle.name = "q"}},
    %k: {tensor} {{heddle.sizes = ["keys"], heddle.name = "k"}},
    %v: {tensor} {{heddle.sizes = ["keys"], heddle.name = "v"}},
    %kept: tensor<?x?xi1> {{{sizes}, heddle.name = "kept"}},
    %number: tensor<1xi32> {{heddle.name = "number"}},
    %sinks: tensor<{HEADS}xf32> {{heddle.name = "sinks"}},
    %one: {MATRIX} {{{sizes}, heddle.name = "one"}},
    %two: {MATRIX} {{{sizes}, heddle.name = "two"}}) -> ({named}) {{
  %m = heddle.mask.{mask}
  %r:{len(RESULTS)} = heddle.attention %q, %k, %v mask(%m) sinks(%sinks : tensor<{HEADS}xf32>)
      heads({HEADS}, kv = {HEADS}) scale({scale}) results({', '.join(RESULTS)}){score if has_biases else ""}
      : {tensor}, {tensor}, {tensor}
  return {results} : {types}
}}
""")
    run("heddlec", name + ".mlir", "--quiet", "--emit=shared", "-o", f"./{name}.so")


class Inputs:
    def __init__(self, queries=QUERIES, keys=KEYS):
        random = numpy.random.default_rng()
        self.sizes = {"queries": queries, "keys": keys}
        self.q = random.standard_normal((1, HEADS, queries, DEPTH))
        self.k = random.standard_normal((1, HEADS, keys, DEPTH))
        self.v = random.standard_normal((1, HEADS, keys, DEPTH))
        self.kept = numpy.ones((queries, keys), bool)
        self.number = numpy.zeros(1, numpy.int32)
        self.sinks = numpy.full(HEADS, -numpy.inf)
        self.one = numpy.zeros((1, HEADS, queries, keys))
        self.two = numpy.zeros((1, HEADS, queries, keys))


COMPILED = set()
DENSE = "dense %kept over(query, key) : tensor<?x?xi1>"


def call(name, inputs, arguments, results):
    command = ["heddle-run", "run", f"./{name}.so", "--entry=f"]
    command += [f"--size={key}={value}" for key, value in inputs.sizes.items()]
    for argument in arguments:
        array = getattr(inputs, argument)
        numpy.save(argument + ".npy", array.astype("f4") if array.dtype == float else array)
        command.append(f"--input={argument}={argument}.npy")
    command += [f"--output=r_{result}={result}.npy" for result in results]
    run(*command)
    return {result: numpy.load(result + ".npy").astype(float) for result in results}


def attend(inputs, mask=DENSE, scale="0.25", has_biases=True):
    """All results."""
    name = "biased" if has_biases else "plain"
    name += "".join(c if c.isalnum() else "_" for c in mask + scale)
    if name not in COMPILED:
        compile_attention(name, mask, scale, has_biases)
        COMPILED.add(name)
    arguments = ("q", "k", "v", "kept", "number", "sinks", "one", "two")
    return call(name, inputs, arguments, RESULTS)


def pool(inputs, normalize):
    """Output and weights, with `one` as scores and `two` as factors."""
    tensor, name = f"tensor<1x{HEADS}x?x{DEPTH}xf32>", f"pool_{normalize}"
    sizes = 'heddle.sizes = ["queries", "keys"]'
    with open(name + ".mlir", "w", encoding="utf-8") as file:
        file.write(f"""
func.func @f(%q: {tensor} {{heddle.sizes = ["queries"], heddle.name = "q"}},
    %k: {tensor} {{heddle.sizes = ["keys"], heddle.name = "k"}},
    %v: {tensor} {{heddle.sizes = ["keys"], heddle.name = "v"}},
    %kept: tensor<?x?xi1> {{{sizes}, heddle.name = "kept"}},
    %one: {MATRIX} {{{sizes}, heddle.name = "one"}},
    %two: {MATRIX} {{{sizes}, heddle.name = "two"}})
    -> ({tensor} {{heddle.name = "r_output"}}, {MATRIX} {{heddle.name = "r_weights"}}) {{
  %m = heddle.mask.{DENSE}
  %y, %w = heddle.attention %q, %k, %v mask(%m) heads({HEADS}, kv = {HEADS}) scale(0.0)
      normalize({normalize}) results(output, weights) score(%one : {MATRIX}) {{
    ^bb0(%s: {MATRIX}, %x: {MATRIX}):
      %0 = arith.addf %s, %x : {MATRIX}
      heddle.yield %0 : {MATRIX}
    }} factors(%two : {MATRIX}) {{
    ^bb0(%ones: {MATRIX}, %x: {MATRIX}):
      %0 = arith.mulf %ones, %x : {MATRIX}
      heddle.yield %0 : {MATRIX}
    }} : {tensor}, {tensor}, {tensor}
  return %y, %w : {tensor}, {MATRIX}
}}
""")
    run("heddlec", name + ".mlir", "--quiet", "--emit=shared", "-o", f"./{name}.so")
    return call(name, inputs, ("q", "k", "v", "kept", "one", "two"), ("output", "weights"))


def attend_grouped(inputs, heads):
    """Output, weights and column sums of so many heads, of HEADS heads of keys."""
    query, key = (f"tensor<1x{count}x?x{DEPTH}xf32>" for count in (heads, HEADS))
    weights, sums = f"tensor<1x{heads}x?x?xf32>", f"tensor<1x{heads}x?xf32>"
    with open("grouped.mlir", "w", encoding="utf-8") as file:
        file.write(f"""
func.func @f(%q: {query} {{heddle.sizes = ["queries"], heddle.name = "q"}},
    %k: {key} {{heddle.sizes = ["keys"], heddle.name = "k"}},
    %v: {key} {{heddle.sizes = ["keys"], heddle.name = "v"}},
    %kept: tensor<?x?xi1> {{heddle.sizes = ["queries", "keys"], heddle.name = "kept"}})
    -> ({query} {{heddle.name = "r_output"}}, {weights} {{heddle.name = "r_weights"}},
        {sums} {{heddle.name = "r_column_sums"}}) {{
  %m = heddle.mask.{DENSE}
  %r:3 = heddle.attention %q, %k, %v mask(%m) heads({heads}, kv = {HEADS}) scale(0.25)
      results(output, weights, column_sums) : {query}, {key}, {key}
  return %r#0, %r#1, %r#2 : {query}, {weights}, {sums}
}}
""")
    run("heddlec", "grouped.mlir", "--quiet", "--emit=shared", "-o", "./grouped.so")
    return call("grouped", inputs, ("q", "k", "v", "kept"), ("output", "weights", "column_sums"))


def attend_parts(inputs, with_sinks=(), with_factors=False):
    """Attention to the first 32 keys and to the others, merged; `with_sinks` are the numbers of
    parts that have them. Factors are `two`."""
    part, whole = f"tensor<1x{HEADS}x?xf32>", f"tensor<1x{HEADS}x?x{DEPTH}xf32>"
    sizes = 'heddle.sizes = ["queries", "%s"]'
    text = f"""
func.func @f(%q: {whole} {{heddle.sizes = ["queries"], heddle.name = "q"}},
    %k0: {whole} {{heddle.sizes = ["first"], heddle.name = "k0"}}, %v0: {whole} {{heddle.sizes = ["first"], heddle.name = "v0"}},
    %k1: {whole} {{heddle.sizes = ["rest"], heddle.name = "k1"}}, %v1: {whole} {{heddle.sizes = ["rest"], heddle.name = "v1"}},
    %kept0: tensor<?x?xi1> {{{sizes % "first"}, heddle.name = "kept0"}},
    %kept1: tensor<?x?xi1> {{{sizes % "rest"}, heddle.name = "kept1"}},
    %two0: {MATRIX} {{{sizes % "first"}, heddle.name = "two0"}},
    %two1: {MATRIX} {{{sizes % "rest"}, heddle.name = "two1"}},
    %sinks: tensor<{HEADS}xf32> {{heddle.name = "sinks"}})
    -> ({whole} {{heddle.name = "r_output"}}, {part} {{heddle.name = "r_log_sum_exp"}}) {{"""
    for i in range(2):
        sinks = f"sinks(%sinks : tensor<{HEADS}xf32>)" if i in with_sinks else ""
        factors = f"""factors(%two{i} : {MATRIX}) {{
    ^bb0(%ones: {MATRIX}, %x: {MATRIX}):
      %0 = arith.mulf %ones, %x : {MATRIX}
      heddle.yield %0 : {MATRIX}
    }}""" if with_factors else ""  # fmt: skip
        text += f"""
  %m{i} = heddle.mask.dense %kept{i} over(query, key) : tensor<?x?xi1>
  %u{i}, %x{i}, %s{i} = heddle.attention %q, %k{i}, %v{i} mask(%m{i}) {sinks} heads({HEADS}, kv = {HEADS}) scale(0.25)
      results(unnormalized, maximum, sum) {factors} : {whole}, {whole}, {whole}"""
    text += f"""
  %y, %l = heddle.merge_attention (%u0, %u1) maxima(%x0, %x1) sums(%s0, %s1) results(output, log_sum_exp) : {whole}, {part}
  return %y, %l : {whole}, {part}
}}
"""
    with open("parts.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    run("heddlec", "parts.mlir", "--quiet", "--emit=shared", "-o", "./parts.so")
    whole_sizes = inputs.sizes
    inputs.sizes = {"queries": whole_sizes["queries"], "first": 32, "rest": KEYS - 32}
    inputs.k0, inputs.k1 = numpy.split(inputs.k, [32], axis=2)
    inputs.v0, inputs.v1 = numpy.split(inputs.v, [32], axis=2)
    inputs.kept0, inputs.kept1 = numpy.split(inputs.kept, [32], axis=1)
    inputs.two0, inputs.two1 = numpy.split(inputs.two, [32], axis=3)
    arguments = ("q", "k0", "v0", "k1", "v1", "kept0", "kept1", "two0", "two1", "sinks")
    results = call("parts", inputs, arguments, ("output", "log_sum_exp"))
    inputs.sizes = whole_sizes
    return results


def expect(condition):
    if not numpy.all(condition):
        raise AssertionError


def close(found, expected):
    expect(numpy.isfinite(found))
    expect(numpy.abs(found - expected) < 2e-5)


def seen(results):
    """Which keys each query of the first head sees."""
    return results["weights"][0, 0] > 0


def is_empty(results, query):
    for name, expected in (("output", 0), ("weights", 0), ("sum", 0), ("maximum", -numpy.inf),
                           ("log_sum_exp", -numpy.inf)):  # fmt: skip
        expect(results[name][:, :, query] == expected)
