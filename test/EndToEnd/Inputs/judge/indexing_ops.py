# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of IndexingOps.td."""
import numpy

from . import bounded, elements
from .bounded import Bounded, each, quiet, select
from .program import Op, write_op
from .shape_ops import Unary
from .tensors import Type, evaluate, evaluate_all, list_of, text_of


def uncertain_where(doubtful, x):
    """x, of which nothing is known where something is doubtful."""
    return Bounded(x.value, numpy.where(doubtful, numpy.inf, x.error))


class Gather(Op):
    def __init__(self, axis):
        self.axis = axis

    def results(self, x, ids):
        return [x.but(self.axis, *ids.sizes)]

    def text(self, names, types, results):
        return write_op(names, types, results, f" axis({self.axis})", "heddle.gather")

    def compute(self, symbols, x, ids):
        at = ids.value.clip(0, x.shape[self.axis] - 1)
        doubtful = ids.error.reshape(ids.shape + (1,) * (len(x.shape) - self.axis - 1)) > 0
        return uncertain_where(doubtful, each(lambda a: a.take(at, self.axis), x))


class GatherElements(Op):
    def __init__(self, axis):
        self.axis = axis

    def results(self, x, ids):
        return [ids.of(x.element)]

    def text(self, names, types, results):
        return write_op(names, types, results, f" axis({self.axis})", "heddle.gather_elements")

    def compute(self, symbols, x, ids):
        at = ids.value.clip(0, x.shape[self.axis] - 1)
        chosen = each(lambda a: numpy.take_along_axis(a, at, self.axis), x)
        return uncertain_where(ids.error > 0, chosen)


class Scatter(Op):
    COMBINE = {
        "assign": lambda old, new: new,
        "add": bounded.add,
        "max": lambda old, new: bounded.extremum(numpy.maximum, old, new),
        "min": lambda old, new: bounded.extremum(numpy.minimum, old, new),
    }

    def __init__(self, kind, axis):
        self.kind, self.axis = kind, axis

    def results(self, x, ids, updates):
        return [x]

    def text(self, names, types, results):
        mnemonic, at = f"heddle.scatter {self.kind}", f" axis({self.axis})"
        return write_op(names, types, results, at, mnemonic)

    def compute(self, symbols, x, ids, updates):
        first = lambda a: numpy.moveaxis(a, self.axis, 0)  # noqa: E731
        y, u = each(first, x), each(first, updates)
        value, error = y.value.copy(), y.error.copy()
        rounds, hits = numpy.zeros(value.shape), numpy.zeros(value.shape)
        for j, at in enumerate(ids.value):
            if not 0 <= at < len(value):
                continue
            old = Bounded(value[at], error[at])
            new = self.COMBINE[self.kind](old, Bounded(u.value[j], u.error[j]))
            value[at], error[at] = new.value, new.error
            rounds[at] += numpy.abs(u.value[j])
            hits[at] += 1
        if self.kind == "add" and x.is_float:
            # Several updates may be added up in any order: what partial sums of them there
            # are is no larger than this.
            with numpy.errstate(all="ignore"):
                room = len(ids.value) * bounded.U * (numpy.abs(y.value) + rounds)
                error = numpy.where((error == 0) & (hits < 2), 0.0, error + room)
                error = numpy.where((value == 0) & (hits > 0) & (error == 0), bounded.EITHER, error)
        uncertain = (ids.error > 0).any() | numpy.isinf(error)
        error = numpy.where(uncertain, numpy.inf, error)
        result = bounded.settle(value, error, uncertain) if x.is_float else Bounded(value, error)
        return each(lambda a: numpy.moveaxis(a, 0, self.axis), result)


class Iota(Op):
    def __init__(self, axis, sizes, element):
        self.axis, self.type = axis, Type(tuple(sizes), element)

    def results(self):
        return [self.type]

    def text(self, names, types, results):
        return f"heddle.iota axis({self.axis}) sizes {list_of(self.type.sizes)} : {self.type}"

    def compute(self, symbols):
        shape = evaluate_all(self.type.sizes, symbols)
        kind = elements.kind_of(self.type.element)
        return Bounded(numpy.indices(shape)[self.axis].astype(kind))


class OneHot(Unary):
    def __init__(self, depth, element):
        self.depth, self.element = depth, element

    def results(self, ids):
        return [Type(ids.sizes + (self.depth,), self.element)]

    def text(self, names, types, results):
        text = f"one_hot {names[0]} depth({text_of(self.depth)})"
        return self.write_as(text, types, results)

    def compute(self, symbols, ids):
        numbers = numpy.arange(evaluate(self.depth, symbols))
        value = (ids.value[..., None] == numbers).astype(elements.kind_of(self.element))
        return uncertain_where(ids.error[..., None] > 0, Bounded(value))


