# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of ReductionOps.td."""
import numpy

from . import bounded, elements
from .bounded import Bounded, add, divide, each, extremum, fold, function, multiply, quiet
from .bounded import rounded, subtract, total
from .indexing_ops import axis_of, index_of
from .program import Op, write_op
from .shape_ops import Unary
from .tensors import Type, evaluate, text_of

FLOAT_KINDS = ("sum", "mean", "max", "min", "product", "l2", "log_sum_exp")
INTEGER_KINDS = ("sum", "max", "min", "product")
TRUTH_KINDS = ("any", "all")


def extremum_of_none(x, infinity):
    """Which integer is the lowest or highest of its type the judge does not know."""
    if x.is_float:
        return Bounded(numpy.array(infinity, x.value.dtype), numpy.array(0.0))
    return Bounded(numpy.array(0, x.value.dtype), numpy.array(numpy.inf))


def largest(x, axes, keep=True):
    none = extremum_of_none(x, -numpy.inf)
    return fold(lambda a, b: extremum(numpy.maximum, a, b), x, axes, none, keep)


def smallest(x, axes, keep=True):
    none = extremum_of_none(x, numpy.inf)
    return fold(lambda a, b: extremum(numpy.minimum, a, b), x, axes, none, keep)


@quiet
def log_sum_exp(x, axes, keep):
    """log(sum(exp(x))), with the largest element taken out, which changes no number."""
    most = x.value.max(axis=axes, keepdims=True, initial=-numpy.inf)
    most = Bounded(numpy.where(numpy.isfinite(most), most, 0.0))
    terms = function(numpy.exp, subtract(x, most))
    result = add(function(numpy.log, total(terms, axes)), most)
    return result if keep else each(lambda a: a.squeeze(axes), result)


class Reduce(Unary):
    def __init__(self, kind, axes, keep):
        self.kind, self.axes, self.keep = kind, axes, keep

    def results(self, x):
        kept = enumerate(x.sizes)
        if self.keep:
            sizes = tuple(1 if axis in self.axes else size for axis, size in kept)
        else:
            sizes = tuple(size for axis, size in kept if axis not in self.axes)
        return [Type(sizes, x.element)]

    def text(self, names, types, results):
        keep = " keep_sizes" if self.keep else ""
        return self.write_as(f"reduce {self.kind} {names[0]} axes {self.axes}{keep}", types, results)

    def compute(self, symbols, x):
        axes, keep = tuple(self.axes), self.keep
        count = float(numpy.prod([x.shape[axis] for axis in axes]))
        if self.kind == "sum":
            return total(x, axes, keep)
        if self.kind == "mean":
            return divide(total(x, axes, keep), Bounded(numpy.array(count, x.value.dtype)), units=2)
        if self.kind == "max":
            return largest(x, axes, keep)
        if self.kind == "min":
            return smallest(x, axes, keep)
        if self.kind == "product":
            one = Bounded(numpy.array(1, x.value.dtype), numpy.array(0.0))
            return fold(multiply, x, axes, one, keep)
        if self.kind == "l2":
            return function(numpy.sqrt, total(multiply(x, x), axes, keep))
        if self.kind == "log_sum_exp":
            return log_sum_exp(x, axes, keep)
        truth = numpy.any if self.kind == "any" else numpy.all
        value = truth(x.value, axis=axes, keepdims=keep)
        return Bounded(value, x.error.max(axis=axes, keepdims=keep, initial=0.0))


def order_of(x):
    """Keys that sort the last dimension as top_k does: descending, NaN before all numbers."""
    if x.is_float:
        nan_first = numpy.where(numpy.isnan(x.value), -numpy.inf, -x.value)
        # Infinity comes after NaN, whatever stands first.
        return numpy.lexsort((nan_first, ~numpy.isnan(x.value)), axis=-1)
    return numpy.argsort(~x.value, axis=-1, kind="stable")


def negated(x):
    """Numbers in the other order; again, those there were."""
    return Bounded(-x.value if x.is_float else ~x.value, x.error)


@quiet
def sorted_descending(x):
    """Values of the last dimension in the order of top_k, and their indices."""
    order = order_of(x)
    value = numpy.take_along_axis(x.value, order, -1)
    error = numpy.take_along_axis(x.error, order, -1)
    # The k-th largest moves no further than the element that moves furthest.
    most = numpy.broadcast_to(error.max(axis=-1, keepdims=True, initial=0.0), error.shape)
    close = most[..., 1:] > 0
    if x.is_float:
        close &= numpy.abs(value[..., 1:] - value[..., :-1]) <= 2 * most[..., 1:]
    edge = numpy.zeros(close.shape[:-1] + (1,), bool)
    doubtful = numpy.concatenate([edge, close], -1) | numpy.concatenate([close, edge], -1)
    index = Bounded(order.astype(numpy.int64), numpy.where(doubtful, numpy.inf, 0.0))
    if not x.is_float:
        return Bounded(value, most), index
    return Bounded(value, numpy.where(numpy.isfinite(value), most, 0.0)), index


class ArgReduce(Unary):
    def __init__(self, kind, axis, keep, index):
        self.kind, self.axis, self.keep, self.index = kind, axis, keep, index

    def results(self, x):
        sizes = (1,) if self.keep else ()
        return [x.but(self.axis, *sizes).of(self.index)]

    def text(self, names, types, results):
        keep = " keep_sizes" if self.keep else ""
        text = f"arg_reduce {self.kind} {names[0]} axis({self.axis}){keep}"
        return self.write_as(text, types, results)

    def compute(self, symbols, x):
        if self.kind == "min":
            x = negated(x)
        _, index = sorted_descending(each(lambda a: numpy.moveaxis(a, self.axis, -1), x))
        first = each(lambda a: a[..., 0], index)
        return each(lambda a: numpy.expand_dims(a, self.axis), first) if self.keep else first


