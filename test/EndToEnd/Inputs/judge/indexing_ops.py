# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of IndexingOps.td."""
import math

import numpy

from . import bounded, elements
from .bounded import Bounded, each, quiet, select
from .program import Op, write_op
from .shape_ops import Unary, common_sizes, partner_of
from .tensors import Type, evaluate, evaluate_all, fit_together, list_of, text_of


def uncertain_where(doubtful, x):
    """x, of which nothing is known where something is doubtful."""
    return Bounded(x.value, numpy.where(doubtful, numpy.inf, x.error))


def wrapped(ids, size, wrap):
    """Numbers of a dimension of this size, of which negative ones count from the end."""
    return ids + numpy.where(ids < 0, size, 0) if wrap else ids


class Places:
    """The places along dimensions of a tensor that an op's indices tell of.

    `coordinates` is 0 where an index is a number.
    """

    def __init__(self, axis, coordinates, wrap):
        self.axis, self.coordinates, self.wrap = axis, coordinates, wrap

    @property
    def count(self):
        return max(self.coordinates, 1)

    def text(self):
        coordinates = f" coordinates({self.coordinates})" if self.coordinates else ""
        return f" axis({self.axis}){coordinates}" + " wrap" * self.wrap

    def chosen(self, x, ids):
        """The sizes of x, with those of the places in the place of the dimensions."""
        places = ids.sizes[:-1] if self.coordinates else ids.sizes
        sizes = x.sizes[: self.axis] + places + x.sizes[self.axis + self.count :]
        return Type(sizes, x.element)

    def arrays(self, shape, ids):
        """For each dimension its size and the numbers; and where they are uncertain."""
        value, error = ids.value, ids.error
        if not self.coordinates:
            value, error = value[..., None], error[..., None]
        sizes = shape[self.axis : self.axis + self.count]
        numbers = [(n, wrapped(value[..., i], n, self.wrap)) for i, n in enumerate(sizes)]
        return numbers, (error > 0).any(-1)


class Gather(Op):
    def __init__(self, places):
        self.places = places

    def results(self, x, ids):
        return [self.places.chosen(x, ids)]

    def text(self, names, types, results):
        return write_op(names, types, results, self.places.text(), "heddle.gather")

    def compute(self, symbols, x, ids):
        numbers, doubtful = self.places.arrays(x.shape, ids)
        at = tuple(ids.clip(0, size - 1) for size, ids in numbers)
        before, after = self.places.axis, len(x.shape) - self.places.axis - self.places.count
        chosen = each(lambda a: a[(slice(None),) * before + at], x)
        return uncertain_where(doubtful.reshape(doubtful.shape + (1,) * after), chosen)


class GatherElements(Op):
    def __init__(self, axis, wrap):
        self.axis, self.wrap = axis, wrap

    def results(self, x, ids):
        return [ids.of(x.element)]

    def text(self, names, types, results):
        options = f" axis({self.axis})" + " wrap" * self.wrap
        return write_op(names, types, results, options, "heddle.gather_elements")

    def compute(self, symbols, x, ids):
        size = x.shape[self.axis]
        at = wrapped(ids.value, size, self.wrap).clip(0, size - 1)
        chosen = each(lambda a: numpy.take_along_axis(a, at, self.axis), x)
        return uncertain_where(ids.error > 0, chosen)


