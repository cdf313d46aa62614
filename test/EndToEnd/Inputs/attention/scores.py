# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of scores as text and as arrays, [batch, heads, queries, keys]."""
import math

import numpy

from judge.elements import nearest

from .masks import DIMS

TYPE = "tensor<{batch}x{heads}x?x?x{wide}>"


class Changes:
    """Draws a chain of changes for a function. `values` are what they add to scores and
    how far f32 may be from it."""

    def __init__(self, function, random):
        self.function, self.random = function, random
        batch = function.all_batches
        self.wide = function.wide
        self.type = TYPE.format(batch=batch if batch.isdigit() else "?", heads=function.heads,
                                wide=self.wide)  # fmt: skip
        self.lines, self.operands, self.steps, self.count = [], [], [], 0
        self.has_extremes = False

    def name(self):
        self.count += 1
        return f"%c{self.count}"

    def generic(self, inputs, arguments, body, tables=""):
        """A heddle.generic over all scores; `inputs` are (name, type, dimensions)."""
        result = self.name()
        batch = self.function.all_batches
        batch = batch if batch.isdigit() else f'"{batch}"'
        sizes = f'{batch}, {self.function.heads}, "queries", "keys"'
        names = ", ".join(name for name, _, _ in inputs)
        types = ", ".join(type_ for _, type_, _ in inputs)
        maps = ", ".join(
            "affine_map<(d0, d1, d2, d3) -> ("
            + ", ".join(f"d{DIMS.index(dim)}" for dim in dims) + ")>"
            for _, _, dims in inputs
        )  # fmt: skip
        lines = "".join(f"        {line}\n" for line in body).replace(": f32", f": {self.wide}")
        lines = lines.replace("to f32", f"to {self.wide}")
        arguments = arguments.replace(": f32", f": {self.wide}")
        self.lines.append(
            f"      {result} = heddle.generic over [{sizes}] ins({names} : {types})"
            f" maps [{maps}]{tables} {{\n      ^bb0({arguments}):\n{lines}"
            f"        heddle.yield %result : {self.wide}\n      }} : {self.type}"
        )
        return result

    def operand(self, name, type_):
        inside = f"%o{len(self.operands)}"
        self.operands.append((name, type_, inside))
        return inside

    def softcap(self, score):
        cap = self.random.choice((0.5, 2.0, 30.0))
        self.steps.append(lambda s, e, a: (cap * numpy.tanh(s / cap), e + 8 * abs(cap)))
        return self.generic(
            [(score, self.type, DIMS)],
            "%e: f32",
            [f"%cap = arith.constant {cap} : f32", "%x = arith.divf %e, %cap : f32",
             "%y = math.tanh %x : f32", "%result = arith.mulf %y, %cap : f32"],
        )  # fmt: skip

    def twice(self, score):
        """An op of tensors: a score and itself."""
        self.steps.append(lambda s, e, a: (s + s, 2 * e))
        result = self.name()
        self.lines.append(f"      {result} = arith.addf {score}, {score} : {self.type}")
        return result

    def temperature(self, score):
        factor = self.random.choice((0.25, 1.5, -0.5))
        self.steps.append(lambda s, e, a: (s * factor, e * abs(factor)))
        return self.generic(
            [(score, self.type, DIMS)],
            "%e: f32",
            [f"%by = arith.constant {factor} : f32", "%result = arith.mulf %e, %by : f32"],
        )

    def bias(self, score):
        """A tensor over some of the dimensions, with masks of -inf and lowest numbers."""
        over = tuple(dim for dim in DIMS if self.random.random() < 0.7)
        kind = self.random.choice(("plain", "plain", "infinite", "lowest"))
        if kind == "lowest" and self.function.normalize != "softmax":
            kind = "plain"  # sums of such scores are infinite
        lowest = float(numpy.finfo(numpy.float32).min)
        self.has_extremes |= kind == "lowest"

        def fill(generator, space):
            shape = [space[DIMS.index(dim)] for dim in over]
            array = generator.standard_normal(shape)
            if kind != "plain":
                dropped = generator.random(shape) < 0.3
                array = numpy.where(dropped, -numpy.inf if kind == "infinite" else lowest, array)
            return array

        name, type_ = self.function.argument(over, self.wide, fill)
        inside = self.operand(name, type_)
        result = self.generic(
            [(score, self.type, DIMS), (inside, type_, over)],
            "%e: f32, %b: f32",
            ["%result = arith.addf %e, %b : f32"],
        )

        def step(s, e, arrays):
            shape = [s.shape[axis] if dim in over else 1 for axis, dim in enumerate(DIMS)]
            array = arrays[name].reshape(shape)
            with numpy.errstate(all="ignore"):
                total = s + array
            scale = numpy.where(array > -1e30, numpy.abs(array), 0)
            return total, e + 2 * scale

        self.steps.append(step)
        return result

    def linear_bias(self, score):
        """ALiBi: slopes[h] * (k - q), of what the region knows of its place."""
        slopes, type_ = self.function.argument(
            ("head",), self.wide, lambda g, space: 2.0 ** -g.integers(1, 9, space[1])
        )
        inside = self.operand(slopes, type_)
        result = self.generic(
            [(score, self.type, DIMS), (inside, type_, ("head",))],
            "%e: f32, %slope: f32",
            ["%i = heddle.index 2", "%j = heddle.index 3", "%d = arith.subi %j, %i : i32",
             "%f = arith.sitofp %d : i32 to f32", "%p = arith.mulf %slope, %f : f32",
             "%result = arith.addf %e, %p : f32"],
        )  # fmt: skip

        def step(s, e, arrays):
            _, _, queries, keys = s.shape
            distance = numpy.arange(keys)[None, :] - numpy.arange(queries)[:, None]
            bias = arrays[slopes].reshape(1, -1, 1, 1) * distance
            return s + bias, e + 3 * numpy.abs(bias)

        self.steps.append(step)
        return result

    def buckets(self, score):
        """A table that is read at what the place gives, as T5's relative positions."""
        rows = self.random.choice((4, 9))
        table, type_ = self.function.argument(
            (rows, "head"), self.wide, lambda g, space: g.standard_normal((rows, space[1]))
        )
        inside = self.operand(table, type_)
        result = self.generic(
            [(score, self.type, DIMS)],
            f"%e: f32, %t: {type_}",
            ["%h = heddle.index 1", "%i = heddle.index 2", "%j = heddle.index 3",
             "%d = arith.subi %j, %i : i32", f"%x = heddle.read %t[%d, %h] : {type_}",
             "%result = arith.addf %e, %x : f32"],
            f" tables({inside} : {type_})",
        )  # fmt: skip

        def step(s, e, arrays):
            _, _, queries, keys = s.shape
            distance = numpy.arange(keys)[None, :] - numpy.arange(queries)[:, None]
            bias = arrays[table][numpy.clip(distance, 0, rows - 1)]
            bias = numpy.moveaxis(bias, 2, 0)[None]
            return s + bias, e + 2 * numpy.abs(bias)

        self.steps.append(step)
        return result

    def place(self):
        """The text of where queries stand among keys, and how far each key is behind."""
        kind = self.random.choice(("top_left", "bottom_right", "offset"))
        if kind != "offset":
            def distance(shape, _):
                shift = shape[3] - shape[2] if kind == "bottom_right" else 0
                return numpy.arange(shape[3]) - numpy.arange(shape[2])[:, None] - shift

            return f"align({kind})", lambda shape, arrays: distance(shape, arrays)[None]
        name, type_ = self.function.argument(
            ("batch",), "i32", lambda g, space: g.integers(-5, space[3] + 5, space[0])
        )
        inside = self.operand(name, type_)

        def per_sequence(shape, arrays):
            place = numpy.arange(shape[2])[:, None] + arrays[name].reshape(-1, 1, 1)
            return numpy.arange(shape[3]) - place

        return f"offset({inside} : {type_})", per_sequence

    def sugar(self, text):
        result = self.name()
        self.lines.append(f"      {result} = heddle.{text}")
        return result

    def softcap_op(self, score):
        cap = self.random.choice((0.5, 2.0, 30.0))
        self.steps.append(lambda s, e, a: (cap * numpy.tanh(s / cap), e + 8 * abs(cap)))
        return self.sugar(f"softcap {score} cap({cap}) : {self.type}")

    def alibi(self, score):
        slopes, type_ = self.function.argument(
            ("head",), "f32", lambda g, space: 2.0 ** -g.integers(1, 9, space[1])
        )
        inside = self.operand(slopes, type_)
        text, distance = self.place()

        def step(s, e, arrays):
            bias = arrays[slopes].reshape(1, -1, 1, 1) * distance(s.shape, arrays)[:, None]
            return s + bias, e + 3 * numpy.abs(bias)

        self.steps.append(step)
        return self.sugar(f"alibi {score}, {inside} {text} : {self.type}, {type_}")

    def relative_bias(self, score):
        kind = self.random.choice((None, "both", "causal"))
        rows = self.random.choice((4, 8, 32) if kind else (1, 7, 33))
        last = self.random.choice((rows, 40, 128))
        table, type_ = self.function.argument(
            (rows, "head"), "f32", lambda g, space: g.standard_normal((rows, space[1]))
        )
        inside = self.operand(table, type_)
        text, distance = self.place()
        buckets = f" buckets({kind}, {last})" if kind else ""

        def row(n):
            if not kind:
                return numpy.clip(n, -(rows // 2), rows // 2) + rows // 2
            count = rows // 2 if kind == "both" else rows
            exact = count // 2
            d = numpy.abs(n) if kind == "both" else numpy.maximum(-n, 0)
            # What is a whole number but for its rounding is one.
            grown = numpy.log(numpy.maximum(d, exact) / exact) / math.log(last / exact)
            grown = numpy.floor(grown * (count - exact) + 1e-9).astype(int)
            found = numpy.where(d < exact, d, numpy.minimum(count - 1, exact + grown))
            return found + numpy.where((n > 0) & (kind == "both"), count, 0)

        def step(s, e, arrays):
            bias = numpy.moveaxis(arrays[table][row(distance(s.shape, arrays))], 3, 1)
            return s + bias, e + 2 * numpy.abs(bias)

        self.steps.append(step)
        return self.sugar(f"relative_bias {score}, {inside}{buckets} {text} : {self.type}, {type_}")

    def draw(self):
        score = "%score"
        kinds = [self.softcap, self.temperature, self.twice, self.bias, self.bias,
                 self.linear_bias, self.buckets]  # fmt: skip
        if self.wide == "f32":
            kinds += [self.softcap_op, self.alibi, self.relative_bias]
        for _ in range(self.random.choice((1, 1, 2, 3))):
            score = self.random.choice(kinds)(score)
        self.result = score
        return self

    def text(self):
        operands = ""
        if self.operands:
            names = ", ".join(name for name, _, _ in self.operands)
            types = ", ".join(type_ for _, type_, _ in self.operands)
            operands = f"({names} : {types})"
        arguments = [f"%score: {self.type}"]
        arguments += [f"{inside}: {type_}" for _, type_, inside in self.operands]
        lines = "\n".join(self.lines)
        return (
            f"score{operands} {{\n    ^bb0({', '.join(arguments)}):\n{lines}\n"
            f"      heddle.yield {self.result} : {self.type}\n    }}"
        )

    def apply(self, scores, errors, arrays):
        """Changed scores, and their errors in units of the rounding."""
        for step in self.steps:
            scores, errors = step(scores, errors, arrays)
            scores = nearest(scores, self.wide) if self.has_extremes else scores
            errors = errors + 2 * numpy.where(numpy.abs(scores) < 1e30, numpy.abs(scores), 0)
        return scores, errors
