# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares arrays of compiled code with what they must be."""
import numpy

from .running import Failure

# What a result whose magnitude is the largest may be wrong by, at most, for a comparison
# to say something.
WRONG = 1e-3
ABSOLUTE = 1e-5


def misses(found, expected):
    """Where an array is not what it must be."""
    assert found.shape == expected.shape, (found.shape, expected.shape)
    if not expected.is_float:
        return (found != expected.value) & (expected.error == 0)
    with numpy.errstate(invalid="ignore"):
        near = numpy.abs(found - expected.value) <= expected.error
    same = (found == expected.value) | (numpy.isnan(found) & numpy.isnan(expected.value))
    zeros = (found == 0) & (expected.value == 0) & (expected.error == 0)
    other_sign = zeros & (numpy.signbit(found) != numpy.signbit(expected.value))
    return ~(near | same | numpy.isinf(expected.error)) | other_sign


def compare(function, found, expected):
    for index, (array, bounds) in enumerate(zip(found, expected)):
        wrong = misses(array, bounds)
        if wrong.any():
            at = tuple(map(int, numpy.argwhere(wrong)[0]))
            raise Failure(
                f"{function.name}: result {index}{list(at)} of {list(array.shape)}: found "
                f"{array[at]!r}, expected {bounds.value[at]!r} with an error of at most "
                f"{bounds.error[at]:.3g}; {int(wrong.sum())} of {wrong.size} elements differ"
            )


def would_notice(expected):
    """Whether a comparison fails once an element is wrong by WRONG of itself.

    One of those that have at least half of the largest magnitude; by ABSOLUTE where that is
    0, and integers and truths by 1. No where all is uncertain, NaN or infinite.
    """
    if not expected.is_float:
        return bool((expected.error == 0).any())
    certain = numpy.isfinite(expected.error) & numpy.isfinite(expected.value)
    if not certain.any():
        return False
    size = numpy.where(certain, numpy.abs(expected.value), -1.0)
    mutated = numpy.where(certain, expected.value, 0.0) + numpy.maximum(WRONG * size, ABSOLUTE)
    return bool((misses(mutated, expected) & (size >= 0.5 * size.max())).any())
