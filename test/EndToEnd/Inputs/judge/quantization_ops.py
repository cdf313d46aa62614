# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of QuantizationOps.td."""
import numpy

from . import elements
from .bounded import Bounded, divide, each, fused, moved, multiply, quiet, stored
from .program import Node, Op
from .tensors import Type

CODES, SCALES = ("i8", "ui8"), ("f32", "bf16", "f16")
LARGEST = {"f32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38, "f16": 65504.0}


class Dequantize(Op):
    def __init__(self, axis, has_zeros, has_minimums):
        self.axis, self.has_zeros, self.has_minimums = axis, has_zeros, has_minimums

    def results(self, codes, *_):
        return [Type(codes.sizes, "f32")]

    def text(self, names, types, results):
        zeros = f" zeros({names[2]} : {types[2]})" if self.has_zeros else ""
        minimums = f" minimums({names[-1]} : {types[-1]})" if self.has_minimums else ""
        return (
            f"heddle.dequantize {names[0]}, {names[1]}{zeros}{minimums} axis({self.axis})"
            f" : {types[0]}, {types[1]} -> {results[0]}"
        )

    def compute(self, symbols, codes, scales, *offsets):
        group = codes.shape[self.axis] // scales.shape[self.axis]
        of_group = lambda v: each(lambda a: numpy.repeat(a, group, self.axis), v)  # noqa: E731
        difference, error = codes.value.astype(numpy.int64), codes.error
        if self.has_zeros:
            zeros = of_group(offsets[0])
            difference = difference - zeros.value.astype(numpy.int64)
            error = numpy.maximum(error, zeros.error)
        factor = Bounded(difference.astype(numpy.float64), error)
        if not self.has_minimums:
            return multiply(factor, of_group(scales))
        minimums = of_group(offsets[-1])
        return fused(factor, of_group(scales), Bounded(-minimums.value, minimums.error))


class Quantize(Op):
    """Of weights it is computed when they are packed, in double precision; `fitted` is
    least_squares, which only those have."""

    def __init__(self, axis, group, scales, bits=8, of_weights=False, fitted=False):
        self.axis, self.group, self.scales, self.bits = axis, group, scales, bits
        self.of_weights, self.fitted = of_weights, fitted
        self.largest = 2 ** (bits - 1) - 1
        self.lowest = -self.largest - fitted

    def results(self, x):
        groups = x.sizes[self.axis] // self.group
        return [x.of(f"i{self.bits}"), x.but(self.axis, groups).of(self.scales)]

    def text(self, names, types, results):
        fitted = " least_squares" if self.fitted else ""
        return (
            f"heddle.quantize {names[0]} axis({self.axis}) group({self.group}){fitted}"
            f" : {types[0]} -> {results[0]}, {results[1]}"
        )

    @quiet
    def compute(self, symbols, x):
        axis, group = self.axis, self.group
        shape = (*x.shape[:axis], x.shape[axis] // group, group, *x.shape[axis + 1 :])
        if self.of_weights:
            return self.exact(x.value.reshape(shape), x.shape)
        largest = numpy.abs(x.value).reshape(shape).max(axis + 1)
        error = x.error.reshape(shape).max(axis + 1)
        exact = divide(Bounded(largest, error), Bounded(numpy.float64(self.largest)))
        limit = numpy.minimum(exact.value, LARGEST[self.scales])
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

    def exact(self, groups, shape):
        """Of numbers [.., groups, group, ..] that are known."""
        place = self.axis + 1
        scales = (
            self.fit(numpy.moveaxis(groups, place, 0))
            if self.fitted
            else numpy.abs(groups).max(place) / self.largest
        )
        scales = elements.nearest(scales, self.scales)
        of_group = numpy.expand_dims(scales, place)
        quotient = (groups / of_group).astype(numpy.float32).astype(numpy.float64)
        return [Bounded(self.code(quotient, of_group).reshape(shape)), Bounded(scales)]

    def fit(self, x):
        """The scales of least squares, of elements that stand first."""
        first = numpy.abs(x).argmax(0)
        most = numpy.take_along_axis(x, first[None], 0)[0]
        best, gain = numpy.zeros_like(most), numpy.zeros_like(most)
        for i in range(-9, 10):
            candidate = most / -(self.largest + 1 + i / 10)
            products, squares = numpy.zeros_like(most), numpy.zeros_like(most)
            for element in x:
                code = self.code(element / candidate, candidate).astype(numpy.float64)
                products += element * code
                squares += code * code
            found = numpy.nan_to_num(products * products / squares)
            best = numpy.where(found > gain, products / squares, best)
            gain = numpy.maximum(gain, found)
        return best

    def code(self, quotient, scale):
        code = numpy.clip(numpy.rint(quotient), self.lowest, self.largest)
        return numpy.where((scale == 0) | numpy.isnan(code), 0, code).astype(numpy.int64)


class Unpack(Op):
    def __init__(self, axis, bits, offset, count, element):
        self.axis, self.bits, self.offset = axis, bits, offset
        self.count, self.element = count, element

    def results(self, words):
        return [words.but(self.axis, self.count).of(self.element)]

    def text(self, names, types, results):
        offset = f" offset({self.offset})" if self.offset else ""
        return (
            f"heddle.unpack {names[0]} axis({self.axis}) bits({self.bits}){offset}"
            f" : {types[0]} -> {results[0]}"
        )

    def compute(self, symbols, words):
        rows = numpy.moveaxis(words.value.astype(numpy.int64), self.axis, -1)
        bits = (rows[..., None] >> numpy.arange(32)) & 1
        bits = bits.reshape(*rows.shape[:-1], -1)[..., : self.count * self.bits]
        bits = bits.reshape(*rows.shape[:-1], self.count, self.bits)
        integers = (bits << numpy.arange(self.bits)).sum(-1) + self.offset
        return Bounded(numpy.moveaxis(integers, -1, self.axis))


class OffsetBinary(Op):
    def __init__(self, element):
        self.element = element

    def results(self, codes):
        return [codes.of("u" + codes.element)]

    def text(self, names, types, results):
        return f"heddle.offset_binary {names[0]} : {types[0]} -> {results[0]}"

    def compute(self, symbols, codes):
        lowest = {"i4": 8, "i8": 128}[self.element]
        return Bounded(codes.value.astype(numpy.int64) + lowest, codes.error)


# ---- Weights that are decoded


def hidden(b, op, *operands):
    """The results of an op that no others than those given them may use."""
    results = [b.fresh(type_) for type_ in op.results(*(v.type for v in operands))]
    node = Node(op, list(operands), results)
    b.block.nodes.append(node)
    for value, result in zip(results, op.run(node, b.known, b.symbols)):
        b.known[value.number] = result
    return results


def decoded(b, sizes, weight, axis=None):
    """A matrix of integers and scales, which packing makes of `weight(type, array)` of the
    module, or finds in words."""
    if axis is None:
        axis = b.random.randrange(len(sizes))
    size = sizes[axis]
    group = b.random.choice([count for count in range(1, size + 1) if size % count == 0])
    generator = numpy.random.default_rng([b.random.getrandbits(32)])
    groups = Type(tuple(sizes)).but(axis, size // group)
    zeros = []
    if b.random.random() < 0.6:
        array = (generator.standard_normal(sizes) * sizes[-1] ** -0.5).astype("f4")
        array *= generator.random(sizes) > 0.1
        bits, fitted = b.random.choice((4, 8)), b.random.random() < 0.5
        op = Quantize(axis, group, b.random.choice(SCALES), bits, True, fitted)
        codes, scales = hidden(b, op, weight(Type(tuple(sizes)), array))
    else:
        bits = b.random.choice((1, 2, 3, 4, 5, 8))

        def unpacked(count, offset):
            words = list(sizes)
            words[axis] = -(-count * bits // 32)
            array = generator.integers(-(2**31), 2**31, words).astype("i4")
            of_words = weight(Type(tuple(words), "i32"), array)
            wide = bits + (offset > 0)
            element = f"i{4 if wide <= 4 else 8 if wide <= 8 else 16}"
            if offset >= 0 and wide <= 8:
                element = "u" + element
            return hidden(b, Unpack(axis, bits, offset, count, element), of_words)[0]

        codes = unpacked(size, b.random.choice((0, -(2 ** (bits - 1)))))
        array = generator.uniform(0.5, 1.5, groups.sizes) / 2**bits * sizes[-1] ** -0.5
        scales = weight(groups, array.astype("f4"))
        if b.random.random() < 0.6:
            zeros = [unpacked(size // group, b.random.choice((0, 1)))]
    if codes.type.element in ("i4", "i8") and b.random.random() < 0.3:
        codes = hidden(b, OffsetBinary(codes.type.element), codes)[0]
    minimums = []
    if b.random.random() < 0.3:
        array = generator.uniform(-0.5, 0.5, groups.sizes) * sizes[-1] ** -0.5
        minimums = [weight(groups, array.astype("f4"))]
    op = Dequantize(axis, bool(zeros), bool(minimums))
    return b.emit(op, codes, scales, *zeros, *minimums)[0]


def as_integers(b, x):
    """The value as integers with scales, decoded: their products with a matrix that is decoded may
    be those of integers."""
    axis, channels = x.type.rank - 1, x.type.sizes[-1]
    group = b.random.choice([count for count in range(1, channels + 1) if channels % count == 0])
    bits = b.random.choice((8, 16))
    codes, scales = b.emit(Quantize(axis, group, "f32", bits), x)
    return b.emit(Dequantize(axis, False, False), codes, scales)[0]


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
    has_minimums = b.random.random() < 0.3
    if has_minimums:
        operands.append(b.operand(of_group.of(b.random.choice(SCALES))))
    return b.emit(Dequantize(axis, has_zeros, has_minimums), *operands)


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