class Scatter(Op):
    COMBINE = {
        "assign": lambda old, new: new,
        "add": bounded.add,
        "max": lambda old, new: bounded.extremum(numpy.maximum, old, new),
        "min": lambda old, new: bounded.extremum(numpy.minimum, old, new),
    }

    def __init__(self, kind, places):
        self.kind, self.places = kind, places

    def results(self, x, ids, updates):
        return [x]

    def text(self, names, types, results):
        mnemonic = f"heddle.scatter {self.kind}"
        return write_op(names, types, results, self.places.text(), mnemonic)

    def compute(self, symbols, x, ids, updates):
        axis, count = self.places.axis, self.places.count
        numbers, doubtful = self.places.arrays(x.shape, ids)
        rank = doubtful.ndim
        # What is written stands first: one number for each place, and for each update.
        moved = lambda a, many: numpy.moveaxis(a, range(axis, axis + many), range(many))  # noqa: E731
        places = [size for size, _ in numbers]
        y = each(lambda a: moved(a, count).reshape(math.prod(places), *a.shape[:axis],
                                                   *a.shape[axis + count :]), x)  # fmt: skip
        u = each(lambda a: moved(a, rank).reshape(doubtful.size, *a.shape[:axis],
                                                  *a.shape[axis + rank :]), updates)  # fmt: skip
        value, error = y.value.copy(), y.error.copy()
        rounds, hits = numpy.zeros(value.shape), numpy.zeros(value.shape)
        for j, of_update in enumerate(zip(*(ids.ravel() for _, ids in numbers))):
            if not all(0 <= i < size for i, size in zip(of_update, places)):
                continue
            at = numpy.ravel_multi_index(of_update, places)
            old = Bounded(value[at], error[at])
            new = self.COMBINE[self.kind](old, Bounded(u.value[j], u.error[j]))
            value[at], error[at] = new.value, new.error
            rounds[at] += numpy.abs(u.value[j])
            hits[at] += 1
        if self.kind == "add" and x.is_float:
            # Several updates may be added up in any order: what partial sums of them there
            # are is no larger than this.
            with numpy.errstate(all="ignore"):
                room = doubtful.size * bounded.U * (numpy.abs(y.value) + rounds)
                error = numpy.where((error == 0) & (hits < 2), 0.0, error + room)
                error = numpy.where((value == 0) & (hits > 0) & (error == 0), bounded.EITHER, error)
        uncertain = doubtful.any() | numpy.isinf(error)
        error = numpy.where(uncertain, numpy.inf, error)
        result = bounded.settle(value, error, uncertain) if x.is_float else Bounded(value, error)
        shape = (*places, *x.shape[:axis], *x.shape[axis + count :])
        return each(lambda a: numpy.moveaxis(a.reshape(shape), range(count),
                                             range(axis, axis + count)), result)  # fmt: skip


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
    def __init__(self, depth, wrap, element):
        self.depth, self.wrap, self.element = depth, wrap, element

    def results(self, ids):
        return [Type(ids.sizes + (self.depth,), self.element)]

    def text(self, names, types, results):
        text = f"one_hot {names[0]} depth({text_of(self.depth)})" + " wrap" * self.wrap
        return self.write_as(text, types, results)

    def compute(self, symbols, ids):
        depth = evaluate(self.depth, symbols)
        at = wrapped(ids.value, depth, self.wrap)
        value = (at[..., None] == numpy.arange(depth)).astype(elements.kind_of(self.element))
        return uncertain_where(ids.error[..., None] > 0, Bounded(value))


class Where(Op):
    def results(self, condition, x, y):
        return [Type(common_sizes(*(t.sizes for t in (condition, x, y))), x.element)]

    def accepts(self, types, symbols):
        return fit_together([type_.shape(symbols) for type_ in types])

    def text(self, names, types, results):
        return write_op(names, types, results, "", "heddle.where")

    def compute(self, symbols, condition, x, y):
        shape = numpy.broadcast_shapes(condition.shape, x.shape, y.shape)
        return select(*(each(lambda a: numpy.broadcast_to(a, shape), v) for v in (condition, x, y)))


@quiet
def to_integer(value, element):
    """Rounded towards 0, past the largest that one, of NaN 0."""
    least, most = elements.range_of(element)
    kind = elements.kind_of(element)
    value = numpy.trunc(numpy.nan_to_num(value, nan=0.0))
    inside = numpy.where((value >= least) & (value < most), value, 0).astype(kind)
    ends = kind(least), kind(most)
    return numpy.where(value >= most, ends[1], numpy.where(value < least, ends[0], inside))


@quiet
def to_float(x, element):
    """Memory rounds to narrower floats than f32 (bounded.stored), from f64 in one rounding."""
    kind = elements.kind_of(element)
    if element != "f32" or x.value.dtype == kind:
        return Bounded(x.value.astype(kind), x.error) if element not in elements.NARROW else x
    value, error = bounded.spread(lambda v: elements.nearest(v, element), x)
    return Bounded(value.astype(kind), numpy.where(numpy.isinf(x.error), numpy.inf, error))


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
            return to_float(x, self.element)
        value, low, high = (
            to_integer(at, self.element) for at in (x.value, x.value - x.error, x.value + x.error)
        )
        doubtful = (x.error > 0) & ((low != value) | (high != value))
        return Bounded(value, numpy.where(doubtful, numpy.inf, 0.0))


# ---- One of each, on a given value


