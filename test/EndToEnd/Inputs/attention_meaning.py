# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks each sentence of dialect/Attention.md: attention_meaning.py PAGE

A check is a function whose docstring is a sentence of the page. All of them use one compiled
attention, with 5 queries and 40 keys of 2 heads, whose mask and bias they choose.
"""
import sys

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


def compile_attention(name, mask, scale="0.25"):
    """An attention with `mask`, two biases and sinks."""
    types = ", ".join(TYPES[result] for result in RESULTS)
    named = ", ".join(f'{TYPES[result]} {{heddle.name = "r_{result}"}}' for result in RESULTS)
    results = ", ".join(f"%r#{index}" for index in range(len(RESULTS)))
    sizes = 'heddle.sizes = ["queries", "keys"]'
    tensor = f"tensor<1x{HEADS}x?x{DEPTH}xf32>"
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
      heads({HEADS}, kv = {HEADS}) scale({scale}) results({', '.join(RESULTS)})
      score(%one, %two : {MATRIX}, {MATRIX}) {{
    ^bb0(%s: {MATRIX}, %x: {MATRIX}, %y: {MATRIX}):
      %0 = arith.addf %s, %x : {MATRIX}
      %1 = arith.addf %0, %y : {MATRIX}
      heddle.yield %1 : {MATRIX}
    }} : {tensor}, {tensor}, {tensor}
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


def attend(inputs, mask=DENSE, scale="0.25"):
    """All results."""
    name = "m" + "".join(c if c.isalnum() else "_" for c in mask + scale)
    if name not in COMPILED:
        compile_attention(name, mask, scale)
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


def attend_parts(inputs):
    """Attention to the first 32 keys and to the others, merged."""
    part, whole = f"tensor<1x{HEADS}x?xf32>", f"tensor<1x{HEADS}x?x{DEPTH}xf32>"
    sizes = 'heddle.sizes = ["queries", "%s"]'
    text = f"""