class CumulativeSum(Unary):
    def __init__(self, axis, exclusive, reverse):
        self.axis, self.exclusive, self.reverse = axis, exclusive, reverse

    def results(self, x):
        return [x]

    def text(self, names, types, results):
        flags = " exclusive" * self.exclusive + " reverse" * self.reverse
        return f"heddle.cumulative_sum {names[0]} axis({self.axis}){flags} : {types[0]}"

    def compute(self, symbols, x):
        x = each(lambda a: numpy.moveaxis(a, self.axis, -1), x)
        count = x.shape[-1]
        i, j = numpy.arange(count)[:, None], numpy.arange(count)
        counted = {
            (False, False): j <= i, (True, False): j < i,
            (False, True): j >= i, (True, True): j > i,
        }[self.exclusive, self.reverse]  # fmt: skip
        terms = each(lambda a: numpy.where(counted, a[..., None, :], a.dtype.type(0)), x)
        return each(lambda a: numpy.moveaxis(a, -1, self.axis), total(terms, (-1,), False))


class Softmax(Unary):
    def __init__(self, axis):
        self.axis = axis

    def results(self, x):
        return [x]

    def text(self, names, types, results):
        return f"heddle.softmax {names[0]} axis({self.axis}) : {types[0]}"

    def compute(self, symbols, x):
        axes = (self.axis,)
        terms = function(numpy.exp, subtract(x, largest(x, axes)))
        return divide(terms, total(terms, axes), units=3)


class LogSoftmax(Softmax):
    def text(self, names, types, results):
        return f"heddle.log_softmax {names[0]} axis({self.axis}) : {types[0]}"

    def compute(self, symbols, x):
        axes = (self.axis,)
        shifted = subtract(x, largest(x, axes))
        return subtract(shifted, function(numpy.log, total(function(numpy.exp, shifted), axes)))


class TopK(Op):
    def __init__(self, axis, k, smallest, index):
        self.axis, self.k, self.smallest, self.index = axis, k, smallest, index

    def results(self, x):
        values = x.but(self.axis, self.k)
        return [values, values.of(self.index)]

    def text(self, names, types, results):
        options = f" axis({self.axis}) k({text_of(self.k)})" + " smallest" * self.smallest
        return write_op(names, types, results, options, "heddle.top_k")

    def compute(self, symbols, x):
        x = each(lambda a: numpy.moveaxis(a, self.axis, -1), x)
        values, indices = sorted_descending(negated(x) if self.smallest else x)
        k = evaluate(self.k, symbols)
        results = [negated(values) if self.smallest else values, indices]
        return [each(lambda a: numpy.moveaxis(a[..., :k], -1, self.axis), r) for r in results]


# ---- One of each, on a given value


def kinds_of(type_):
    if type_.element == "i1":
        return TRUTH_KINDS
    return FLOAT_KINDS if type_.is_float else INTEGER_KINDS


def reduce(b, x, kind=None):
    """Of any kind where none is given."""
    b.require(x.type.element not in elements.STORED)
    if kind in TRUTH_KINDS and x.type.element != "i1":
        x = b.condition(x.type.sizes)
    rank, kinds = x.type.rank, kinds_of(x.type)
    b.require(rank > 0 and (not kind or kind in kinds))
    axes = sorted(b.random.sample(range(rank), b.random.randint(1, min(rank, 3))))
    kind = kind or b.random.choice(kinds)
    return b.emit(Reduce(kind, axes, b.random.random() < 0.5), x)


def arg_reduce(b, x):
    b.require(x.type.element not in elements.STORED)
    kind = b.random.choice(("max", "min"))
    return b.emit(ArgReduce(kind, axis_of(b, x), b.random.random() < 0.5, index_of(b)), x)


def cumulative_sum(b, x):
    b.require(x.type.element != "i1" and x.type.element not in elements.STORED)
    exclusive, reverse = b.random.random() < 0.4, b.random.random() < 0.4
    return b.emit(CumulativeSum(axis_of(b, x), exclusive, reverse), x)


def softmax(b, x):
    b.require(x.type.is_float and x.type.element not in elements.STORED)
    return b.emit(Softmax(axis_of(b, x)), x)


def log_softmax(b, x):
    b.require(x.type.is_float and x.type.element not in elements.STORED)
    return b.emit(LogSoftmax(axis_of(b, x)), x)


def top_k(b, x):
    b.require(x.type.element not in elements.STORED)
    axis, smallest = axis_of(b, x), b.random.random() < 0.4
    return b.emit(TopK(axis, how_many(b, x.type.sizes[axis]), smallest, index_of(b)), x)


def how_many(b, size):
    """A number of elements that a dimension of this size has, or a size."""
    if not isinstance(size, int):
        return b.random.choice((1, size, f"min({size}, 5)"))
    other = b.size()
    if isinstance(other, str):
        return f"min({other}, {size})"
    return b.random.randint(1, min(size, 7))


PROPOSALS = {
    "reduce": reduce, "arg_reduce": arg_reduce, "cumulative_sum": cumulative_sum,
    "softmax": softmax, "log_softmax": log_softmax, "top_k": top_k,
}  # fmt: skip