def index_of(b):
    """A type of indices."""
    return b.random.choice(("i32", "i32", "i64"))


def indices(b, sizes, of, wrap=False):
    """Numbers around those of a dimension, half of them from its end where they may be: a new
    argument, or integers that are there."""
    element = index_of(b)
    fill = b.fills.index(of, element)
    return b.operand(Type(tuple(sizes), element), from_the_end(fill, of) if wrap else fill)


def from_the_end(fill, size):
    def filled(generator, shape, symbols):
        ids = fill(generator, shape, symbols)
        chosen = (ids >= 0) & (generator.random(shape) < 0.5)
        return numpy.where(chosen, ids - evaluate(size, symbols), ids)

    return filled


def wraps(b):
    return b.random.random() < 0.4


def places(b, x):
    """Dimensions of x, and indices of elements along them."""
    axis, wrap = axis_of(b, x), wraps(b)
    sizes = [b.size() for _ in range(b.random.choice((0, 1, 1, 2)))]
    coordinates = b.random.choice((0, 0, *range(1, x.type.rank - axis + 1)))
    if not coordinates:
        return Places(axis, 0, wrap), indices(b, sizes, x.type.sizes[axis], wrap)
    element = index_of(b)
    fills = [b.fills.index(size, element) for size in x.type.sizes[axis : axis + coordinates]]
    if wrap:
        fills = [from_the_end(fill, size) for fill, size in zip(fills, x.type.sizes[axis:])]

    def fill(generator, shape, symbols):
        return numpy.stack([one(generator, shape[:-1], symbols) for one in fills], -1)

    ids = b.operand(Type((*sizes, coordinates), element), fill)
    return Places(axis, coordinates, wrap), ids


def axis_of(b, x):
    b.require(x.type.rank > 0)
    return b.random.randrange(x.type.rank)


def gather(b, x):
    at, ids = places(b, x)
    return b.emit(Gather(at), x, ids)


def gather_elements(b, x):
    axis, wrap = axis_of(b, x), wraps(b)
    sizes = x.type.but(axis, b.size()).sizes
    ids = indices(b, sizes, x.type.sizes[axis], wrap)
    return b.emit(GatherElements(axis, wrap), x, ids)


def scatter(b, x, kind=None):
    """Of any kind where none is given."""
    at, ids = places(b, x)
    kind = kind or b.random.choice(("assign", "max", "min", "add"))
    b.require(kind != "add" or x.type.element != "i1")
    b.require(kind == "assign" or x.type.element not in elements.STORED)
    updates = b.operand(at.chosen(x.type, ids.type))
    return b.emit(Scatter(kind, at), x, ids, updates)


IOTAS = tuple(e for e in elements.ALL if e != "i1" and e not in elements.STORED)


def iota(b, x):
    element = x.type.element if x.type.element in IOTAS else b.random.choice(IOTAS)
    return b.emit(Iota(axis_of(b, x), x.type.sizes, element))


def one_hot(b, x):
    depth, wrap = b.random.choice((1, 2, 5, 16, 17)), wraps(b)
    is_index = x.type.element in ("i32", "i64")
    ids = x if is_index else indices(b, x.type.sizes[:2], depth, wrap)
    return b.emit(OneHot(depth, wrap, b.random.choice(elements.ALL)), ids)


def shrunk(b, type_):
    """The type, or one that is broadcast to it."""
    sizes = tuple(1 if b.random.random() < 0.2 else size for size in type_.sizes)
    return Type(sizes[b.random.choice((0, 0, 0, 1)) :], type_.element)


def where(b, x):
    if b.random.random() < 0.4:
        condition, y = partner_of(b, x, "i1"), partner_of(b, x, x.type.element)
    else:
        condition = b.condition(shrunk(b, x.type).sizes)
        y = b.operand(shrunk(b, x.type))
    operands = [x, y]
    b.random.shuffle(operands)
    b.require(fit_together([v.type.shape(b.symbols) for v in (condition, *operands)]))
    return b.emit(Where(), condition, *operands)


def cast(b, x):
    others = [element for element in elements.ALL if element != x.type.element]
    return b.emit(Cast(b.random.choice(others)), x)


PROPOSALS = {
    "gather": gather, "gather_elements": gather_elements, "scatter": scatter, "iota": iota,
    "one_hot": one_hot, "where": where, "cast": cast,
}  # fmt: skip
