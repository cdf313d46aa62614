# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in double precision, each with a bound of the error of single precision.

A Bounded is what an array of compiled code must be: `value`, but for at most `error`.
Every operation bounds its result's error from those of its operands, and adds its own
roundings. The bounds are of first order in U, the largest relative error of a rounding to
f32 (products of errors are kept where they cost nothing):

    x + y, x * y, x / y   one rounding: U |result|
    a function            MATH_UNITS U |result|, and what moving x by its error does to f(x)
    a sum of n terms      in any order at most n - 1 roundings of partial sums, none larger
                          than the sum of the magnitudes, and one for each term, which may
                          be a product: n U sum |term|
    a choice              nothing where it is certain; where errors let another element be
                          chosen, how far the elements are from each other

What memory keeps of a result in bf16 or f16 is rounded once more: most errors are lost in
that, and some become as large as the distance of two such numbers (narrowed).

The error 0 means that there is nothing to round, so that compiled code must have this very
number; infinity, that nothing is known, as of an index that hangs on a rounding. Integers
and truths are certain (0) or not (infinity). NaN and infinities are to be met exactly.
"""
import functools

import numpy

from . import elements

U = 2.0**-24
# compiler/Reference/MathErrors.h, where each figure is measured, has none above 7.
MATH_UNITS = 8
# Below 2^-126 numbers are multiples of 2^-149, and some processors make them 0.
LEAST = 2.0**-126
LARGEST = float(numpy.finfo(numpy.float32).max)


class Bounded:
    __slots__ = ("error", "value")

    def __init__(self, value, error=0.0):
        self.value = numpy.asarray(value)
        assert self.value.dtype in (numpy.float64, numpy.int64, numpy.bool_), self.value.dtype
        self.error = numpy.broadcast_to(numpy.asarray(error, numpy.float64), self.value.shape)

    @property
    def shape(self):
        return self.value.shape

    @property
    def is_float(self):
        return self.value.dtype == numpy.float64


def quiet(function):
    """Overflow and NaN are results like others."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        with numpy.errstate(all="ignore"):
            return function(*args, **kwargs)

    return wrapped


def each(function, *values):
    """A function that moves elements, applied to values and to errors."""
    return Bounded(
        function(*(v.value for v in values)), function(*(numpy.asarray(v.error) for v in values))
    )


@quiet
def settle(value, error):
    """Overflow is infinity, of which there is no error; what nothing bounds is uncertain."""
    value = numpy.where(numpy.abs(value) > LARGEST, numpy.copysign(numpy.inf, value), value)
    error = numpy.where(numpy.isnan(error), numpy.inf, error)
    return Bounded(value, numpy.where(numpy.isfinite(value), error, 0.0))


@quiet
def rounded(value, error, units=1):
    """A result after `units` roundings; none where operands and result are f32 numbers."""
    fits = (error == 0) & (value.astype(numpy.float32) == value)
    largest = numpy.abs(value) + error
    own = units * (U * largest + numpy.where(largest < 2.0**-100, LEAST, 0.0))
    return settle(value, numpy.where(fits, 0.0, error + own))


def whole(value, *operands):
    """Integers or truths, certain where all operands are."""
    error = sum((numpy.asarray(v.error) for v in operands), numpy.zeros(value.shape))
    return Bounded(value, numpy.where(error > 0, numpy.inf, 0.0))


@quiet
def narrowed(x, element):
    """A result in single precision, rounded to a narrower float.

    Most errors are lost in that; those that reach past the middle of two floats grow.
    """
    value = elements.nearest(x.value, element)
    moved = [
        numpy.abs(elements.nearest(x.value + side * x.error, element) - value) for side in (-1, 1)
    ]
    error = numpy.maximum(*moved)
    error = numpy.where(numpy.isnan(error), numpy.inf, error)
    return Bounded(value, numpy.where(x.error > 0, error, 0.0))


def stored(x, element):
    """What memory keeps of a result."""
    assert x.value.dtype == elements.kind_of(element), (x.value.dtype, element)
    if element in elements.INTEGERS:
        return Bounded(elements.wrap(x.value, element), x.error)
    return narrowed(x, element) if element in ("bf16", "f16") else x


# ---- Elementwise


@quiet
def add(x, y):
    if not x.is_float:
        return whole(x.value + y.value, x, y)
    return rounded(x.value + y.value, x.error + y.error)


@quiet
def subtract(x, y):
    if not x.is_float:
        return whole(x.value - y.value, x, y)
    return rounded(x.value - y.value, x.error + y.error)


@quiet
def multiply(x, y):
    if not x.is_float:
        return whole(x.value * y.value, x, y)
    error = numpy.abs(x.value) * y.error + x.error * numpy.abs(y.value) + x.error * y.error
    return rounded(x.value * y.value, error)


