# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of ShapeOps.td."""
import numpy

from . import elements
from .bounded import Bounded, each
from .program import Op, write_op
from .tensors import (
    Type, broadcast_of, evaluate, evaluate_all, fit_together, list_of, product_of, sum_of,
)  # fmt: skip


class Unary(Op):
    """An op on one tensor, written with its type and that of the result."""

    def write_as(self, text, types, results):
        return f"heddle.{text} : {types[0]} -> {', '.join(map(str, results))}"


class Transpose(Unary):
    def __init__(self, permutation):
        self.permutation = permutation

    def results(self, x):
        return [Type(tuple(x.sizes[p] for p in self.permutation), x.element)]

    def text(self, names, types, results):
        return self.write_as(f"transpose {names[0]} permutation {self.permutation}", types, results)

    def compute(self, symbols, x):
        return each(lambda a: a.transpose(self.permutation), x)


class Reshape(Unary):
    def __init__(self, sizes, written=None):
        self.sizes, self.written = tuple(sizes), written or sizes

    def results(self, x):
        return [Type(self.sizes, x.element)]

    def text(self, names, types, results):
        return self.write_as(f"reshape {names[0]} to {list_of(self.written)}", types, results)

    def compute(self, symbols, x):
        return each(lambda a: a.reshape(evaluate_all(self.sizes, symbols)), x)


class Expand(Unary):
    def __init__(self, axes):
        self.axes = axes

    def results(self, x):
        sizes = list(x.sizes)
        for axis in self.axes:
            sizes.insert(axis, 1)
        return [Type(tuple(sizes), x.element)]

    def text(self, names, types, results):
        return self.write_as(f"expand {names[0]} axes {self.axes}", types, results)

    def compute(self, symbols, x):
        return each(lambda a: numpy.expand_dims(a, tuple(self.axes)), x)


class Squeeze(Unary):
    def __init__(self, axes):
        self.axes = axes

    def results(self, x):
        kept = [size for axis, size in enumerate(x.sizes) if axis not in self.axes]
        return [Type(tuple(kept), x.element)]

    def text(self, names, types, results):
        return self.write_as(f"squeeze {names[0]} axes {self.axes}", types, results)

    def compute(self, symbols, x):
        return each(lambda a: a.squeeze(tuple(self.axes)), x)


class Slice(Unary):
    def __init__(self, offsets, sizes, steps):
        self.offsets, self.sizes, self.steps = offsets, sizes, steps

    def results(self, x):
        return [Type(tuple(self.sizes), x.element)]

    def text(self, names, types, results):
        return self.write_as(
            f"slice {names[0]} offsets {list_of(self.offsets)} sizes {list_of(self.sizes)} "
            f"steps {self.steps}",
            types,
            results,
        )

    def compute(self, symbols, x):
        for axis, step in enumerate(self.steps):
            offset = evaluate(self.offsets[axis], symbols)
            at = offset + step * numpy.arange(evaluate(self.sizes[axis], symbols))
            assert (at >= 0).all()
            if (at >= x.shape[axis]).any():
                raise IndexError("a slice of more than there is")
            x = each(lambda a: a.take(at, axis), x)  # pylint: disable=cell-var-from-loop
        return x


class Concat(Op):
    def __init__(self, axis):
        self.axis = axis

    def results(self, *types):
        axis = self.axis
        return [types[0].but(axis, sum_of(*(type_.sizes[axis] for type_ in types)))]

    def text(self, names, types, results):
        return write_op(names, types, results, f" axis({self.axis})", "heddle.concat")

    def compute(self, symbols, *inputs):
        return each(lambda *arrays: numpy.concatenate(arrays, self.axis), *inputs)


class Split(Unary):
    def __init__(self, axis, sizes):
        self.axis, self.sizes = axis, sizes

    def results(self, x):
        return [x.but(self.axis, size) for size in self.sizes]

    def text(self, names, types, results):
        text = f"split {names[0]} axis({self.axis}) sizes {list_of(self.sizes)}"
        return self.write_as(text, types, results)

    def compute(self, symbols, x):
        ends = numpy.cumsum(evaluate_all(self.sizes, symbols))
        assert ends[-1] == x.shape[self.axis]
        return [
            each(lambda a: a.take(range(begin, end), self.axis), x)
            for begin, end in zip([0, *ends], ends)
        ]


