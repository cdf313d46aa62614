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

Numbers of f64 are computed with more bits than they have (numpy.longdouble), and their U is
2^-53.

The error 0 means that there is nothing to round, so that compiled code must have this very
number, zeros with their signs; EITHER, that the sign of a zero may be either, as that of a sum
of zeros; infinity, that nothing is known, as of an index that hangs on a rounding, or of a
number that may overflow or not. Integers and truths are certain (0) or not (infinity). NaN and
infinities are to be met exactly, but where the error is infinite.
"""
import functools

import numpy

from . import elements

U = 2.0**-24
# The same of f64.
U_DOUBLE = 2.0**-53
# compiler/Reference/MathErrors.h, where each figure is measured, has none above 7.
MATH_UNITS = 8
# Below 2^-126 numbers are multiples of 2^-149, and some processors make them 0.
LEAST = 2.0**-126
# From half a unit above the largest number on, rounding gives infinity.
OVERFLOW = float(numpy.finfo(numpy.float32).max) + 2.0**103
OVERFLOW_DOUBLE = numpy.longdouble(numpy.finfo(numpy.float64).max) + numpy.ldexp(
    numpy.longdouble(1), 970
)
EITHER = 2.0**-1000


KINDS = (numpy.float64, numpy.longdouble, numpy.int64, numpy.uint64, numpy.bool_)


class Bounded:
    __slots__ = ("error", "value")

    def __init__(self, value, error=0.0):
        self.value = numpy.asarray(value)
        assert self.value.dtype in KINDS, self.value.dtype
        self.error = numpy.broadcast_to(numpy.asarray(error, numpy.float64), self.value.shape)

    @property
    def shape(self):
        return self.value.shape

    @property
    def is_float(self):
        return self.value.dtype.kind == "f"


def is_double(value):
    return value.dtype == numpy.longdouble


def unit(value):
    return U_DOUBLE if is_double(value) else U


def overflow(value):
    return OVERFLOW_DOUBLE if is_double(value) else OVERFLOW


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
def settle(value, error, uncertain=False):
    """What overflows is infinite, for certain where all numbers within the error do.

    Infinities and NaN that operands give are certain, but where these may be anything.
    """
    error = numpy.where(numpy.isnan(error), numpy.inf, error)
    finite, size, most = numpy.isfinite(value), numpy.abs(value), overflow(value)
    bound = numpy.where(size + error >= most, numpy.inf, error)
    bound = numpy.where(size - error >= most, 0.0, bound)
    bound = numpy.where(finite, bound, 0.0)
    value = numpy.where(finite & (size >= most), numpy.copysign(numpy.inf, value), value)
    return Bounded(value, numpy.where(uncertain, numpy.inf, bound))


@quiet
def rounded(value, error, units=1, uncertain=False):
    """A result after `units` roundings; none where operands and result are f32 numbers."""
    memory = numpy.float64 if is_double(value) else numpy.float32
    fits = (error == 0) & (value.astype(memory) == value)
    largest = numpy.abs(value) + error
    own = units * (unit(value) * largest + numpy.where(largest < 2.0**-100, LEAST, 0.0))
    # One rounding takes no number in range out of it.
    result = settle(value, error if units == 1 else error + own, uncertain)
    kept = fits | ~numpy.isfinite(result.value) | ~numpy.isfinite(result.error)
    return Bounded(result.value, numpy.where(kept, result.error, error + own))


def may_be_anything(*operands):
    return functools.reduce(numpy.logical_or, (numpy.isinf(v.error) for v in operands))


def moved(x, side):
    """What the value may be at one side of it."""
    sign = (x.value == 0) & (x.error <= EITHER)
    return numpy.where(sign, numpy.copysign(0.0, side), x.value + side * x.error)


def difference(value, other):
    """How far two results are apart; EITHER where they are zeros of both signs."""
    apart = numpy.abs(other - value)
    apart = numpy.where(other == value, 0.0, apart)
    apart = numpy.where(numpy.isnan(other) & numpy.isnan(value), 0.0, apart)
    signs = (other == value) & (numpy.signbit(other) != numpy.signbit(value))
    return numpy.where(signs, EITHER, numpy.where(numpy.isnan(apart), numpy.inf, apart))


def spread(f, x):
    """How far f may be from f(x) for the error of x."""
    value = f(x.value)
    largest = numpy.maximum(*(difference(value, f(moved(x, side))) for side in (-1, 1)))
    return value, numpy.where(x.error > 0, largest, 0.0)


def whole(value, *operands):
    """Integers or truths, certain where all operands are."""
    error = sum((numpy.asarray(v.error) for v in operands), numpy.zeros(value.shape))
    return Bounded(value, numpy.where(error > 0, numpy.inf, 0.0))


@quiet
def narrowed(x, element):
    """A result in single precision, rounded to a narrower float.

    Most errors are lost in that; those that reach past the middle of two floats grow.
    """
    value, error = spread(lambda v: elements.nearest(v, element), x)
    return Bounded(value, numpy.where(numpy.isinf(x.error), numpy.inf, error))


def stored(x, element):
    """What memory keeps of a result."""
    if element in elements.NARROW:
        x = narrowed(x, element)
        return Bounded(x.value.astype(elements.kind_of(element)), x.error)
    assert x.value.dtype == elements.kind_of(element), (x.value.dtype, element)
    if element in elements.INTEGERS:
        return Bounded(elements.wrap(x.value, element), x.error)
    return x


# ---- Elementwise


@quiet
def add(x, y):
    if not x.is_float:
        return whole(x.value + y.value, x, y)
    return rounded(x.value + y.value, x.error + y.error, uncertain=may_be_anything(x, y))


@quiet
def subtract(x, y):
    if not x.is_float:
        return whole(x.value - y.value, x, y)
    return rounded(x.value - y.value, x.error + y.error, uncertain=may_be_anything(x, y))


@quiet
def multiply(x, y):
    if not x.is_float:
        return whole(x.value * y.value, x, y)
    error = numpy.abs(x.value) * y.error + x.error * numpy.abs(y.value) + x.error * y.error
    error = numpy.where((x.error == 0) & (y.error == 0), 0.0, error)
    return rounded(x.value * y.value, error, uncertain=may_be_anything(x, y))


@quiet
def fused(x, y, z):
    """x * y + z: nobody knows whether the product is rounded by itself, and overflows."""
    result = add(multiply(x, y), z)
    product = x.value * y.value
    overflows = numpy.isfinite(product) & (numpy.abs(product) >= overflow(product))
    return Bounded(result.value, numpy.where(overflows, numpy.inf, result.error))


@quiet
def divide(x, y, units=1):
    value = x.value / y.value
    room = numpy.abs(y.value) - y.error
    error = (x.error + numpy.abs(value) * y.error) / room
    certain = (x.error == 0) & (y.error == 0)
    error = numpy.where(certain, 0.0, numpy.where(room > 0, error, numpy.inf))
    # What may be 0 may make it anything.
    uncertain = may_be_anything(x, y) | ((y.error > 0) & ~(room > 0))
    return rounded(value, error, units, uncertain)


def at_zero(function, x, y):
    """numpy.maximum or minimum of zeros, of which the positive one is larger."""
    both, either = numpy.signbit(x) & numpy.signbit(y), numpy.signbit(x) | numpy.signbit(y)
    negative = both if function is numpy.maximum else either
    return numpy.copysign(0.0, numpy.where(negative, -1.0, 1.0))


@quiet
def extremum(function, x, y):
    """numpy.maximum or minimum, which keep NaN."""
    if not x.is_float:
        return whole(function(x.value, y.value), x, y)
    value = function(x.value, y.value)
    zeros = (x.value == 0) & (y.value == 0)
    value = numpy.where(zeros, at_zero(function, x.value, y.value), value)
    certain = numpy.abs(x.value - y.value) > x.error + y.error
    chosen = numpy.where(value == x.value, x.error, y.error)
    error = numpy.where(certain, chosen, numpy.maximum(x.error, y.error))
    return settle(value, error, may_be_anything(x, y))


@quiet
def function(f, x, units=MATH_UNITS):
    """f(x) for a function without jumps, monotone as far as the error of x reaches."""
    value, error = spread(f, x)
    value = value.astype(x.value.dtype)
    if units == 0:
        return settle(value, error, may_be_anything(x))
    # Functions are polynomials, which no result need meet exactly but 0 at 0.
    own = units * (unit(value) * (numpy.abs(value) + error) + LEAST)
    own = numpy.where((x.value == 0) & (x.error == 0) & (value == 0), 0.0, own)
    return settle(value, error + own, may_be_anything(x))


@quiet
def step(f, x):
    """f(x) for a function that is exact but has jumps, such as floor."""
    return settle(*spread(f, x), may_be_anything(x))


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
    sizes = numpy.where(numpy.isfinite(x.value), numpy.abs(x.value) + x.error, 0.0)
    magnitude = sizes.sum(axis=axes, keepdims=keep)
    # Sums of small whole numbers round nothing, but which sign 0 has depends on their order.
    integral = (x.value == numpy.rint(x.value)).all(axis=axes, keepdims=keep)
    fits = integral & (error == 0) & (magnitude < 1 / unit(value))
    own = numpy.where(value == 0, EITHER, 0.0)
    return of_terms(value, numpy.where(fits, own, error + count * (unit(value) * magnitude + LEAST)),
                    magnitude, numpy.isinf(error))  # fmt: skip


def of_terms(value, error, magnitude, uncertain):
    """A sum whose terms have a magnitude together: it may overflow on the way.

    Where only terms of one sign can, it either does for good or has the sum.
    """
    other = (magnitude - numpy.abs(value)) / 2
    most = overflow(value)
    sure = (numpy.abs(value) - error >= most) & (other + error < most)
    return settle(value, error, uncertain | ((magnitude + error >= most) & ~sure))


def fold(function_of_two, x, axes, initial, keep=True):
    """A reduction made of an operation on two values, element after element; `initial`, a
    Bounded number, where there is no element."""
    rank = len(x.shape)
    others = [axis for axis in range(rank) if axis not in axes]
    count = numpy.prod([x.shape[axis] for axis in axes], dtype=int)

    def flatten(array):
        moved = numpy.transpose(array, [*axes, *others])
        return moved.reshape((count,) + moved.shape[len(axes) :])

    values, errors = flatten(x.value), flatten(x.error)
    parts = (Bounded(v, e) for v, e in zip(values, errors))
    empty = each(lambda array: numpy.full(values.shape[1:], array), initial)
    result = functools.reduce(function_of_two, parts) if count else empty
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
    return of_terms(value, error + depth * (unit(value) * magnitude + LEAST), magnitude,
                    numpy.isinf(error))  # fmt: skip
