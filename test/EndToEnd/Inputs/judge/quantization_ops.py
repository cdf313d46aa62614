# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of QuantizationOps.td."""
import numpy

from .bounded import Bounded, divide, each, moved, multiply, quiet, stored
from .program import Op
from .tensors import Type

CODES, SCALES = ("i8", "ui8"), ("f32", "bf16", "f16")


class Dequantize(Op):
    def __init__(self, axis, has_zeros):
        self.axis, self.has_zeros = axis, has_zeros

    def results(self, codes, *_):
        return [Type(codes.sizes, "f32")]

    def text(self, names, types, results):
        zeros = f" zeros({names[2]} : {types[2]})" if self.has_zeros else ""
        return (
            f"heddle.dequantize {names[0]}, {names[1]}{zeros} axis({self.axis})"
            f" : {types[0]}, {types[1]} -> {results[0]}"
        )

    def compute(self, symbols, codes, scales, zeros=None):
        group = codes.shape[self.axis] // scales.shape[self.axis]
        of_group = lambda v: each(lambda a: numpy.repeat(a, group, self.axis), v)  # noqa: E731
        difference, error = codes.value.astype(numpy.int64), codes.error
        if self.has_zeros:
            zeros = of_group(zeros)
            difference = difference - zeros.value.astype(numpy.int64)
            error = numpy.maximum(error, zeros.error)
        factor = Bounded(difference.astype(numpy.float64), error)
        return multiply(factor, of_group(scales))


class Quantize(Op):
    LARGEST = 127

    def __init__(self, axis, group, scales):
        self.axis, self.group, self.scales = axis, group, scales

    def results(self, x):
        groups = x.sizes[self.axis] // self.group
        return [x.of("i8"), x.but(self.axis, groups).of(self.scales)]

    def text(self, names, types, results):
        return (
            f"heddle.quantize {names[0]} axis({self.axis}) group({self.group})"
            f" : {types[0]} -> {results[0]}, {results[1]}"
        )

    @quiet
    def compute(self, symbols, x):
        axis, group = self.axis, self.group
        shape = (*x.shape[:axis], x.shape[axis] // group, group, *x.shape[axis + 1 :])
        largest = numpy.abs(x.value).reshape(shape).max(axis + 1)
        error = x.error.reshape(shape).max(axis + 1)
        exact = divide(Bounded(largest, error), Bounded(numpy.float64(self.LARGEST)))
        most = {"f32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38, "f16": 65504.0}
        limit = numpy.minimum(exact.value, most[self.scales])
        exact = Bounded(numpy.where(numpy.isinf(exact.value), exact.value, limit), exact.error)
        scales = stored(exact, self.scales)
        scales = Bounded(scales.value.astype(numpy.float64), scales.error)
        of_group = each(lambda a: numpy.repeat(a, group, axis), scales)
        quotient = divide(x, of_group)
        code = self.code(quotient.value, of_group.value)
        # A quotient that may be on the other side of a half may be another code.
        sides = [self.code(moved(quotient, side), of_group.value) for side in (-1, 1)]
        certain = (sides[0] == code) & (sides[1] == code) & numpy.isfinite(quotient.error)
        certain |= (of_group.value == 0) & (of_group.error == 0)
        return [Bounded(code, numpy.where(certain, 0.0, numpy.inf)), exact]

    def code(self, quotient, scale):
        code = numpy.clip(numpy.rint(quotient), -self.LARGEST, self.LARGEST)
        return numpy.where((scale == 0) | numpy.isnan(code), 0, code).astype(numpy.int64)


# ---- One of each, on a given value


def dequantize(b, x):
    """Codes of the value's sizes, but for one that is in groups; or the value, where it can be."""
    b.require(x.type.rank > 0)
    axis = b.random.randrange(x.type.rank)
    group, groups = b.random.choice((1, 2, 5, 16, 32)), b.random.choice((1, 1, 2, 3))
    size = x.type.sizes[axis]
    if x.type.element in CODES and isinstance(size, int) and size > 0:
        groups = b.random.choice([count for count in range(1, size + 1) if size % count == 0])
    else:
        x = b.operand(x.type.but(axis, group * groups).of(b.random.choice(CODES)))
    of_group = x.type.but(axis, groups)
    operands = [x, b.operand(of_group.of(b.random.choice(SCALES)))]
    has_zeros = b.random.random() < 0.4
    if has_zeros:
        operands.append(b.operand(of_group))
    return b.emit(Dequantize(axis, has_zeros), *operands)


def quantize(b, x):
    """Of the value where it has a size that is known, or else of one that has."""
    b.require(x.type.rank > 0)
    axis = b.random.randrange(x.type.rank)
    size = x.type.sizes[axis]
    if x.type.element not in SCALES or not isinstance(size, int) or size < 1:
        size = b.random.choice((1, 6, 32, 64))
        x = b.operand(x.type.but(axis, size).of(b.random.choice(SCALES)))
    group = b.random.choice([count for count in range(1, size + 1) if size % count == 0])
    return b.emit(Quantize(axis, group, b.random.choice(SCALES)), x)


PROPOSALS = {"dequantize": dequantize, "quantize": quantize}
