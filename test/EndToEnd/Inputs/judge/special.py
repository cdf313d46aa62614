# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at the edges of what ops are defined for."""
import numpy

from .elements import NOT_FINITE, kind_of, range_of
from .fills import PlainFills
from .tensors import evaluate


def sprinkled(array, generator, values, share=0.1):
    """The array with some of its elements replaced, or none of them."""
    if generator.random() < 0.3:
        return array
    chosen = generator.random(array.shape) < share
    values = numpy.array(values, array.dtype)
    return numpy.where(chosen, generator.choice(values, array.shape), array)


class ZeroFills(PlainFills):
    """Zeros of both signs, denormals and halves among numbers of the magnitude 1."""

    def floats(self, generator, shape):
        array = super().floats(generator, shape)
        return sprinkled(array, generator, (0.0, -0.0, 1e-42, -1e-42, 0.5, -2.5), 0.05)


class MovedFills(PlainFills):
    """Any number at all, for ops that compute nothing."""

    def floats(self, generator, shape):
        array = super().floats(generator, shape)
        return sprinkled(array, generator, (*NOT_FINITE, -0.0, 1e-42, 3.4e38))

    def integers(self, generator, shape, element):
        array = super().integers(generator, shape, element).astype(kind_of(element))
        return sprinkled(array, generator, (*range_of(element), 0))

    def index(self, size, element):
        def fill(generator, shape, symbols):
            count = evaluate(size, symbols)
            array = generator.integers(-3, count + 3, shape)
            return sprinkled(array, generator, (*range_of(element), count, -1), 0.2)

        return fill


class EdgeFills(MovedFills):
    """Any number: zeros of both signs, denormals, halves, and what overflows."""

    EDGES = (*NOT_FINITE, 0.0, -0.0, 1e-42, -1e-42, 3e-5, -6e-8, 3.4e38, -3.4e38, 6e4, -6e4, 0.5,
             -0.5, 1.5, 2.5, -2.5, 1.0, -1.0)  # fmt: skip

    def floats(self, generator, shape):
        return sprinkled(PlainFills.floats(self, generator, shape), generator, self.EDGES, 0.3)


class SummedFills(MovedFills):
    """Infinities and NaN, but nothing that overflows in one order and not in another."""

    def floats(self, generator, shape):
        return sprinkled(PlainFills.floats(self, generator, shape), generator,
                         (*NOT_FINITE, 0.0), 0.03)  # fmt: skip


class FactorFills(MovedFills):
    """Numbers whose products have the magnitude 1."""

    def floats(self, generator, shape):
        array = generator.choice((-1, 1), shape) * generator.uniform(0.95, 1.05, shape)
        return sprinkled(array, generator, (*NOT_FINITE, 0.0), 0.02)


class TiedFills(MovedFills):
    """Few numbers, so that many are equal, zeros of both signs among them."""

    def floats(self, generator, shape):
        array = generator.choice((-1.5, -0.0, 0.0, 2.0, 3.25), shape)
        return sprinkled(array, generator, NOT_FINITE)

    def integers(self, generator, shape, element):
        array = generator.integers(-2, 3, shape).astype(kind_of(element))
        return sprinkled(array, generator, range_of(element))


class ExponentFills(MovedFills):
    """Exponents whose powers overflow by themselves, and rows of -infinity alone."""

    def floats(self, generator, shape):
        array = generator.choice((1.0, 10.0, 1000.0)) * generator.standard_normal(shape)
        values = ((-numpy.inf,), (-numpy.inf,), NOT_FINITE)[generator.integers(3)]
        return sprinkled(array, generator, values, generator.choice((0.05, 0.5)))


class RoundedFills(MovedFills):
    """Numbers around the edges of casts."""

    EDGES = (*NOT_FINITE, 0.5, -0.5, 2.5, -2.5, 2147483520.0, 2147483648.0, -2147483648.0,
             -2147483904.0, 3e9, 127.5, 128.0, -129.0, 1e-40, -0.0)  # fmt: skip

    def floats(self, generator, shape):
        return sprinkled(100 * generator.standard_normal(shape), generator, self.EDGES, 0.5)

    def integers(self, generator, shape, element):
        least, most = range_of(element)
        array = generator.integers(least, most, shape, endpoint=True, dtype=kind_of(element))
        ties = [tie for tie in (2**24 + 1, 2**24 + 3, 257, 259, 0) if tie <= most]
        return sprinkled(array, generator, (*ties, least, most))
