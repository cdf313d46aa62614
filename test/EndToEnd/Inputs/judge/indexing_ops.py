# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of IndexingOps.td."""
import numpy

from . import bounded, supported
from .bounded import Bounded, each, quiet, select
from .program import Op, functional
from .shape_ops import Unary
from .tensors import Type, evaluate, evaluate_all, list_of, text_of

INT_MIN, INT_MAX = -(2**31), 2**31 - 1


def uncertain_where(doubtful, x):
    """x, of which nothing is known where something is doubtful."""
    return Bounded(x.value, numpy.where(doubtful, numpy.inf, x.error))


class Gather(Op):
    def __init__(self, axis):
        self.axis = axis

    def results(self, x, ids):
        return [x.but(self.axis, *ids.sizes)]

    def text(self, names, types, results):
        return functional(names, types, results, f" axis({self.axis})", "heddle.gather")

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
        return functional(names, types, results, f" axis({self.axis})", "heddle.gather_elements")

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
        return functional(names, types, results, at, mnemonic)

    def compute(self, symbols, x, ids, updates):
        first = lambda a: numpy.moveaxis(a, self.axis, 0)  # noqa: E731
        y, u = each(first, x), each(first, updates)
        value, error = y.value.copy(), y.error.copy()
        rounds = numpy.zeros_like(value, dtype=float)
        for j, at in enumerate(ids.value):
            if not 0 <= at < len(value):
                continue
            old = Bounded(value[at], error[at])
            new = self.COMBINE[self.kind](old, Bounded(u.value[j], u.error[j]))
            value[at], error[at] = new.value, new.error
            rounds[at] += numpy.abs(u.value[j])
        if self.kind == "add" and x.is_float:
            # Updates may be added up in any order: their partial sums are no larger than this.
            with numpy.errstate(all="ignore"):
                magnitude = numpy.abs(y.value) + rounds
                exact = error == 0
                error = numpy.where(exact, error, error + len(ids.value) * bounded.U * magnitude)
        if (ids.error > 0).any():
            error = numpy.full_like(error, numpy.inf)
        result = bounded.settle(value, error) if x.is_float else Bounded(value, error)
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
        element = numpy.float64 if self.type.is_float else numpy.int64
        return Bounded(numpy.indices(shape)[self.axis].astype(element))


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
        element = numpy.float64 if self.element == "f32" else numpy.int64
        value = (ids.value[..., None] == numbers).astype(element)
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
        return functional(names, types, results, "", "heddle.where")

    def compute(self, symbols, condition, x, y):
        shape = numpy.broadcast_shapes(condition.shape, x.shape, y.shape)
        return select(*(each(lambda a: numpy.broadcast_to(a, shape), v) for v in (condition, x, y)))


@quiet
def to_integer(value):
    """Rounded towards 0, past the largest that one, of NaN 0."""
    return numpy.trunc(numpy.nan_to_num(value, nan=0.0).clip(INT_MIN, INT_MAX))


class Cast(Unary):
    def __init__(self, element):
        self.element = element

    def results(self, x):
        return [x.of(self.element)]

    def text(self, names, types, results):
        return self.write_as(f"cast {names[0]}", types, results)

    def compute(self, symbols, x):
        if self.element == "i1":
            unequal = bounded.compare(numpy.not_equal, x, Bounded(numpy.zeros_like(x.value)))
            return unequal
        if x.value.dtype == numpy.bool_:
            kind = numpy.int64 if self.element == "i32" else numpy.float64
            return Bounded(x.value.astype(kind), x.error)
        if self.element == "i32":
            if not x.is_float:
                return x
            result = bounded.step(to_integer, x)
            doubtful = numpy.where(result.error > 0, numpy.inf, 0.0)
            return Bounded(result.value.astype(numpy.int64), doubtful)
        if x.is_float:
            return x
        # The nearest number: one result, whatever the way there.
        return Bounded(x.value.astype(numpy.float32).astype(numpy.float64), x.error)


# ---- One of each, on a given value


def indices(b, sizes, of):
    """Numbers around those of a dimension: a new argument, or integers that are there."""
    return b.operand(Type(tuple(sizes), "i32"), b.fills.index(of))


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
    kind = b.random.choice(("assign", "add", "max", "min"))
    return b.emit(Scatter(kind, axis), x, ids, b.operand(updates))


def iota(b, x):
    element = b.random.choice(("f32", "i32"))
    return b.emit(Iota(axis_of(b, x), x.type.sizes, element))


def one_hot(b, x):
    depth = b.random.choice((1, 2, 5, 16, 17))
    ids = x if x.type.element == "i32" else indices(b, x.type.sizes[:2], depth)
    return b.emit(OneHot(depth, b.random.choice(("f32", "f32", "i32"))), ids)


def shrunk(b, type_):
    """The type, or one that is broadcast to it."""
    sizes = tuple(1 if b.random.random() < 0.2 else size for size in type_.sizes)
    return Type(sizes[b.random.choice((0, 0, 0, 1)) :], type_.element)


def where(b, x):
    condition = b.condition(shrunk(b, x.type).sizes if supported.I1_VALUES else x.type.sizes)
    operands = [x, b.operand(shrunk(b, x.type))]
    b.random.shuffle(operands)
    return b.emit(Where(), condition, *operands)


def cast(b, x):
    return b.emit(Cast({"f32": "i32", "i32": "f32", "bf16": "f32"}[x.type.element]), x)


PROPOSALS = {
    "gather": gather, "gather_elements": gather_elements, "scatter": scatter, "iota": iota,
    "one_hot": one_hot, "where": where, "cast": cast,
}  # fmt: skip