func.func @f(%q: {whole} {{heddle.sizes = ["queries"], heddle.name = "q"}},
    %k0: {whole} {{heddle.sizes = ["first"], heddle.name = "k0"}}, %v0: {whole} {{heddle.sizes = ["first"], heddle.name = "v0"}},
    %k1: {whole} {{heddle.sizes = ["rest"], heddle.name = "k1"}}, %v1: {whole} {{heddle.sizes = ["rest"], heddle.name = "v1"}},
    %kept0: tensor<?x?xi1> {{{sizes % "first"}, heddle.name = "kept0"}},
    %kept1: tensor<?x?xi1> {{{sizes % "rest"}, heddle.name = "kept1"}})
    -> ({whole} {{heddle.name = "r_output"}}, {part} {{heddle.name = "r_log_sum_exp"}}) {{"""
    for i in range(2):
        text += f"""
  %m{i} = heddle.mask.dense %kept{i} over(query, key) : tensor<?x?xi1>
  %u{i}, %x{i}, %s{i} = heddle.attention %q, %k{i}, %v{i} mask(%m{i}) heads({HEADS}, kv = {HEADS}) scale(0.25)
      results(unnormalized, maximum, sum) : {whole}, {whole}, {whole}"""
    text += f"""
  %y, %l = heddle.merge_attention (%u0, %u1) maxima(%x0, %x1) sums(%s0, %s1) results(output, log_sum_exp) : {whole}, {part}
  return %y, %l : {whole}, {part}
}}
"""
    with open("parts.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    run("heddlec", "parts.mlir", "--quiet", "--emit=shared", "-o", "./parts.so")
    inputs.sizes = {**inputs.sizes, "first": 32, "rest": KEYS - 32}
    inputs.sizes.pop("keys")
    inputs.k0, inputs.k1 = numpy.split(inputs.k, [32], axis=2)
    inputs.v0, inputs.v1 = numpy.split(inputs.v, [32], axis=2)
    inputs.kept0, inputs.kept1 = numpy.split(inputs.kept, [32], axis=1)
    arguments = ("q", "k0", "v0", "k1", "v1", "kept0", "kept1")
    return call("parts", inputs, arguments, ("output", "log_sum_exp"))


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


@sentence
def no_key():
    """A query that keeps no key gives an output of 0, weights of 0, a sum of 0, and -inf for its maximum and its log-sum-exp."""
    x = Inputs()
    x.kept[2] = False
    results = attend(x)
    is_empty(results, 2)
    expect(results["sum"][:, :, 3] > 0)


@sentence
def dropped_values():
    """NaN or infinity in a key that a query drops, or in its value, reaches no other result of the query than its raw, scaled and changed scores."""
    for bad in (numpy.nan, numpy.inf, -numpy.inf):
        x = Inputs()
        x.kept[:3, 7] = x.kept[:3, 33] = False
        clean = attend(x)
        x.k[:, :, 7], x.v[:, :, 7], x.v[:, :, 33] = bad, bad, bad
        results = attend(x)
        for name in RESULTS:
            if name not in ("raw_scores", "scaled_scores", "changed_scores"):
                expect(results[name][:, :, :3] == clean[name][:, :, :3])


@sentence
def kept_nan():
    """NaN in a key that a query keeps makes its output NaN."""
    x = Inputs()
    x.kept[:3, 7] = False
    x.k[:, :, 7] = numpy.nan
    results = attend(x)["output"]
    expect(numpy.isnan(results[:, :, 3:]))
    expect(numpy.isfinite(results[:, :, :3]))


@sentence
def scores_of_all_keys():
    """Raw, scaled and changed scores are those of all keys, dropped ones too."""
    x = Inputs()
    x.kept[:] = False
    x.one[:] = 3
    results = attend(x)
    raw = x.q @ x.k.swapaxes(2, 3)
    close(results["raw_scores"], raw)
    close(results["scaled_scores"], raw / 4)
    close(results["changed_scores"], raw / 4 + 3)


@sentence
def masked_scores():
    """Masked scores of dropped keys are -inf."""
    x = Inputs()
    x.kept[:, ::3] = False
    masked = attend(x)["masked_scores"]
    expect(masked[..., ::3] == -numpy.inf)
    expect(numpy.isfinite(masked[..., 1::3]))


@sentence
def top_left():
    """With `align(top_left)`, query q sees the keys up to q, whatever the number of keys."""
    for keys in (3, KEYS):
        results = attend(Inputs(keys=keys), "causal align(top_left)")
        expect(seen(results) == (numpy.arange(keys) <= numpy.arange(QUERIES)[:, None]))


@sentence
def bottom_right():
    """With `align(bottom_right)`, the last query sees every key, and a query that stands before the first key sees none."""
    results = attend(Inputs(), "causal align(bottom_right)")
    expect(seen(results)[-1])
    expect(seen(results).sum(axis=1) == KEYS - QUERIES + 1 + numpy.arange(QUERIES))
    results = attend(Inputs(keys=3), "causal align(bottom_right)")
    is_empty(results, 0)
    is_empty(results, 1)
    expect(seen(results)[-1])


@sentence
def offset():
    """With `offset`, query q of sequence b sees the keys up to q + offset[b], and the offset may be any integer."""
    for number in (-(2**31), -3, 0, 8, 2**31 - 1):
        x = Inputs()
        x.number[0] = number
        results = attend(x, "causal offset(%number : tensor<1xi32>)")
        last = numpy.arange(QUERIES)[:, None] + number
        expect(seen(results) == (numpy.arange(KEYS) <= last))


@sentence
def lengths():
    """Lengths that are negative keep no key, and those past the keys keep all."""
    for number in (-(2**31), -1, 0, 7, KEYS, KEYS + 1, 2**31 - 1):
        x = Inputs()
        x.number[0] = number
        results = attend(x, "lengths %number : tensor<1xi32>")
        expect(seen(results) == (numpy.arange(KEYS) < number))


@sentence
def padding_queries():
    """Padding queries are computed as any others, unless a mask of lengths of queries drops their keys, which makes them 0."""
    x = Inputs()
    x.number[0] = 3
    results = attend(x, "lengths %number of(query) : tensor<1xi32>")
    is_empty(results, 3)
    is_empty(results, 4)
    close(results["output"][:, :, :3], attend(x)["output"][:, :, :3])
    expect(attend(x)["output"][:, :, 3:] != 0)


@sentence
def large_scores():
    """Scores of 10000 and of -10000 follow the formula: the largest takes all."""
    x = Inputs()
    x.one[:] = -10000
    x.one[..., 5] = 10000
    results = attend(x)
    expect(numpy.abs(results["output"] - x.v[:, :, 5:6]) < 1e-6)
    x.one[:] = -10000
    close(results["weights"][..., 5], 1)
    close(attend(x)["weights"].sum(axis=3), 1)


@sentence
def infinite_bias():
    """A bias of -inf is a mask."""
    x = Inputs()
    x.one[..., 1::4] = -numpy.inf
    x.k[:, :, 1::4], x.v[:, :, 1::4] = 3, numpy.nan
    results = attend(x)
    expect(results["weights"][..., 1::4] == 0)
    x.one[:] = 0
    x.kept[:, 1::4] = False
    close(results["output"], attend(x)["output"])


@sentence
def all_infinite():
    """Where all kept scores are -inf, the output is 0."""
    x = Inputs()
    x.kept[1, ::2] = False
    x.one[:, :, 1, 1::2] = -numpy.inf
    results = attend(x)
    is_empty(results, 1)
    expect(results["output"][:, :, 0] != 0)


@sentence
def lowest_bias():
    """A bias of the lowest finite f32 is no mask: a query that has nothing else gives the mean of its values."""
    x = Inputs()
    x.kept[:, 30:] = False
    x.one[:, :, 0] = LOWEST
    x.one[:, :, 1, 1:] = LOWEST
    results = attend(x)["output"]
    close(results[:, :, 0], x.v[:, :, :30].mean(axis=2))
    close(results[:, :, 1], x.v[:, :, 0])


@sentence
def two_lowest_biases():
    """Changes of scores are computed in f32: two biases of the lowest finite f32 are -inf together."""
    x = Inputs()
    x.one[:, :, 2], x.two[:, :, 2] = LOWEST, LOWEST
    results = attend(x)
    expect(results["changed_scores"][:, :, 2] == -numpy.inf)
    is_empty(results, 2)


@sentence
def scale_of_zero():
    """A scale of 0 gives the mean of the kept values."""
    x = Inputs()
    x.kept[:, 9:] = False
    close(attend(x, scale="0.0")["output"], x.v[:, :, None, :9].mean(axis=3))


@sentence
def sinks():
    """A sink adds to the sum of the weights and has no value, so that weights sum up to less than 1."""
    x = Inputs()
    plain = attend(x)
    x.sinks[:] = 2
    results = attend(x)
    total = plain["sum"] * numpy.exp(plain["maximum"])
    share = total / (total + numpy.exp(2))
    close(results["weights"].sum(axis=3), share)
    close(results["output"], plain["output"] * share[..., None])


@sentence
def no_sink():
    """A sink of -inf is none."""
    x = Inputs()
    x.sinks[1] = 1
    results = attend(x)["weights"].sum(axis=3)
    close(results[:, 0], 1)
    expect(results[:, 1] < 0.999)


@sentence
def only_a_sink():
    """With a sink, a query that keeps no key gives an output of 0 and the sink as its log-sum-exp."""
    x = Inputs()
    x.kept[2] = False
    x.sinks[:] = -1.5
    results = attend(x)
    expect(results["output"][:, :, 2] == 0)
    close(results["log_sum_exp"][:, :, 2], -1.5)


def scores_and_factors():
    x = Inputs()
    x.kept[:, ::3] = False
    x.one = numpy.random.default_rng().uniform(0.5, 2, x.one.shape)
    x.two = numpy.random.default_rng().standard_normal(x.two.shape)
    return x


@sentence
def weights_are_scores():
    """With `normalize(none)`, weights are the masked scores, and those of dropped keys are 0."""
    x = scores_and_factors()
    x.two[:] = 1
    results = pool(x, "none")
    close(results["weights"], numpy.where(x.kept, x.one, 0))
    close(results["output"] / KEYS, numpy.where(x.kept, x.one, 0) @ x.v / KEYS)


@sentence
def weights_of_a_sum():
    """With `normalize(sum)`, weights are the masked scores divided by their sum, or 0 where that is 0."""
    x = scores_and_factors()
    x.two[:] = 1
    x.one[:, :, 1] = 0
    x.kept[2] = False
    results = pool(x, "sum")
    scores = numpy.where(x.kept, x.one, 0)
    for query in (0, 3, 4):
        expected = scores[:, :, query] / scores[:, :, query].sum(axis=2, keepdims=True)
        close(results["weights"][:, :, query], expected)
    for query in (1, 2):
        for name in ("weights", "output"):
            expect(results[name][:, :, query] == 0)


@sentence
def factors():
    """Factors multiply weights after these have been divided by their sum, which knows nothing of them."""
    for normalize in ("softmax", "sum"):
        x = scores_and_factors()
        results = pool(x, normalize)
        scores = numpy.where(x.kept, numpy.exp(x.one) if normalize == "softmax" else x.one, 0)
        expected = scores / scores.sum(axis=3, keepdims=True) * x.two
        close(results["weights"], expected)
        close(results["output"], expected @ x.v)


@sentence
def merged_parts():
    """Attention to two parts of the keys, merged, is attention to both, also where a query keeps no key of a part, or of both."""
    x = Inputs()
    x.kept[:, ::3] = False
    x.kept[1, :32] = False
    x.kept[2, 32:] = False
    x.kept[3] = False
    whole = attend(x)
    merged = attend_parts(x)
    close(merged["output"], whole["output"])
    rows = [0, 1, 2, 4]
    close(merged["log_sum_exp"][:, :, rows], whole["log_sum_exp"][:, :, rows])
    expect(merged["output"][:, :, 3] == 0)
    expect(merged["log_sum_exp"][:, :, 3] == -numpy.inf)


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        sentences = {line[2:].strip() for line in page if line.startswith("- ")}
    checks = {function.__doc__: function for function in CHECKS}
    status = 0
    for text in sorted(sentences ^ checks.keys()):
        print(f"on one side only, the page or the checks: {text}")
        status = 1
    for text, function in checks.items():
        try:
            function()
        except AssertionError:
            print(f"does not hold: {text}")
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
