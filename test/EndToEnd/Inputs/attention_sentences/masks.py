# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which keys a query sees, and what it gives that sees none."""
import itertools

import numpy

from .calls import KEYS, QUERIES, RESULTS, Inputs, attend, close, expect, is_empty, seen, sentence


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
    """NaN in a key that a query keeps makes its output, sum, maximum and log-sum-exp NaN."""
    for key, is_alone in itertools.product((7, 33), (False, True)):
        x = Inputs()
        x.kept[3:] = not is_alone
        x.kept[3:, key] = True
        x.kept[:3, key] = False
        x.k[:, :, key] = numpy.nan
        results = attend(x)
        for name in ("output", "sum", "maximum", "log_sum_exp"):
            expect(numpy.isnan(results[name][:, :, 3:]))
            expect(numpy.isfinite(results[name][:, :, :3]))


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
