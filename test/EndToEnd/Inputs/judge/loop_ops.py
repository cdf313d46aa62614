# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that read and write tensors at the step of a loop, and make one of it."""
import numpy

from .bounded import Bounded, each
from .bounded import stored
from .program import Op
from .tensors import Type


class StepOp(Op):
    """`index` is the number of the induction variable of a loop around."""

    def __init__(self, index, axis=0):
        self.index, self.axis = index, axis

    def place(self, node, type_, source, indent):
        """The offsets, sizes and steps of a slice of `type_`, and the lines that they need."""
        lines, sizes = [], []
        for dim, size in enumerate(type_.sizes):
            if isinstance(size, int):
                sizes.append(str(size))
                continue
            name = f"%d{node.results[0].number}_{dim}"
            lines.append(f"{indent}{name}_axis = arith.constant {dim} : index")
            lines.append(f"{indent}{name} = tensor.dim {source}, {name}_axis : {source.type}")
            sizes.append(name)
        offsets = ["0"] * type_.rank
        offsets[self.axis] = f"%i{self.index}"
        lists = [offsets, sizes, ["1"] * type_.rank]
        return " ".join(f"[{', '.join(words)}]" for words in lists), lines

    def run(self, node, values, symbols):
        operands = [values[value.number] for value in node.operands]
        (result,) = node.results
        return [stored(self.at(values[self.index], *operands), result.type.element)]

    def at(self, step, *operands):
        raise NotImplementedError


class StepSlice(StepOp):
    """What is past the end is the last."""

    def results(self, x):
        return [x.but(self.axis, 1)]

    def write(self, node, indent):
        (x,), (y,) = node.operands, node.results
        place, lines = self.place(node, y.type, x, indent)
        text = f"{indent}{y} = tensor.extract_slice {x}{place} : {x.type} to {y.type}"
        return [*lines, text]

    def at(self, step, x):
        if not x.shape[self.axis]:  # Calls refuse that, unless there is no result either.
            shape = x.shape[: self.axis] + (1,) + x.shape[self.axis + 1 :]
            return Bounded(numpy.zeros(shape, x.value.dtype), numpy.full(shape, numpy.inf))
        place = min(step, x.shape[self.axis] - 1)
        return each(lambda a: a.take([place], self.axis), x)


class StepInsert(StepOp):
    """What is past the end is written nowhere. Either of two ops says so."""

    def results(self, x, part):
        return [x]

    def write(self, node, indent):
        (x, part), (y,) = node.operands, node.results
        if (self.index + self.axis) % 2:
            place = f"{part} into {x} at %i{self.index} axis({self.axis})"
            return [f"{indent}{y} = heddle.insert {place} : {part.type} into {x.type}"]
        place, lines = self.place(node, part.type, x, indent)
        text = f"{indent}{y} = tensor.insert_slice {part} into {x}{place} "
        return [*lines, f"{text}: {part.type} into {x.type}"]

    def at(self, step, x, part):
        def insert(array, slice_):
            array = numpy.array(array)
            if step < array.shape[self.axis]:
                array[(slice(None),) * self.axis + (slice(step, step + 1),)] = slice_
            return array

        return each(insert, x, part)


class StepNumber(StepOp):
    def results(self):
        return [Type((), "i64")]

    def text(self, names, types, results):
        return f"heddle.from_number %i{self.index} : index -> {results[0]}"

    def at(self, step):
        return Bounded(numpy.array(step))


def index_of(b):
    b.require(b.loops)
    return b.random.choice(b.loops)


def step_slice(b, x):
    index = index_of(b)
    b.require(x.type.rank > 0)
    return b.emit(StepSlice(index, b.random.randrange(x.type.rank)), x)


def step_insert(b, x):
    index = index_of(b)
    b.require(x.type.rank > 0)
    axis = b.random.randrange(x.type.rank)
    part = b.operand(x.type.but(axis, 1))
    return b.emit(StepInsert(index, axis), x, part)


def step_number(b, _):
    return b.emit(StepNumber(index_of(b)))


PROPOSALS = {"step_slice": step_slice, "step_insert": step_insert, "step_number": step_number}
