# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions that chain ops of all kinds, with loops, branches and calls."""
import functools

import numpy

from . import elements, elementwise_ops, indexing_ops, layer_ops, loop_ops, product_ops
from . import quantization_ops, reduction_ops, shape_ops, special
from .builder import SIZES, Builder, Rejected, draw_symbols
from .comparing import WRONG, would_notice
from .control_flow import Callee, Call, Condition, For, If, StepCondition, Uncertain, While
from .elementwise_ops import FLOAT_BINARY, FLOAT_UNARY, Elementwise
from .loop_ops import StepInsert, StepSlice
from .program import Block, Function, Node
from .tensors import Type

PROPOSALS = {
    **shape_ops.PROPOSALS, **indexing_ops.PROPOSALS, **reduction_ops.PROPOSALS,
    **product_ops.PROPOSALS, **quantization_ops.PROPOSALS, **elementwise_ops.PROPOSALS, **layer_ops.PROPOSALS,
    **loop_ops.PROPOSALS,
}  # fmt: skip
# How often an op is proposed; 1 where nothing is said.
WEIGHTS = {"unary": 4, "binary": 6, "matmul": 2, "linear": 2, "select": 2,
           "transpose": 2, "reshape": 2, "slice": 2, "step_slice": 3, "step_insert": 3, "step_number": 4}  # fmt: skip


def propose_each(name, kinds, weight):
    """Proposes an op by each of its kinds, so that few modules have all of them."""
    propose = PROPOSALS.pop(name)
    for kind in kinds:
        PROPOSALS[f"{name}_{kind}"] = functools.partial(propose, kind=kind)
        WEIGHTS[f"{name}_{kind}"] = weight / len(kinds)


propose_each("scatter", indexing_ops.Scatter.COMBINE, 1)
propose_each("reduce", reduction_ops.FLOAT_KINDS + reduction_ops.TRUTH_KINDS, 3)


class GraphBuilder(Builder):
    """Refuses results that are too large or too uncertain to be compared."""

    # The share of elements of which little may be known: an index that hangs on a rounding,
    # and a number between two floats of 16 bits.
    DOUBTFUL = 0.1

    def __init__(self, function, rng, symbols, seed):
        super().__init__(function, rng, symbols, seed, special.ZeroFills())

    def is_usable(self, value):
        if not value.is_float:
            return numpy.isinf(value.error).mean() <= self.DOUBTFUL
        if not numpy.isfinite(value.value).all():
            return False
        largest = numpy.abs(value.value).max()
        doubtful = (value.error > WRONG / 2 * largest).mean()
        return largest < 1e6 and doubtful <= self.DOUBTFUL and would_notice(value)

    def nested(self, block, function=None):
        """A builder of a block that sees the values of this one."""
        inner = GraphBuilder(function or self.function, self.random, self.symbols, self.seed)
        inner.block, inner.known, inner.numbers = block, self.known, self.numbers
        inner.weights = self.weights
        inner.root = self.root
        inner.values = [*self.values, *block.arguments]
        inner.loops, inner.depth = list(self.loops), self.depth + 1
        return inner

    loops = ()
    depth = 0
    wanted = ()  # of the root: kinds that are tried before any others

    # ---- Steps

    def choose(self):
        """A value, rather a late one."""
        late = self.values[-4:]
        return self.random.choice(late if self.random.random() < 0.6 else self.values)

    def proposals(self):
        """What the root still wants, then any; kinds with their functions."""
        for kind in list(self.root.wanted):
            yield kind, PROPOSALS[kind]
        for _ in range(30):
            flow = FLOWS if self.depth < 2 and self.random.random() < 0.12 else None
            table, weights = (flow, {}) if flow else (PROPOSALS, WEIGHTS)
            kinds = sorted(table)
            chances = [weights.get(kind, 1) for kind in kinds]
            (kind,) = self.random.choices(kinds, chances)
            yield kind, table[kind]

    def step(self):
        """Adds an op of any kind; of those that are refused nothing stays in use."""
        for kind, propose in self.proposals():
            count = len(self.block.nodes)
            values = list(self.values)
            try:
                results = propose(self, self.choose())
                self.root.wanted = [other for other in self.root.wanted if other != kind]
                return results
            except (Rejected, Uncertain):
                # Arguments stay, as others may have been given to the function meanwhile.
                del self.block.nodes[count:]
                kept = {a.value for a in self.root.function.arguments}
                self.values = [v for v in self.values if v in values or v in kept]
        raise Rejected

    def steps(self, least, most):
        for _ in range(self.random.randint(least, most)):
            self.step()

    def new_value(self, type_, before):
        """A value of a type that is none of those before, if need be of one more op."""
        self.require(type_.element in elements.ARITHMETIC)
        for value in reversed(self.values):
            if value.type == type_ and value not in before:
                return value
        same = [value for value in self.values if value.type == type_]
        source = self.random.choice(same)
        if type_.element == "i1":
            mnemonic = "arith.xori"
        else:
            mnemonic = "arith.subf" if type_.is_float else "arith.subi"
        formula = {**FLOAT_BINARY, **elementwise_ops.INTEGER_BINARY}[mnemonic]
        operand = elementwise_ops.constant(self, type_)
        return self.emit(Elementwise(mnemonic, formula), operand, source)[0]

    def finish(self, node):
        """Adds a node of control flow, which computes its results from all that is known."""
        self.add(node, node.op.run(node, self.known, self.symbols))
        return node.results