class Pad(Unary):
    def __init__(self, low, high, value):
        self.low, self.high, self.value = low, high, value

    def results(self, x):
        sizes = tuple(map(sum_of, self.low, x.sizes, self.high))
        return [Type(sizes, x.element)]

    def text(self, names, types, results):
        text = f"pad {names[0]} low {list_of(self.low)} high {list_of(self.high)} "
        value = elements.literal(self.value, types[0].element)
        return self.write_as(f"{text}value({value})", types, results)

    def compute(self, symbols, x):
        width = list(zip(evaluate_all(self.low, symbols), evaluate_all(self.high, symbols)))
        return Bounded(
            numpy.pad(x.value, width, constant_values=self.value), numpy.pad(x.error, width)
        )


class Broadcast(Unary):
    def __init__(self, sizes):
        self.sizes = tuple(sizes)

    def results(self, x):
        return [Type(self.sizes, x.element)]

    def text(self, names, types, results):
        return self.write_as(f"broadcast {names[0]} to {list_of(self.sizes)}", types, results)

    def accepts(self, types, symbols):
        sizes = evaluate_all(self.sizes, symbols)
        return all(
            size in (1, target)
            for size, target in zip(reversed(types[0].shape(symbols)), reversed(sizes))
        )

    def compute(self, symbols, x):
        return each(lambda a: numpy.broadcast_to(a, evaluate_all(self.sizes, symbols)), x)


def common_sizes(*shapes):
    """The sizes that all are broadcast to."""
    rank = max(map(len, shapes))
    return tuple(
        broadcast_of(*column) for column in zip(*((1,) * (rank - len(s)) + tuple(s) for s in shapes))
    )


class BroadcastTensors(Op):
    def results(self, *types):
        sizes = common_sizes(*(type_.sizes for type_ in types))
        return [Type(sizes, type_.element) for type_ in types]

    def text(self, names, types, results):
        return write_op(names, types, results, "", "heddle.broadcast_tensors")

    def accepts(self, types, symbols):
        return fit_together([type_.shape(symbols) for type_ in types])

    def compute(self, symbols, *inputs):
        shape = numpy.broadcast_shapes(*(x.shape for x in inputs))
        return [each(lambda a: numpy.broadcast_to(a, shape), x) for x in inputs]


# ---- One of each, on a given value


def transpose(b, x):
    b.require(x.type.rank > 1)
    return b.emit(Transpose(b.random.sample(range(x.type.rank), x.type.rank)), x)


