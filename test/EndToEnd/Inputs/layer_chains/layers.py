# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that treat each token by itself, elementwise maths, and the last tokens."""
from operator import add, mul, sub

from .formulas import ACTIVATIONS, dot, norm_of


class Layers:
    def embedding(self):
        name, text, rows = self.weight(self.vocabulary, self.width)
        return self.emit(
            f"heddle.embedding %ids, {name} : tensor<?x?xi32>, {text}",
            True,
            self.width,
            lambda values, call: [rows[i] for i in values["%ids"]],
        )

    def norm(self, x):
        name, text, scale = self.weight(x.channels, is_norm=True)

        return self.emit(
            f"heddle.rms_norm {x.name}, {name} epsilon(1.0e-5) : {self.type(x)}, {text}",
            x.has_tokens,
            x.channels,
            lambda values, _: [norm_of(row, scale, 1e-5) for row in values[x.name]],
        )

    def linear(self, x, outputs=None):
        if not outputs:
            small = self.random.choice([1, 2, 5, 16, 24, 33, 64, 100])
            outputs = self.random.choice([x.channels, self.width, small])
        name, text, rows = self.weight(outputs, x.channels)
        bias, clause = [0.0] * outputs, ""
        if self.random.random() < 0.3:
            bias_name, bias_type, bias = self.weight(outputs)
            clause = f" bias({bias_name} : {bias_type})"
        return self.emit(
            f"heddle.linear {x.name}, {name}{clause} : {self.type(x)}, {text}",
            x.has_tokens,
            outputs,
            lambda values, _: [
                [dot(row, w) + b for w, b in zip(rows, bias)] for row in values[x.name]
            ],
        )

    def unary(self, x):
        text, function = self.random.choice(
            [(f"heddle.activation {kind}", function) for kind, function in ACTIVATIONS]
            + [("arith.negf", lambda value: -value)]
        )
        return self.emit(
            f"{text} {x.name} : {self.type(x)}",
            x.has_tokens,
            x.channels,
            lambda values, _: [list(map(function, row)) for row in values[x.name]],
        )

    def binary(self, x, y=None):
        alike = [v for v in self.values if v[1:] == x[1:] and v != x]
        if not y and not alike:
            return x
        y = y or self.random.choice(alike)
        text, function = self.random.choice(
            [("addf", add), ("addf", add), ("addf", add), ("mulf", mul), ("subf", sub),
             ("maximumf", max), ("minimumf", min)]
        )  # fmt: skip
        return self.emit(
            f"arith.{text} {x.name}, {y.name} : {self.type(x)}",
            x.has_tokens,
            x.channels,
            lambda values, _: [
                list(map(function, a, b)) for a, b in zip(values[x.name], values[y.name])
            ],
        )

    def feed_forward(self, x):
        hidden = self.random.choice([5, 16, 40, 70])
        kind, function = self.random.choice(ACTIVATIONS)
        up, down = self.weight(hidden, x.channels), self.weight(x.channels, hidden)
        biases, clause = ([0.0] * hidden, [0.0] * x.channels), ""
        if self.random.random() < 0.5:
            both = self.weight(hidden), self.weight(x.channels)
            names, types, biases = zip(*both)
            clause = f" biases({', '.join(names)} : {', '.join(types)})"

        def compute(values, _):
            result = []
            for row in values[x.name]:
                inner = [function(dot(row, u) + b) for u, b in zip(up[2], biases[0])]
                result.append([dot(inner, w) + b for w, b in zip(down[2], biases[1])])
            return result

        return self.emit(
            f"heddle.feed_forward {kind} {x.name}, {up[0]}, {down[0]}{clause} "
            f": {self.type(x)}, {up[1]}, {down[1]}",
            x.has_tokens,
            x.channels,
            compute,
        )

    def gated_feed_forward(self, x):
        hidden = self.random.choice([5, 16, 40, 70])
        kind, function = self.random.choice(ACTIVATIONS)
        gate, up, down = (
            self.weight(hidden, x.channels),
            self.weight(hidden, x.channels),
            self.weight(x.channels, hidden),
        )
        biases, clause = ([0.0] * hidden, [0.0] * hidden, [0.0] * x.channels), ""
        if self.random.random() < 0.5:
            all_ = self.weight(hidden), self.weight(hidden), self.weight(x.channels)
            names, types, biases = zip(*all_)
            clause = f"biases({', '.join(names)} : {', '.join(types)}) "

        def linear(row, weights, bias):
            return [dot(row, w) + b for w, b in zip(weights, bias)]

        def compute(values, _):
            result = []
            for row in values[x.name]:
                gates, inner = linear(row, gate[2], biases[0]), linear(row, up[2], biases[1])
                inner = [function(g) * u for g, u in zip(gates, inner)]
                result.append(linear(inner, down[2], biases[2]))
            return result

        return self.emit(
            f"heddle.gated_feed_forward {kind} {x.name}, {gate[0]}, {up[0]}, {down[0]} {clause}"
            f": {self.type(x)}, {gate[1]}, {up[1]}, {down[1]}",
            x.has_tokens,
            x.channels,
            compute,
        )

    def last_token(self, x):
        return self.emit(
            f"heddle.last_token {x.name}, %lengths : {self.type(x)}, tensor<?xi32>",
            False,
            x.channels,
            lambda values, call: [
                values[x.name][b * call.length + count - 1]
                for b, count in enumerate(call.lengths)
            ],
        )

    def pool_tokens(self, x):
        kind = self.random.choice(("sum", "mean", "max"))

        def pool(column):
            return max(column) if kind == "max" else (
                sum(column) / (len(column) if kind == "mean" else 1))  # fmt: skip

        return self.emit(
            f"heddle.pool_tokens {kind} {x.name}, %lengths : {self.type(x)}, tensor<?xi32>",
            False,
            x.channels,
            lambda values, call: [
                [pool(column) for column in zip(*values[x.name][b * call.length:][:count])]
                for b, count in enumerate(call.lengths)
            ],
        )