class Where(Op):
    def results(self, condition, x, y):
        ranks = [type_.rank for type_ in (condition, x, y)]
        sizes = []
        for axis in range(-max(ranks), 0):
            found = [t.sizes[axis] for t in (condition, x, y) if t.rank >= -axis]
            sizes.append(next((size for size in found if size != 1), 1))
        return [Type(tuple(sizes), x.element)]

    def text(self, names, types, results):
        return write_op(names, types, results, "", "heddle.where")

    def compute(self, symbols, condition, x, y):
        shape = numpy.broadcast_shapes(condition.shape, x.shape, y.shape)
        return select(*(each(lambda a: numpy.broadcast_to(a, shape), v) for v in (condition, x, y)))


@quiet
def to_integer(value, element):
    """Rounded towards 0, past the largest that one, of NaN 0."""
    least, most = elements.range_of(element)
    value = numpy.trunc(numpy.nan_to_num(value, nan=0.0))
    inside = numpy.where((value >= least) & (value < most), value, 0).astype(numpy.int64)
    return numpy.where(value >= most, most, numpy.where(value < least, least, inside))


class Cast(Unary):
    def __init__(self, element):
        self.element = element

    def results(self, x):
        return [x.of(self.element)]

    def text(self, names, types, results):
        return self.write_as(f"cast {names[0]}", types, results)

    def compute(self, symbols, x):
        if self.element == "i1":
            if x.value.dtype == numpy.bool_:
                return x
            return bounded.compare(numpy.not_equal, x, Bounded(numpy.zeros_like(x.value)))
        if not x.is_float:
            # To a float the nearest one, in one rounding.
            return Bounded(elements.stored(x.value, self.element), x.error)
        if self.element in elements.FLOATS:
            return x
        value, low, high = (
            to_integer(at, self.element) for at in (x.value, x.value - x.error, x.value + x.error)
        )
        doubtful = (x.error > 0) & ((low != value) | (high != value))
        return Bounded(value, numpy.where(doubtful, numpy.inf, 0.0))


# ---- One of each, on a given value


def index_of(b):
    """A type of indices."""
    return b.random.choice(("i32", "i32", "i64"))


def indices(b, sizes, of):
    """Numbers around those of a dimension: a new argument, or integers that are there."""
    element = index_of(b)
    return b.operand(Type(tuple(sizes), element), b.fills.index(of, element))


def axis_of(b, x):
    b.require(x.type.rank > 0)
    return b.random.randrange(x.type.rank)


def gather(b, x):
    axis = axis_of(b, x)
    sizes = [b.size() for _ in range(b.random.choice((0, 1, 1, 2)))]
    return b.emit(Gather(axis), x, indices(b, sizes, x.type.sizes[axis]))


def gather_elements(b, x):
    axis = axis_of(b, x)
    sizes = x.type.but(axis, b.size()).sizes
    return b.emit(GatherElements(axis), x, indices(b, sizes, x.type.sizes[axis]))


def scatter(b, x):
    axis = axis_of(b, x)
    updates = x.type.but(axis, b.size())
    ids = indices(b, [updates.sizes[axis]], x.type.sizes[axis])
    kind = b.random.choice(("assign", "max", "min", "add"))
    b.require(kind != "add" or x.type.element != "i1")
    return b.emit(Scatter(kind, axis), x, ids, b.operand(updates))


IOTAS = ("f32", "bf16", "f16", "i8", "i32", "i64")


def iota(b, x):
    element = x.type.element if x.type.element in IOTAS else b.random.choice(IOTAS)
    return b.emit(Iota(axis_of(b, x), x.type.sizes, element))


def one_hot(b, x):
    depth = b.random.choice((1, 2, 5, 16, 17))
    is_index = x.type.element in ("i32", "i64")
    ids = x if is_index else indices(b, x.type.sizes[:2], depth)
    return b.emit(OneHot(depth, b.random.choice(elements.ALL)), ids)


def shrunk(b, type_):
    """The type, or one that is broadcast to it."""
    sizes = tuple(1 if b.random.random() < 0.2 else size for size in type_.sizes)
    return Type(sizes[b.random.choice((0, 0, 0, 1)) :], type_.element)


def where(b, x):
    condition = b.condition(shrunk(b, x.type).sizes)
    operands = [x, b.operand(shrunk(b, x.type))]
    b.random.shuffle(operands)
    return b.emit(Where(), condition, *operands)


def cast(b, x):
    others = [element for element in elements.ALL if element != x.type.element]
    return b.emit(Cast(b.random.choice(others)), x)


PROPOSALS = {
    "gather": gather, "gather_elements": gather_elements, "scatter": scatter, "iota": iota,
    "one_hot": one_hot, "where": where, "cast": cast,
}  # fmt: skip
