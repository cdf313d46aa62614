# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of ops, as text and as what they compute."""
from typing import Any, NamedTuple

from . import elements
from .bounded import Bounded, stored
from .tensors import Type, names_in


class Value(NamedTuple):
    """A value of a function, known by its number."""

    number: int
    type: Type

    def __str__(self):
        return f"%v{self.number}"


class Op:
    """An op with its attributes.

    `results` gives the types of its results for those of its operands, `text` what stands
    right of the equals sign, and `compute` the meaning of its description: Bounded results
    of Bounded operands, for the values of all symbols.
    """

    def results(self, *types):
        raise NotImplementedError

    def text(self, names, types, results):
        raise NotImplementedError

    def compute(self, symbols, *operands):
        raise NotImplementedError

    def write(self, node, indent):
        """The lines of a node of this op."""
        names = [str(value) for value in node.operands]
        types = [value.type for value in node.operands]
        left = ", ".join(str(value) for value in node.results)
        right = self.text(names, types, [value.type for value in node.results])
        return [f"{indent}{left} = {right}"]

    def blocks(self):
        """Those inside of the op."""
        return []

    def accepts(self, types, symbols):
        """Whether operands of these types go together in a call with these sizes."""
        return True

    def run(self, node, values, symbols):
        """The results of a node of this op; `values` has those of all numbers so far."""
        results = self.compute(symbols, *(values[v.number] for v in node.operands))
        results = results if isinstance(results, (list, tuple)) else [results]
        return [stored(r, v.type.element) for r, v in zip(results, node.results)]


class Node(NamedTuple):
    op: Op
    operands: list
    results: list


class Block:
    """Nodes that run one after the other on values that the block is given."""

    def __init__(self, arguments=()):
        self.arguments, self.nodes = list(arguments), []

    def write(self, indent):
        return [line for node in self.nodes for line in node.op.write(node, indent)]

    def accepts(self, symbols):
        """Whether all ops accept a call with these sizes, whatever way it goes."""
        return all(
            node.op.accepts([value.type for value in node.operands], symbols)
            and all(block.accepts(symbols) for block in node.op.blocks())
            for node in self.nodes
        )

    def run(self, values, symbols):
        for node in self.nodes:
            for value, result in zip(node.results, node.op.run(node, values, symbols)):
                expected = value.type.shape(symbols)
                assert result.shape == expected, (node.op, result.shape, expected)
                values[value.number] = result


class Argument(NamedTuple):
    """An argument and its fill (fills.py)."""

    value: Value
    fill: Any

    def array(self, generator, symbols):
        type_ = self.value.type
        return elements.stored(self.fill(generator, type_.shape(symbols), symbols), type_.element)


class Weight(NamedTuple):
    name: str
    type: Type
    array: Any

    def write(self):
        array = self.array.astype(elements.FILES[self.type.element])
        data = array.tobytes().hex().upper()
        if array.size == 1:
            data = "".join(reversed([data[i : i + 2] for i in range(0, len(data), 2)]))
            return f"heddle.weight @{self.name} = dense<0x{data}> : {self.type}"
        return f'heddle.weight @{self.name} = dense<"0x{data}"> : {self.type}'


class Function:
    """An entry point, with the weights and functions that it uses."""

    def __init__(self, name):
        self.name = name
        self.arguments, self.weights, self.callees, self.results = [], [], [], []
        self.block = Block()

    def symbols(self):
        sizes = [size for argument in self.arguments for size in argument.value.type.sizes]
        return sorted(set().union(*map(names_in, sizes))) if sizes else []

    def write(self):
        arguments = []
        for index, argument in enumerate(self.arguments):
            type_ = argument.value.type
            known = ", ".join(f'"{size}"' for size in type_.sizes if isinstance(size, str))
            sizes = f", heddle.sizes = [{known}]" if known else ""
            arguments.append(f'{argument.value}: {type_} {{heddle.name = "a{index}"{sizes}}}')
        types = ", ".join(str(value.type) for value in self.results)
        values = ", ".join(str(value) for value in self.results)
        lines = [weight.write() for weight in self.weights]
        for callee in self.callees:
            lines += callee.write()
        lines.append(f"func.func @{self.name}({', '.join(arguments)}) -> ({types}) {{")
        lines += self.block.write("  ")
        lines += [f"  return {values} : {types}", "}"]
        return "\n".join(lines) + "\n"

    def run(self, inputs, symbols):
        """Bounded results for one array for each argument."""
        values = {}
        for argument, array in zip(self.arguments, inputs):
            values[argument.value.number] = Bounded(array)
        self.block.run(values, symbols)
        return [values[value.number] for value in self.results]


def write_op(names, types, results, attributes, mnemonic):
    """The form of ops of the heddle dialect."""
    taken, given = ", ".join(map(str, types)), ", ".join(map(str, results))
    return f"{mnemonic} {', '.join(names)}{attributes} : {taken} -> {given}"
