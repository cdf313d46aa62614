# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores that are large or infinite, biases, and the scale."""
import numpy

from .calls import KEYS, LOWEST, Inputs, attend, close, expect, is_empty, sentence


@sentence
def large_scores():
    """Scores of 10000 and of -10000 follow the formula: the largest takes all."""
    x = Inputs()
    x.one[:] = -10000
    x.one[..., 5] = 10000
    results = attend(x)
    expect(numpy.abs(results["output"] - x.v[:, :, 5:6]) < 1e-6)
    x.v[:, :, 6:] = 3e38
    expect(numpy.abs(attend(x)["output"] - x.v[:, :, 5:6]) < 1e-6)
    x.one[:] = -10000
    close(results["weights"][..., 5], 1)
    close(attend(x)["weights"].sum(axis=3), 1)


def with_scores(x, scores):
    """Queries are (1, 0, ..), so that first channels of keys are scores."""
    x.q[:], x.k[:] = 0, 0
    x.q[..., 0], x.k[..., 0] = 1, scores


@sentence
def largest_scores():
    """So do those of 3e38 and of -3e38."""
    x = Inputs()
    for many, one in ((-3e38, 3e38), (-3e38, -2.6e38), (2e38, 3e38)):
        scores = numpy.full(KEYS, many)
        scores[5] = one
        with_scores(x, scores)
        results = attend(x, scale="1.0", has_biases=False)
        expect(numpy.abs(results["output"] - x.v[:, :, 5:6]) < 1e-6)
        close(results["sum"], 1)
        close(results["log_sum_exp"] / one, 1)


@sentence
def infinite_product():
    """A score of -inf drops its key, be it a product or what a change has made."""
    x = Inputs()
    for keys in ([7], [33], [7, 33]):
        scores = numpy.random.default_rng().standard_normal(KEYS)
        scores[keys] = -numpy.inf
        x.kept[:] = True
        with_scores(x, scores)
        clean = x.v.copy()
        x.v[:, :, keys] = numpy.nan
        results = attend(x, has_biases=False)
        expect(results["weights"][..., keys] == 0)
        x.kept[:, keys] = False
        x.k[:, :, keys], x.v = 0, clean
        close(results["output"], attend(x, has_biases=False)["output"])


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
    x = Inputs()
    with_scores(x, numpy.full(KEYS, -numpy.inf))
    x.q[:, :, 1, 0] = numpy.inf
    x.q[:, :, 2, 0] = -1
    results = attend(x, has_biases=False)
    for query in (0, 1):
        is_empty(results, query)
    expect(results["maximum"][:, :, 2] == numpy.inf)


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
def infinite_score():
    """A kept score of +inf makes its query's output, weights, sum and log-sum-exp NaN, and its maximum +inf."""
    x = Inputs()
    x.one[:, :, 3, 7] = numpy.inf
    x.one[:, :, 2, 20] = numpy.inf
    x.kept[2, 20] = False
    results = attend(x)
    for name in ("output", "weights", "sum", "log_sum_exp"):
        expect(numpy.isnan(results[name][:, :, 3]))
        expect(numpy.isfinite(results[name][:, :, [0, 1, 2, 4]]))
    expect(results["maximum"][:, :, 3] == numpy.inf)
