# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of arith and math on tensors, and their constants."""
import math
import operator

import numpy

from . import bounded, elements
from .bounded import Bounded
from .program import Op
from .shape_ops import BroadcastTensors, partner_of
from .tensors import Type


class Constant(Op):
    """One number everywhere."""

    def __init__(self, type_, number):
        self.type, self.number = type_, number

    def results(self):
        return [self.type]

    def text(self, names, types, results):
        return f"arith.constant {elements.dense(self.number, self.type.element)} : {self.type}"

    def compute(self, symbols):
        kind = elements.kind_of(self.type.element)
        return Bounded(numpy.full(self.type.shape(symbols), self.number, kind))


class Elementwise(Op):
    """An op of operands and a result of one type."""

    def __init__(self, mnemonic, formula):
        self.mnemonic, self.formula = mnemonic, formula

    def results(self, *types):
        return [types[0]]

    def text(self, names, types, results):
        return f"{self.mnemonic} {', '.join(names)} : {types[0]}"

    def compute(self, symbols, *operands):
        return self.formula(*operands)


class Pair(Elementwise):
    """One of two results; `second` is the element type of the other where it is another."""

    def __init__(self, mnemonic, formula, second=None):
        super().__init__(mnemonic, formula)
        self.second = second

    def results(self, *types):
        return [types[0], types[0].of(self.second) if self.second else types[0]]

    def text(self, names, types, results):
        second = f", {results[1]}" if self.second else ""
        return f"{self.mnemonic} {', '.join(names)} : {types[0]}{second}"


class Compare(Elementwise):
    def results(self, *types):
        return [types[0].of("i1")]


class Select(Op):
    def results(self, condition, x, y):
        return [x]

    def text(self, names, types, results):
        return f"arith.select {', '.join(names)} : {types[0]}, {types[1]}"

    def compute(self, symbols, condition, x, y):
        return bounded.select(condition, x, y)


class ToFloat(Op):
    def results(self, x):
        return [x.of("f32")]

    def text(self, names, types, results):
        return f"arith.sitofp {names[0]} : {types[0]} to {results[0]}"

    def compute(self, symbols, x):
        return Bounded(x.value.astype(numpy.float32).astype(numpy.float64), x.error)


def exact(f):
    return lambda x: bounded.function(f, x, units=0)


def smooth(f):
    return lambda x: bounded.function(f, x)


def jumps(f):
    return lambda x: bounded.step(f, x)


def largest(x, y):
    return bounded.extremum(numpy.maximum, x, y)


def smallest(x, y):
    return bounded.extremum(numpy.minimum, x, y)


def away_from_zero(x):
    return numpy.copysign(numpy.floor(numpy.abs(x) + 0.5), x)


def periodic(f):
    """A sine or cosine, of which nothing is known for a large argument but its range."""

    def formula(x):
        result = bounded.function(f, x)
        large = numpy.isfinite(x.value) & (numpy.abs(x.value) > 1e5)
        return Bounded(result.value, numpy.where(large, 2.0, result.error))

    return formula


def integers(f):
    return lambda *x: bounded.whole(f(*(v.value for v in x)), *x)


def quotient(x, y):
    """Rounded towards 0; the smallest integer has no magnitude."""
    down = x // y
    return down + ((down * y != x) & ((x < 0) != (y < 0)))


def unsigned(f):
    """f of integers without a sign: upper bits that repeat the sign change no order."""
    return lambda *x: f(*(v.view(numpy.uint64) for v in x))


def of_bits(f):
    """f(x, .., width): of the bits of a type of integers, as numbers without a sign."""

    def formula(element):
        width = elements.INTEGERS[element]
        mask = numpy.uint64(2**width - 1)
        cut = lambda *x: f(*(v & mask for v in x), width).astype(numpy.int64)  # noqa: E731
        return integers(unsigned(cut))

    return formula


