# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of arguments.

A fill is a function of a generator of random numbers, a shape and the values of symbols. What
it gives is made of numbers that the argument's type has when it is stored.
"""
from .elements import FLOATS, INTEGERS
from .tensors import evaluate


class PlainFills:
    """Of the magnitude 1, and indices that mostly exist."""

    def floats(self, generator, shape):
        return generator.standard_normal(shape)

    def integers(self, generator, shape, element):
        return generator.integers(-20, 20, shape)

    def any(self, element):
        def fill(generator, shape, symbols):
            if element in FLOATS:
                return self.floats(generator, shape)
            if element in INTEGERS:
                return self.integers(generator, shape, element)
            return generator.random(shape) < 0.5

        return fill

    def index(self, size, element):
        """Some are outside, which ops give a meaning."""

        def fill(generator, shape, symbols):
            return generator.integers(-2, evaluate(size, symbols) + 2, shape)

        return fill

    def existing(self, count):
        def fill(generator, shape, symbols):
            return generator.integers(0, count, shape)

        return fill
