# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtures of experts, and dropout."""
import math

from philox import WORD, philox

from .formulas import dot, parts, silu


class Experts:
    def experts(self, x):
        count, hidden = self.random.choice([2, 3, 5]), self.random.choice([4, 9, 16])
        top = self.random.randint(1, count)
        router, router_type, router_rows = self.weight(count, x.channels)
        shapes = [(count, hidden, x.channels)] * 2 + [(count, x.channels, hidden)]
        weights = [self.weight(*shape) for shape in shapes]
        matrices = [
            [parts(part, shape[1]) for part in parts(values, count)]
            for shape, (_, _, values) in zip(shapes, weights)
        ]
        normalized = self.random.random() < 0.5

        def compute(row):
            logits = [dot(row, w) for w in router_rows]
            shares = [math.exp(logit - max(logits)) for logit in logits]
            chosen = sorted(range(count), key=lambda e: -shares[e])[:top]
            total = sum(shares[e] for e in chosen) if normalized else sum(shares)
            result = [0.0] * x.channels
            for e in chosen:
                gate, up, down = (matrix[e] for matrix in matrices)
                inner = [silu(dot(row, g)) * dot(row, u) for g, u in zip(gate, up)]
                for c, w in enumerate(down):
                    result[c] += shares[e] / total * dot(inner, w)
            return result

        (gate, gate_type, _), (up, up_type, _), (down, down_type, _) = weights
        return self.emit(
            f"heddle.mixture_of_experts silu {x.name} router({router}) "
            f"experts({gate}, {up}, {down}) top({top}) {'normalized ' if normalized else ''}"
            f": {self.type(x)}, {router_type}, {gate_type}, {up_type}, {down_type}",
            x.has_tokens,
            x.channels,
            lambda values, _: list(map(compute, values[x.name])),
        )

    def dropout(self, x):
        rate = self.random.choice([0.1, 0.5])
        key = [self.random.getrandbits(31) for _ in range(2)]
        seed = self.fresh()
        self.lines.append(f"{seed} = arith.constant dense<[{key[0]}, {key[1]}]> : tensor<2xi32>")

        def is_kept(element):
            return philox([element, 0, 0, 0], key)[0] >= round(rate * WORD)

        return self.emit(
            f"heddle.dropout {x.name} rate({rate}) seed({seed} : tensor<2xi32>) "
            f": {self.type(x)}",
            x.has_tokens,
            x.channels,
            lambda values, _: [
                [
                    value / (1 - rate) if is_kept(m * x.channels + c) else 0.0
                    for c, value in enumerate(row)
                ]
                for m, row in enumerate(values[x.name])
            ],
        )
