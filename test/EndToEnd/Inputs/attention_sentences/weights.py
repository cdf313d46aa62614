# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What weights are made of: sinks, scores as they are, sums, factors, and parts of the keys."""
import numpy

from .calls import (
    DEPTH, HEADS, KEYS, QUERIES, Inputs, attend, attend_grouped, attend_parts, close, expect, pool,
    sentence,
)  # fmt: skip


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
def no_number_as_sink():
    """A sink of +inf or NaN makes its query's output, weights, sum and log-sum-exp NaN."""
    for sink in (numpy.inf, numpy.nan):
        x = Inputs()
        x.sinks[1] = sink
        results = attend(x)
        for result in ("output", "weights", "sum", "log_sum_exp"):
            expect(numpy.isnan(results[result][:, 1]))
            expect(numpy.isfinite(results[result][:, 0]))


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
    sums = numpy.where(x.kept, x.one, 0)[:, :, 4].sum(axis=2, keepdims=True)
    x.one[:, :, 4] *= 1.5e38 / sums  # whose inverse is subnormal
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


@sentence
def sinks_of_parts():
    """Merged attentions count a sink once for each part that has it."""
    x = Inputs()
    x.sinks[:] = 1, -2
    once = attend(x)
    for part in (0, 1):
        merged = attend_parts(x, with_sinks=(part,))
        close(merged["output"], once["output"])
        close(merged["log_sum_exp"], once["log_sum_exp"])
    x.sinks += numpy.log(2)
    twice = attend(x)
    x.sinks -= numpy.log(2)
    close(attend_parts(x, with_sinks=(0, 1))["output"], twice["output"])


@sentence
def factors_of_parts():
    """The unnormalised output has the factors and the sum has not, so that parts with factors merge, too."""
    x = Inputs()
    x.kept[:, ::3] = False
    weights = attend(x)["weights"]
    x.two = numpy.random.default_rng().standard_normal(x.two.shape)
    merged = attend_parts(x, with_factors=True)
    close(merged["output"], weights * x.two @ x.v)


@sentence
def column_sums():
    """Column sums are those of the weights over all queries, of which one that keeps no key adds nothing."""
    x = Inputs()
    x.kept[:, 1::4] = False
    x.kept[2] = False
    results = attend_grouped(x, HEADS)
    close(results["column_sums"], results["weights"].sum(axis=2))
    close(results["column_sums"].sum(axis=2), QUERIES - 1)
    expect(results["column_sums"][:, :, 1::4] == 0)


@sentence
def grouped_heads():
    """Of H heads and G heads of keys, head h reads head h / (H / G), rounded down."""
    x, heads = Inputs(), 3 * HEADS
    x.q = numpy.random.default_rng().standard_normal((1, heads, QUERIES, DEPTH))
    of = numpy.arange(heads) // 3
    scores = numpy.exp(0.25 * x.q @ x.k[:, of].swapaxes(2, 3))
    weights = scores / scores.sum(axis=3, keepdims=True)
    results = attend_grouped(x, heads)
    close(results["weights"], weights)
    close(results["output"], weights @ x.v[:, of])