def reshape(b, x):
    """Two neighbours become one, or a number becomes a product."""
    sizes, rank = list(x.type.sizes), x.type.rank
    composite = [
        (axis, factor)
        for axis, size in enumerate(sizes)
        if isinstance(size, int)
        for factor in range(2, size)
        if size % factor == 0
    ]
    if composite and b.random.random() < 0.5:
        axis, factor = b.random.choice(composite)
        sizes[axis : axis + 1] = [factor, sizes[axis] // factor]
        changed = axis + b.random.choice((0, 1))
    elif rank >= 2:
        changed = b.random.randrange(rank - 1)
        sizes[changed : changed + 2] = [product_of(*sizes[changed : changed + 2])]
        if b.random.random() < 0.2:
            sizes.append(1)
    else:
        changed = b.random.randrange(rank + 1)
        sizes.insert(changed, 1)
    written = list(sizes)
    # The compiler divides by no sum of sizes.
    others = product_of(*sizes[:changed], *sizes[changed + 1 :])
    if b.random.random() < 0.5 and "+" not in str(others):
        written[changed] = -1
    return b.emit(Reshape(sizes, written), x)


def expand(b, x):
    count = b.random.choice((1, 1, 2))
    axes = sorted(b.random.sample(range(x.type.rank + count), count))
    return b.emit(Expand(axes), x)


def squeeze(b, x):
    ones = [axis for axis, size in enumerate(x.type.sizes) if size == 1]
    b.require(ones)
    count = b.random.randint(1, len(ones))
    return b.emit(Squeeze(sorted(b.random.sample(ones, count))), x)


def slice_(b, x):
    offsets, sizes, steps = [], [], []
    for size in x.type.sizes:
        # All of a size that is not known, or its first or last element, in any direction.
        if not isinstance(size, int):
            last = f"{size} - 1"
            offset, count, step = b.random.choice(
                [(0, size, 1), (last, size, -1), (last, 1, 1), (0, 1, 2)]
            )
        else:
            first, end = sorted(b.random.choices(range(size), k=2))
            if b.random.random() < 0.5:
                first, end = 0, size - 1
            step = b.random.choice((1, 1, 2, 3))
            count = (end - first) // step + 1
            offset = first
            if b.random.random() < 0.3:
                offset, step = first + (count - 1) * step, -step
        offsets.append(offset)
        sizes.append(count)
        steps.append(step)
    return b.emit(Slice(offsets, sizes, steps), x)


def concat(b, x):
    if x.type.rank == 0:
        x = expand(b, x)[0]
    axis = b.random.randrange(x.type.rank)
    parts = [x]
    for _ in range(b.random.choice((0, 1, 1, 2, 3))):
        type_ = x.type.but(axis, b.size()) if b.random.random() < 0.7 else x.type
        parts.insert(b.random.randrange(len(parts) + 1), b.operand(type_))
    return b.emit(Concat(axis), *parts)


def split(b, x):
    axes = [a for a, size in enumerate(x.type.sizes) if isinstance(size, int) and size > 1]
    b.require(axes)
    axis = b.random.choice(axes)
    size, sizes = x.type.sizes[axis], []
    while size:
        sizes.append(b.random.randint(1, size) if len(sizes) < 3 else size)
        size -= sizes[-1]
    return b.emit(Split(axis, sizes), x)


def pad(b, x):
    b.require(x.type.rank > 0)
    low = [b.random.choice((0, 0, 1, 4)) for _ in x.type.sizes]
    high = [b.random.choice((0, 0, 2, 3)) for _ in x.type.sizes]
    if x.type.is_float:
        value = b.random.choice((0.0, 1.5, -2.0, -0.0, *elements.NOT_FINITE))
    elif x.type.element == "i1":
        value = b.random.random() < 0.5
    else:
        value = b.random.randint(0 if x.type.element in elements.UNSIGNED else -3, 3)
    return b.emit(Pad(low, high, value), x)


def names_of_ones(b):
    """Sizes that are 1 in the call that a function is made with, and others elsewhere."""
    return [name for name in sorted(b.symbols) if b.symbols[name] == 1]


def broadcast(b, x):
    """Sizes of 1 become others, and new ones come before."""
    ones = [1, *names_of_ones(b)]
    sizes = [
        b.size() if size in ones and b.random.random() < 0.7 else size for size in x.type.sizes
    ]
    front = [b.size() for _ in range(b.random.choice((0, 1, 1, 2)))]
    return b.emit(Broadcast(front + sizes), x)


def partner(b, size):
    """A size to be broadcast together with another one."""
    value = evaluate(size, b.symbols)
    fitting = [name for name in sorted(b.symbols) if value in (1, b.symbols[name])]
    others = [name for name in (*names_of_ones(b), *fitting) if name != size]
    if others and b.random.random() < 0.7:
        return b.random.choice(others)
    return b.random.choice((size, 1, b.size() if value == 1 else size))


def partners(b, sizes):
    """Sizes to be broadcast together with others, one for each."""
    return [partner(b, size) for size in sizes]


def partner_of(b, x, element):
    """A tensor of as many dimensions, of fewer or of more."""
    sizes = partners(b, x.type.sizes)[b.random.choice((0, 0, 0, 1, 2)) :]
    front = [b.size()] if len(sizes) == x.type.rank and b.random.random() < 0.2 else []
    return b.operand(Type(tuple(front + sizes), element))


def broadcast_tensors(b, x):
    operands = [x]
    for _ in range(b.random.choice((0, 1, 1, 1, 2))):
        operands.append(partner_of(b, x, b.random.choice((x.type.element, "f32", "i1"))))
    b.random.shuffle(operands)
    b.require(fit_together([value.type.shape(b.symbols) for value in operands]))
    return b.emit(BroadcastTensors(), *operands)


PROPOSALS = {
    "transpose": transpose, "reshape": reshape, "expand": expand, "squeeze": squeeze,
    "slice": slice_, "concat": concat, "split": split, "pad": pad, "broadcast": broadcast,
    "broadcast_tensors": broadcast_tensors,
}  # fmt: skip