def ones(x, width):
    return sum((x >> numpy.uint64(bit)) & numpy.uint64(1) for bit in range(width))


def leading_zeros(x, width):
    return sum(((x >> numpy.uint64(bit)) == 0).astype(numpy.int64) for bit in range(width))


def wide(f, is_signed):
    """The halves of f(x, y), of integers of twice the width, which Python has."""

    def formula(element):
        width = elements.INTEGERS[element]
        lower = 0 if is_signed else 2**width - 1
        number = lambda v: int(v) if is_signed else int(v) & lower  # noqa: E731
        signed = lambda v: (v + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)  # noqa: E731
        each = lambda part, kind: integers(  # noqa: E731
            numpy.vectorize(lambda x, y: part(f(number(x), number(y))), otypes=[kind])
        )
        upper = numpy.bool_ if f is operator.add else numpy.int64
        halves = each(signed, numpy.int64), each(lambda v: signed(v >> width), upper)
        return lambda *x: [half(*x) for half in halves]

    return formula


FLOAT_UNARY = {
    "arith.negf": exact(numpy.negative), "math.absf": exact(numpy.abs),
    "math.exp": smooth(numpy.exp), "math.exp2": smooth(numpy.exp2),
    "math.expm1": smooth(numpy.expm1), "math.tanh": smooth(numpy.tanh),
    "math.sin": periodic(numpy.sin), "math.cos": periodic(numpy.cos),
    "math.atan": smooth(numpy.arctan), "math.asinh": smooth(numpy.arcsinh),
    "math.cbrt": smooth(numpy.cbrt), "math.erf": smooth(numpy.vectorize(math.erf, "d")),
    "math.floor": jumps(numpy.floor), "math.ceil": jumps(numpy.ceil),
    "math.trunc": jumps(numpy.trunc), "math.roundeven": jumps(numpy.rint),
    "math.round": jumps(away_from_zero),
}  # fmt: skip
POSITIVE_UNARY = {
    "math.log": smooth(numpy.log), "math.log2": smooth(numpy.log2),
    "math.log1p": smooth(numpy.log1p), "math.sqrt": smooth(numpy.sqrt),
    "math.rsqrt": smooth(lambda x: 1 / numpy.sqrt(x)),
}  # fmt: skip
FLOAT_BINARY = {
    "arith.addf": bounded.add, "arith.subf": bounded.subtract, "arith.mulf": bounded.multiply,
    "arith.divf": bounded.divide, "arith.maximumf": largest, "arith.minimumf": smallest,
}  # fmt: skip
INTEGER_BINARY = {
    "arith.addi": bounded.add, "arith.subi": bounded.subtract, "arith.muli": bounded.multiply,
    "arith.maxsi": integers(numpy.maximum), "arith.minsi": integers(numpy.minimum),
    "arith.andi": integers(numpy.bitwise_and), "arith.ori": integers(numpy.bitwise_or),
    "arith.xori": integers(numpy.bitwise_xor),
}  # fmt: skip
TRUTH_BINARY = {name: INTEGER_BINARY[name] for name in ("arith.andi", "arith.ori", "arith.xori")}
INTEGER_UNARY = {
    "math.ctpop": of_bits(ones), "math.ctlz": of_bits(leading_zeros),
    "math.absi": lambda element: integers(numpy.abs),
}  # fmt: skip
UNSIGNED_BINARY = {
    "arith.divui": of_bits(lambda x, y, width: x // y),
    "arith.remui": of_bits(lambda x, y, width: x % y),
    "arith.minui": of_bits(lambda x, y, width: numpy.minimum(x, y)),
    "arith.maxui": of_bits(lambda x, y, width: numpy.maximum(x, y)),
}  # fmt: skip
INTEGER_DIVISIONS = {
    "arith.divsi": integers(quotient), "arith.floordivsi": integers(numpy.floor_divide),
    "arith.remsi": integers(lambda x, y: x - y * quotient(x, y)),
    "arith.ceildivsi": integers(lambda x, y: x // y + (x % y != 0)),
}  # fmt: skip
# The carry of a sum is its upper half.
PAIRS = {
    "arith.addui_extended": wide(operator.add, is_signed=False),
    "arith.mului_extended": wide(operator.mul, is_signed=False),
    "arith.mulsi_extended": wide(operator.mul, is_signed=True),
}  # fmt: skip


def either_nan(x, y):
    return numpy.isnan(x) | numpy.isnan(y)


RELATIONS = {
    "olt": numpy.less, "ole": numpy.less_equal, "ogt": numpy.greater, "oge": numpy.greater_equal,
    "oeq": numpy.equal, "une": numpy.not_equal, "uno": either_nan,
    "ord": lambda x, y: ~either_nan(x, y), "one": lambda x, y: (x != y) & ~either_nan(x, y),
    "ueq": lambda x, y: (x == y) | either_nan(x, y), "ult": lambda x, y: ~(x >= y),
    "ule": lambda x, y: ~(x > y), "ugt": lambda x, y: ~(x <= y), "uge": lambda x, y: ~(x < y),
}  # fmt: skip
INTEGER_RELATIONS = {
    "slt": numpy.less, "sle": numpy.less_equal, "sgt": numpy.greater, "sge": numpy.greater_equal,
    "eq": numpy.equal, "ne": numpy.not_equal, "ult": unsigned(numpy.less),
    "ule": unsigned(numpy.less_equal), "ugt": unsigned(numpy.greater),
    "uge": unsigned(numpy.greater_equal),
}  # fmt: skip


# ---- One of each, on a given value


def choose(b, table):
    return Elementwise(*b.random.choice(sorted(table.items(), key=lambda item: item[0])))


def number(b, element):
    """What a scalar operand may be; half of them are no small fractions."""
    if element == "i1":
        return b.random.random() < 0.5
    if element in elements.UNSIGNED:
        return b.random.choice((1, 2, 3, 5, 7, 100, 255))
    if element in elements.INTEGERS:
        return b.random.choice((1, 2, 3, 5, 7, -1, -4, 100))
    if b.random.random() < 0.1:
        return b.random.choice((*elements.NOT_FINITE, -0.0))
    plain = b.random.choice((0.5, 1.0, 2.0, -1.0, 0.25, 3.0))
    return b.random.choice((plain, float(elements.nearest(b.random.uniform(0.1, 2.0), element))))


def constant(b, type_, value=None):
    """One number as a tensor of a type: all of it, or a part that is broadcast."""
    value = number(b, type_.element) if value is None else value
    if type_.is_static and b.random.random() < 0.5:
        return b.emit(Constant(type_, value), *())[0]
    rank = b.random.choice((0, min(1, type_.rank)))
    scalar = b.emit(Constant(Type((1,) * rank, type_.element), value))[0]
    return b.broadcast(scalar, type_.sizes)


def other(b, type_):
    """A second operand: of the same sizes, one number, or something to broadcast."""
    kind = b.random.random()
    if kind < 0.55:
        return b.operand(type_)
    if kind < 0.75:
        return constant(b, type_)
    sizes = tuple(1 if b.random.random() < 0.4 else size for size in type_.sizes)
    part = Type(sizes[b.random.randint(0, type_.rank) :], type_.element)
    return b.broadcast(b.operand(part), type_.sizes)


def unary(b, x):
    element = x.type.element
    b.require(element != "i1" and element in elements.ARITHMETIC)
    if not x.type.is_float:
        name = b.random.choice((*INTEGER_UNARY, "arith.sitofp"))
        op = Elementwise(name, INTEGER_UNARY[name](element)) if name in INTEGER_UNARY else ToFloat()
        return b.emit(op, x)
    if b.random.random() < 0.3:
        return b.emit(choose(b, POSITIVE_UNARY), positive(b, x))
    return b.emit(choose(b, FLOAT_UNARY), x)


def positive(b, x):
    magnitude = b.emit(Elementwise("math.absf", FLOAT_UNARY["math.absf"]), x)[0]
    offset = constant(b, x.type, b.random.choice((0.5, 1.0, 0.125)))
    return b.emit(Elementwise("arith.addf", bounded.add), magnitude, offset)[0]


def binary(b, x):
    b.require(x.type.element in elements.ARITHMETIC)
    if x.type.is_float:
        table = FLOAT_BINARY
    elif x.type.element == "i1":
        table = TRUTH_BINARY
    elif b.random.random() < 0.5:
        divisor = constant(b, x.type, b.random.choice((2, 3, 7, -5)))
        table = {name: formula(x.type.element) for name, formula in UNSIGNED_BINARY.items()}
        return b.emit(choose(b, {**INTEGER_DIVISIONS, **table}), x, divisor)
    else:
        table = INTEGER_BINARY
    operands = [x, other(b, x.type)]
    op = choose(b, table)
    if op.mnemonic == "arith.divf" and b.random.random() < 0.7:
        operands[1] = positive(b, operands[1])
    elif b.random.random() < 0.5:
        operands.reverse()
    return b.emit(op, *operands)


def broadcast_binary(b, x):
    """A sum, or the like, of tensors that are broadcast together."""
    b.require(x.type.element in elements.ARITHMETIC)
    operands = [x, partner_of(b, x, x.type.element)]
    b.random.shuffle(operands)
    x, y = b.emit(BroadcastTensors(), *operands)
    table = TRUTH_BINARY if x.type.element == "i1" else INTEGER_BINARY
    return b.emit(choose(b, FLOAT_BINARY if x.type.is_float else table), x, y)


def multiply_add(b, x):
    b.require(x.type.is_float and x.type.element in elements.ARITHMETIC)
    return b.emit(Elementwise("math.fma", bounded.fused), x, other(b, x.type), other(b, x.type))


def pair(b, x):
    """An op with two results."""
    element = x.type.element
    b.require(element != "i1" and element in elements.ARITHMETIC)
    if x.type.is_float:
        both = lambda v: [periodic(numpy.sin)(v), periodic(numpy.cos)(v)]  # noqa: E731
        return b.emit(Pair("math.sincos", both), x)
    y = other(b, x.type)
    name = b.random.choice(sorted(PAIRS))
    return b.emit(Pair(name, PAIRS[name](element), "i1" if "add" in name else None), x, y)


def compare(b, x):
    """A truth for each point: whether two values are so, or one and a number."""
    b.require(x.type.element in elements.ARITHMETIC)
    y = other(b, x.type)
    if x.type.is_float:
        relation = b.random.choice(sorted(RELATIONS))
        text, function = f"arith.cmpf {relation},", RELATIONS[relation]
    else:
        # Of truths as numbers with a sign the true one is -1: only whether they are equal.
        names = ("eq", "ne") if x.type.element == "i1" else sorted(INTEGER_RELATIONS)
        relation = b.random.choice(names)
        text, function = f"arith.cmpi {relation},", INTEGER_RELATIONS[relation]
    return b.emit(Compare(text, lambda p, q: bounded.compare(function, p, q)), x, y)


def condition(b, sizes):
    if b.random.random() < 0.25:
        return b.operand(Type(tuple(sizes), "i1"))
    usable = [element for element in b.ELEMENTS if element in elements.ARITHMETIC]
    return compare(b, b.operand(Type(tuple(sizes), b.random.choice(usable))))[0]


def select(b, x):
    operands = [x, other(b, x.type)]
    b.random.shuffle(operands)
    return b.emit(Select(), condition(b, x.type.sizes), *operands)


PROPOSALS = {
    "unary": unary, "binary": binary, "broadcast_binary": broadcast_binary, "fma": multiply_add, "pair": pair, "select": select,
    "compare": compare,
}  # fmt: skip