@quiet
def divide(x, y, units=1):
    value = x.value / y.value
    room = numpy.abs(y.value) - y.error
    error = (x.error + numpy.abs(value) * y.error) / room
    certain = (x.error == 0) & (y.error == 0)
    error = numpy.where(certain, 0.0, numpy.where(room > 0, error, numpy.inf))
    return rounded(value, error, units)


@quiet
def extremum(function, x, y):
    """numpy.maximum or minimum, which keep NaN."""
    if not x.is_float:
        return whole(function(x.value, y.value), x, y)
    value = function(x.value, y.value)
    certain = numpy.abs(x.value - y.value) > x.error + y.error
    chosen = numpy.where(value == x.value, x.error, y.error)
    return settle(value, numpy.where(certain, chosen, numpy.maximum(x.error, y.error)))


@quiet
def function(f, x, units=MATH_UNITS):
    """f(x) for a function without jumps, monotone as far as the error of x reaches."""
    value = f(x.value)
    moved = [numpy.abs(f(x.value + side * x.error) - value) for side in (-1, 1)]
    error = numpy.where(x.error > 0, numpy.maximum(*moved), 0.0)
    if units == 0:
        return settle(value, error)
    # Functions are polynomials, which no result need meet exactly.
    own = units * (U * (numpy.abs(value) + error) + LEAST)
    return settle(value, error + own)


@quiet
def step(f, x):
    """f(x) for a function that is exact but has jumps, such as floor."""
    value = f(x.value)
    moved = [numpy.abs(f(x.value + side * x.error) - value) for side in (-1, 1)]
    return settle(value, numpy.where(x.error > 0, numpy.maximum(*moved), 0.0))


# ---- Choices


@quiet
def compare(relation, x, y):
    if not x.is_float:
        return whole(relation(x.value, y.value), x, y)
    near = numpy.abs(x.value - y.value) <= x.error + y.error
    certain = ((x.error == 0) & (y.error == 0)) | ~near
    return Bounded(relation(x.value, y.value), numpy.where(certain, 0.0, numpy.inf))


@quiet
def select(condition, x, y):
    value = numpy.where(condition.value, x.value, y.value)
    chosen = numpy.where(condition.value, x.error, y.error)
    if x.is_float:
        either = numpy.abs(x.value - y.value) + numpy.maximum(x.error, y.error)
    else:
        either = numpy.where(x.value == y.value, numpy.maximum(x.error, y.error), numpy.inf)
    return Bounded(value, numpy.where(condition.error > 0, either, chosen))


# ---- Reductions


@quiet
def total(x, axes, keep=True):
    """The sum over axes."""
    value = x.value.sum(axis=axes, keepdims=keep)
    error = x.error.sum(axis=axes, keepdims=keep)
    if not x.is_float:
        return whole(value, Bounded(value, error))
    count = x.value.size // max(value.size, 1)
    magnitude = (numpy.abs(x.value) + x.error).sum(axis=axes, keepdims=keep)
    # Sums of small whole numbers round nothing.
    integral = (x.value == numpy.rint(x.value)).all(axis=axes, keepdims=keep)
    fits = integral & (error == 0) & (magnitude < 2**24)
    return settle(value, numpy.where(fits, 0.0, error + count * (U * magnitude + LEAST)))


def fold(function_of_two, x, axes, keep=True):
    """A reduction made of an operation on two values, element after element."""
    rank = len(x.shape)
    others = [axis for axis in range(rank) if axis not in axes]
    count = numpy.prod([x.shape[axis] for axis in axes], dtype=int)

    def flatten(array):
        moved = numpy.transpose(array, [*axes, *others])
        return moved.reshape((count,) + moved.shape[len(axes) :])

    values, errors = flatten(x.value), flatten(x.error)
    parts = (Bounded(v, e) for v, e in zip(values, errors))
    result = functools.reduce(function_of_two, parts)
    if not keep:
        return result
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape))
    return each(lambda array: array.reshape(shape), result)


@quiet
def matrix_product(a, b):
    value = a.value @ b.value
    if not a.is_float:
        error = (a.error > 0).astype(float) @ numpy.ones(b.shape) + numpy.ones(a.shape) @ (
            b.error > 0
        ).astype(float)
        return whole(value, Bounded(value, error))
    depth = a.shape[-1]
    size_a, size_b = numpy.abs(a.value), numpy.abs(b.value)
    magnitude = (size_a + a.error) @ (size_b + b.error)
    error = a.error @ (size_b + b.error) + size_a @ b.error
    return settle(value, error + depth * (U * magnitude + LEAST))
