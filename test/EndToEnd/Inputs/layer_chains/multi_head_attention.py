# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with the linear layers around it."""
import math

from .formulas import dot, norm_of


class MultiHeadAttention:
    def projection(self, name, rows, columns):
        """The clause of a weight and maybe a bias, and their values."""
        weight = self.weight(rows, columns)
        if self.random.random() < 0.5:
            return f" {name}({weight[0]} : {weight[1]})", weight[2], [0.0] * rows
        bias = self.weight(rows)
        return f" {name}({weight[0]}, {bias[0]} : {weight[1]}, {bias[1]})", weight[2], bias[2]

    def multi_head_attention(self, x):
        others = [v for v in self.values if v.has_tokens]
        memory = self.random.choice([x, self.random.choice(others)])
        kv = self.random.choice([1, 2, 3])
        heads, d = kv * self.random.choice([1, 1, 2, 4]), self.random.choice([1, 4, 8, 12, 20])
        e = self.random.choice([d, d, 5, 16])
        outputs = self.random.choice([x.channels, x.channels, 7, 32])
        if memory is x and self.random.random() < 0.5:
            e = d
            clauses, *all_ = self.projection("combined", (heads + 2 * kv) * d, x.channels)
            cuts = (0, heads * d, (heads + kv) * d, (heads + 2 * kv) * d)
            parts = [[part[i:j] for part in all_] for i, j in zip(cuts, cuts[1:])]
        else:
            lists = [
                self.projection(name, rows, columns)
                for name, rows, columns in (
                    ("query", heads * d, x.channels), ("key", kv * d, memory.channels),
                    ("value", kv * e, memory.channels),
                )
            ]  # fmt: skip
            clauses, parts = "".join(part[0] for part in lists), [part[1:] for part in lists]
        clause, *output = self.projection("output", outputs, heads * e)
        clauses += clause
        norms = None
        if self.random.random() < 0.3:
            both = self.weight(d, is_norm=True), self.weight(d, is_norm=True)
            names, types, norms = zip(*both)
            clauses += f" norms({', '.join(names)} : {', '.join(types)}) epsilon(1.0e-3)"
        scale = d**-0.5
        if self.random.random() < 0.3:
            scale = self.random.choice([0.125, 0.5])
            clauses += f" scale({scale})"
        mask, keep = None, lambda *at: True
        if self.random.random() < 0.7:
            mask, keep = self.mask(2)

        def project(rows, part):
            return [[dot(row, w) + b for w, b in zip(*part)] for row in rows]

        def heads_of(row, count, norm=None):
            size = len(row) // count
            each = [row[i * size : (i + 1) * size] for i in range(count)]
            return [norm_of(head, norm, 1e-3) for head in each] if norm else each

        def attend(query, seen):
            scores = [scale * dot(query, key) for key, _ in seen]
            shares = [math.exp(score - max(scores)) for score in scores]
            return [
                sum(share * value[c] for share, (_, value) in zip(shares, seen)) / sum(shares)
                if seen
                else 0.0
                for c in range(e)
            ]

        def compute(values, call):
            queries, keys, rows = (
                project(values[of.name], part) for of, part in zip((x, memory, memory), parts)
            )
            q_norm, k_norm = norms or (None, None)
            keys = [heads_of(row, kv, k_norm) for row in keys]
            rows = [heads_of(row, kv) for row in rows]
            attended = []
            for m, row in enumerate(queries):
                b, q = divmod(m, call.length)
                kept = [
                    b * call.length + k
                    for k in range(call.length)
                    if keep(call, b, q, k, call.length)
                ]
                attended.append(sum(
                    (
                        attend(query, [(keys[k][h * kv // heads], rows[k][h * kv // heads])
                                       for k in kept])
                        for h, query in enumerate(heads_of(row, heads, q_norm))
                    ),
                    [],
                ))  # fmt: skip
            return project(attended, output)

        clause = f" mask({mask})" if mask else ""
        types = ", ".join(self.type(of) for of in (x, memory, memory))
        return self.emit(
            f"heddle.multi_head_attention {x.name}, {memory.name}, {memory.name}{clause} "
            f"heads({heads}, kv = {kv}){clauses} : {types}",
            True,
            outputs,
            compute,
        )
