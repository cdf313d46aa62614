# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at the edges of what ops are defined for."""
import numpy

from .builder import PlainFills
from .tensors import evaluate

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
NOT_FINITE = (numpy.nan, numpy.inf, -numpy.inf)


def sprinkled(array, generator, values, share=0.1):
    """The array with some of its elements replaced, or none of them."""
    if generator.random() < 0.3:
        return array
    chosen = generator.random(array.shape) < share
    return numpy.where(chosen, generator.choice(values, array.shape), array).astype(array.dtype)


def integers(generator, shape):
    array = generator.integers(-20, 20, shape, dtype=numpy.int32)
    return sprinkled(array, generator, (INT_MIN, INT_MAX, 0))


class MovedFills(PlainFills):
    """Any number at all, for ops that compute nothing."""

    def any(self, element):
        def fill(generator, shape, symbols):
            if element == "i32":
                return integers(generator, shape)
            array = generator.standard_normal(shape).astype(numpy.float32)
            return sprinkled(array, generator, (*NOT_FINITE, -0.0, 1e-42, 3.4e38))

        return fill

    def index(self, size):
        def fill(generator, shape, symbols):
            count = evaluate(size, symbols)
            array = generator.integers(-3, count + 3, shape, dtype=numpy.int32)
            return sprinkled(array, generator, (INT_MIN, INT_MAX, count, -1), 0.2)

        return fill


class SummedFills(MovedFills):
    """Infinities and NaN, but nothing that overflows in one order and not in another."""

    def any(self, element):
        def fill(generator, shape, symbols):
            if element == "i32":
                return integers(generator, shape)
            array = generator.standard_normal(shape).astype(numpy.float32)
            return sprinkled(array, generator, (*NOT_FINITE, 0.0), 0.03)

        return fill


class FactorFills(MovedFills):
    """Numbers whose products have the magnitude 1."""

    def any(self, element):
        def fill(generator, shape, symbols):
            if element == "i32":
                return integers(generator, shape)
            array = generator.choice((-1, 1), shape) * generator.uniform(0.95, 1.05, shape)
            return sprinkled(array.astype(numpy.float32), generator, (*NOT_FINITE, 0.0), 0.02)

        return fill


class TiedFills(MovedFills):
    """Few numbers, so that many are equal, zeros of both signs among them."""

    def any(self, element):
        def fill(generator, shape, symbols):
            if element == "i32":
                return sprinkled(
                    generator.integers(-2, 3, shape, dtype=numpy.int32),
                    generator, (INT_MIN, INT_MAX),
                )  # fmt: skip
            array = generator.choice((-1.5, -0.0, 0.0, 2.0, 3.25), shape).astype(numpy.float32)
            return sprinkled(array, generator, NOT_FINITE)

        return fill


class ExponentFills(MovedFills):
    """Exponents whose powers overflow by themselves, and rows of -infinity alone."""

    def any(self, element):
        def fill(generator, shape, symbols):
            scale = generator.choice((1.0, 10.0, 1000.0))
            array = (scale * generator.standard_normal(shape)).astype(numpy.float32)
            values = ((-numpy.inf,), (-numpy.inf,), NOT_FINITE)[generator.integers(3)]
            return sprinkled(array, generator, values, generator.choice((0.05, 0.5)))

        return fill


class RoundedFills(MovedFills):
    """Numbers around the edges of casts."""

    def any(self, element):
        def fill(generator, shape, symbols):
            if element == "i32":
                array = generator.integers(INT_MIN, INT_MAX, shape, dtype=numpy.int32)
                return sprinkled(array, generator, (2**24 + 1, 2**24 + 3, INT_MIN, INT_MAX, 0))
            array = (100 * generator.standard_normal(shape)).astype(numpy.float32)
            edges = (*NOT_FINITE, 0.5, -0.5, 2.5, -2.5, 2147483520.0, 2147483648.0,
                     -2147483648.0, -2147483904.0, 3e9, 1e-40, -0.0)  # fmt: skip
            return sprinkled(array, generator, edges, 0.5)

        return fill