# ---- Control flow


def carried_by(b, x):
    """What a loop carries round: x and up to two more values, maybe x again."""
    return [x] + [b.random.choice(b.values) for _ in range(b.random.choice((0, 0, 1, 2)))]


def start(b, values):
    """A block whose arguments begin as given values."""
    block = Block([b.fresh(value.type) for value in values])
    for argument, value in zip(block.arguments, values):
        b.known[argument.number] = b.known[value.number]
    return block


def loop(b, x):
    operands = carried_by(b, x)
    block = start(b, operands)
    inner = b.nested(block)
    index = b.fresh(None).number
    b.known[index] = 0
    inner.loops.append(index)
    inner.steps(1, 3)
    before = [*b.values, *block.arguments]
    yields = [inner.new_value(operands[0].type, before)]
    for value in operands[1:]:
        yields.append(b.random.choice([v for v in inner.values if v.type == value.type]))
    order = [v.type for v in yields] == [v.type for v in reversed(yields)]
    if order and b.random.random() < 0.3:
        yields.reverse()
    op = For(b.random.choice((0, 1, 2, 3, 4)), index, block, yields)
    return b.finish(Node(op, operands, [b.fresh(value.type) for value in operands]))


COMBINED = {"f32": "arith.addf", "f64": "arith.addf", "bf16": "arith.addf", "f16": "arith.maximumf",
            "i1": "arith.xori"}  # fmt: skip


def recurrence(b, x):
    """Each step combines a part of x with what the last one made, and writes it to x."""
    b.require(x.type.rank > 0 and x.type.element in elements.ARITHMETIC)
    axis = b.random.randrange(x.type.rank)
    operands = [b.operand(x.type.but(axis, 1)), x]
    block = start(b, operands)
    inner = b.nested(block)
    index = b.fresh(None).number
    b.known[index] = 0
    inner.loops.append(index)
    (part,) = inner.emit(StepSlice(index, axis), b.random.choice((x, block.arguments[1])))
    mnemonic = COMBINED.get(x.type.element, "arith.addi")
    formula = {**FLOAT_BINARY, **elementwise_ops.INTEGER_BINARY}[mnemonic]
    (combined,) = inner.emit(Elementwise(mnemonic, formula), block.arguments[0], part)
    (written,) = inner.emit(StepInsert(index, axis), block.arguments[1], combined)
    op = For(b.random.choice((1, 2, 3, 5)), index, block, [combined, written])
    return b.finish(Node(op, operands, [b.fresh(value.type) for value in operands]))


def branch(b, x):
    """By a number that the caller gives, by one that is computed, or by the step of a loop."""
    if b.loops and b.random.random() < 0.5:
        condition = StepCondition(b.random.choice(b.loops))
    elif b.random.random() < 0.6:
        element = b.random.choice(("i32", "i1"))
        sizes = b.random.choice(((), (1,), (3,)))
        flag = b.argument(Type(sizes, element), b.fills.existing(2))
        condition = Condition(flag, "eq", 0)
    else:
        b.require(x.type.is_float and x.type.element in elements.ARITHMETIC)
        condition = Condition(x, "ogt", 0.25)
    results = carried_by(b, x)
    branches = []
    for _ in range(2):
        block = Block()
        inner = b.nested(block)
        inner.steps(0, 2)
        yields = [inner.new_value(x.type, b.values) if b.random.random() < 0.8 else x]
        for value in results[1:]:
            yields.append(b.random.choice([v for v in inner.values if v.type == value.type]))
        branches.append((block, yields))
    op = If(b.fresh(None).number, condition, branches)
    return b.finish(Node(op, [], [b.fresh(value.type) for value in results]))


