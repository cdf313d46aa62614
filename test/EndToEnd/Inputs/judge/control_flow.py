# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches and calls around ops on tensors.

Their bodies are blocks that see the values around them, so that nodes of these ops have as
operands only what is handed to the body.
"""
from .elements import FLOATS, literal
from .program import Block, Op


class Uncertain(Exception):
    """Errors decide which way a program goes."""


def names(values):
    return ", ".join(map(str, values))


def types(values):
    return ", ".join(str(value.type) for value in values)


def bind(numbers, targets, values):
    for target, value in zip(targets, [values[v.number] for v in numbers]):
        values[target.number] = value


class For(Op):
    """scf.for from 0 to `count`; `index` is the number of the induction variable."""

    def __init__(self, count, index, body, yields):
        self.count, self.index, self.body, self.yields = count, index, body, yields

    def blocks(self):
        return [self.body]

    def write(self, node, indent):
        at, inner = f"%c{self.index}", indent + "  "
        carried = ", ".join(map(" = ".join, zip(map(str, self.body.arguments),
                                                map(str, node.operands))))  # fmt: skip
        return [
            f"{indent}{at}_first = arith.constant 0 : index",
            f"{indent}{at}_step = arith.constant 1 : index",
            f"{indent}{at}_end = arith.constant {self.count} : index",
            f"{indent}{names(node.results)} = scf.for %i{self.index} = {at}_first to {at}_end "
            f"step {at}_step iter_args({carried}) -> ({types(node.results)}) {{",
            *self.body.write(inner),
            f"{inner}scf.yield {names(self.yields)} : {types(self.yields)}",
            f"{indent}}}",
        ]

    def run(self, node, values, symbols):
        state = [values[value.number] for value in node.operands]
        for step in range(self.count):
            values[self.index] = step
            for argument, value in zip(self.body.arguments, state):
                values[argument.number] = value
            self.body.run(values, symbols)
            state = [values[value.number] for value in self.yields]
        return state


class Condition:
    """A number of a tensor compared with a constant; `where` is its coordinates."""

    def __init__(self, value, relation, constant):
        self.value, self.relation, self.constant = value, relation, constant

    def write(self, name, indent):
        element, number = self.value.type.element, self.value.number
        compare = "arith.cmpf" if element in FLOATS else "arith.cmpi"
        zeros = ", ".join([f"{name}_zero"] * self.value.type.rank)
        return [
            f"{indent}{name}_zero = arith.constant 0 : index",
            f"{indent}{name}_limit = arith.constant {literal(self.constant, element)}",
            f"{indent}{name}_number = tensor.extract %v{number}[{zeros}] : {self.value.type}",
            f"{indent}{name} = {compare} {self.relation}, {name}_number, {name}_limit : {element}",
        ]

    def holds(self, values):
        first = values[self.value.number]
        at = (0,) * self.value.type.rank
        if not first.value.size:
            raise Uncertain
        number, error = first.value[at], first.error[at]
        if error > 0 and abs(number - self.constant) <= error:
            raise Uncertain
        return {"eq": number == self.constant, "ogt": number > self.constant}[self.relation]


class StepCondition:
    """Whether the step of a loop around is even."""

    def __init__(self, index):
        self.index = index

    def write(self, name, indent):
        return [
            f"{indent}{name}_two = arith.constant 2 : index",
            f"{indent}{name}_zero = arith.constant 0 : index",
            f"{indent}{name}_rest = arith.remui %i{self.index}, {name}_two : index",
            f"{indent}{name} = arith.cmpi eq, {name}_rest, {name}_zero : index",
        ]

    def holds(self, values):
        return values[self.index] % 2 == 0


class If(Op):
    """`branches` are those for true and false, each a block and what it yields."""

    def __init__(self, number, condition, branches):
        self.number, self.condition, self.branches = number, condition, branches

    def blocks(self):
        return [block for block, _ in self.branches]

    def write(self, node, indent):
        name, inner = f"%c{self.number}", indent + "  "
        (first, first_yields), (second, second_yields) = self.branches
        return [
            *self.condition.write(name, indent),
            f"{indent}{names(node.results)} = scf.if {name} -> ({types(node.results)}) {{",
            *first.write(inner),
            f"{inner}scf.yield {names(first_yields)} : {types(first_yields)}",
            f"{indent}}} else {{",
            *second.write(inner),
            f"{inner}scf.yield {names(second_yields)} : {types(second_yields)}",
            f"{indent}}}",
        ]

    def run(self, node, values, symbols):
        block, yields = self.branches[0 if self.condition.holds(values) else 1]
        block.run(values, symbols)
        return [values[value.number] for value in yields]


class While(Op):
    """scf.while: `before` computes whether it goes on and hands on `forwarded`."""

    MOST = 50

    def __init__(self, number, before, condition, forwarded, after, yields):
        self.number, self.before, self.condition = number, before, condition
        self.forwarded, self.after, self.yields = forwarded, after, yields

    def blocks(self):
        return [self.before, self.after]

    def write(self, node, indent):
        name, inner = f"%c{self.number}", indent + "  "
        carried = ", ".join(map(" = ".join, zip(map(str, self.before.arguments),
                                                map(str, node.operands))))  # fmt: skip
        taken = ", ".join(f"{value}: {value.type}" for value in self.after.arguments)
        return [
            f"{indent}{names(node.results)} = scf.while ({carried}) : "
            f"({types(node.operands)}) -> ({types(node.results)}) {{",
            *self.before.write(inner),
            *self.condition.write(name, inner),
            f"{inner}scf.condition({name}) {names(self.forwarded)} : {types(self.forwarded)}",
            f"{indent}}} do {{",
            f"{indent}^bb0({taken}):",
            *self.after.write(inner),
            f"{inner}scf.yield {names(self.yields)} : {types(self.yields)}",
            f"{indent}}}",
        ]

    def run(self, node, values, symbols):
        bind(node.operands, self.before.arguments, values)
        for _ in range(self.MOST):
            self.before.run(values, symbols)
            if not self.condition.holds(values):
                return [values[value.number] for value in self.forwarded]
            bind(self.forwarded, self.after.arguments, values)
            self.after.run(values, symbols)
            bind(self.yields, self.before.arguments, values)
        raise Uncertain


class Call(Op):
    def __init__(self, callee):
        self.callee = callee

    def blocks(self):
        return [self.callee.block]

    def results(self, *operands):
        return [value.type for value in self.callee.results]

    def text(self, operands, taken, given):
        results = ", ".join(map(str, given))
        listed = ", ".join(map(str, taken))
        return f"func.call @{self.callee.name}({', '.join(operands)}) : ({listed}) -> ({results})"

    def run(self, node, values, symbols):
        bind(node.operands, self.callee.block.arguments, values)
        self.callee.block.run(values, symbols)
        return [values[value.number] for value in self.callee.results]


class Callee:
    """A private function."""

    def __init__(self, name):
        self.name, self.block, self.results = name, Block(), []
        self.arguments, self.weights = [], []

    def write(self):
        taken = ", ".join(f"{value}: {value.type}" for value in self.block.arguments)
        return [
            *(weight.write() for weight in self.weights),
            f"func.func private @{self.name}({taken}) -> ({types(self.results)}) {{",
            *self.block.write("  "),
            f"  return {names(self.results)} : {types(self.results)}",
            "}",
        ]
