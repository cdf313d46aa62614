# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores that are large or infinite, biases, and the scale."""
import numpy

from .calls import LOWEST, Inputs, attend, close, expect, is_empty, sentence


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