def until_small(b, x):
    """Halved as often as its largest magnitude needs."""
    b.require(x.type.is_float and x.type.rank > 0 and x.type.element in elements.ARITHMETIC)
    before = start(b, [x])
    inner = b.nested(before)
    magnitude = inner.emit(Elementwise("math.absf", FLOAT_UNARY["math.absf"]), before.arguments[0])
    axes = list(range(x.type.rank))
    most = inner.emit(reduction_ops.Reduce("max", axes, True), *magnitude)[0]
    forwarded = [before.arguments[0]] + [most] * b.random.choice((0, 1))
    after = start(b, forwarded)
    body = b.nested(after)
    half = elementwise_ops.constant(body, x.type, b.random.choice((0.5, 0.25)))
    yields = body.emit(Elementwise("arith.mulf", FLOAT_BINARY["arith.mulf"]),
                       after.arguments[0], half)  # fmt: skip
    op = While(b.fresh(None).number, before, Condition(most, "ogt", b.random.choice((0.3, 1.0))),
               forwarded, after, yields)  # fmt: skip
    return b.finish(Node(op, [x], [b.fresh(value.type) for value in forwarded]))


class CalleeBuilder(GraphBuilder):
    """What a function is not given it does not have."""

    def argument(self, type_, fill=None):
        raise Rejected

    def nested(self, block, function=None):
        inner = super().nested(block, function)
        inner.__class__ = CalleeBuilder
        return inner


def call(b, x):
    """A private function, called once or twice."""
    root = b.root.function
    b.require(isinstance(root, Function))
    operands = carried_by(b, x)
    callee = Callee(f"{root.name}_callee{len(root.callees)}")
    callee.block = start(b, operands)
    inner = CalleeBuilder(callee, b.random, b.symbols, b.seed)
    inner.block, inner.known, inner.numbers = callee.block, b.known, b.numbers
    inner.values, inner.depth = list(callee.block.arguments), b.depth + 1
    inner.steps(1, 3)
    callee.results = [inner.new_value(x.type, operands + callee.block.arguments)]
    callee.results += [inner.choose() for _ in range(b.random.choice((0, 1)))]
    op = Call(callee)
    root.callees.append(callee)
    results = b.finish(Node(op, operands, [b.fresh(v.type) for v in callee.results]))
    if b.random.random() < 0.4:
        again = [results[0], *operands[1:]]
        return b.finish(Node(op, again, [b.fresh(v.type) for v in callee.results]))
    return results


FLOWS = {"loop": loop, "recurrence": recurrence, "branch": branch, "until_small": until_small, "call": call}


# ---- Whole functions


def kinds_of(seed):
    """Two kinds that a seed's module has where they can be had: a few dozen seeds have all."""
    kinds = sorted(PROPOSALS)
    return [kinds[(2 * seed + other) % len(kinds)] for other in range(2)]


def make_function(name, rng, wanted=()):
    """A function, and the symbols and the seed that it was made with."""
    while True:
        function = Function(name)
        symbols = draw_symbols(rng, "nmk"[: rng.choice((0, 1, 2, 3))], SIZES[:10])
        seed = [rng.getrandbits(30)]
        builder = GraphBuilder(function, rng, symbols, seed)
        builder.wanted = list(wanted)
        try:
            for _ in range(rng.choice((1, 1, 2))):
                element = rng.choice(GraphBuilder.ELEMENTS)
                builder.argument(Type(builder.shape(rng.choice((0, 1, 2, 2, 3, 3, 4))), element))
            builder.steps(3, 14)
            function.results = choose_results(builder)
        except Rejected:
            continue
        return function, symbols, seed


def choose_results(b):
    """What came last, some values from anywhere, arguments among them, and one twice."""
    chosen = [b.values[-1]] + [b.choose() for _ in range(b.random.choice((0, 0, 1, 2, 3)))]
    if b.random.random() < 0.15:
        chosen.append(b.random.choice(chosen))
    return chosen
