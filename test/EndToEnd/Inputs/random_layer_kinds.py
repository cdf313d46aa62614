# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More ops of random modules: cells, experts, positions, dropout, and all kinds of rotations."""
import math

import random_layer_ops as ops
from philox import WORD, philox
from random_layer_ops import dot

ROWS = 128


def sigmoid(x):
    return 1 / (1 + math.exp(-max(min(x, 700), -700)))


def parts(row, count):
    size = len(row) // count
    return [row[i * size : (i + 1) * size] for i in range(count)]


class Module(ops.Module):
    def add_random(self, x):
        if self.random.random() < 0.6:
            super().add_random(x)
            return
        kinds = ["gru_cell", "lstm_cell", "experts", "dropout"]
        if x.has_tokens:
            kinds += ["add_positions", "rotary"]
        getattr(self, self.random.choice(kinds))(x)

    # ---- Cells

    def cell(self, x, gates):
        """A state, and the text and rows of the weights and biases of so many gates."""
        alike = [v for v in self.values if v.has_tokens == x.has_tokens and v.channels <= 40]
        if not alike:
            return None
        state = self.random.choice(alike)
        rows = gates * state.channels
        (w, w_type, w_rows), (u, u_type, u_rows) = (
            self.weight(rows, x.channels), self.weight(rows, state.channels)
        )  # fmt: skip
        biases, clause = [[0.0] * rows] * 2, ""
        if self.random.random() < 0.5:
            (b, b_type, first), (c, c_type, second) = self.weight(rows), self.weight(rows)
            biases, clause = [first, second], f" biases({b}, {c} : {b_type}, {c_type})"
        text = f"{w}, {u}{clause} : {self.type(x)}, {self.type(state)}, {w_type}, {u_type}"

        def linears(x_row, h_row):
            return [
                parts([dot(row, m) + b for m, b in zip(matrix, bias)], gates)
                for row, matrix, bias in zip((x_row, h_row), (w_rows, u_rows), biases)
            ]

        return state, text, linears

    def gru_cell(self, x):
        made = self.cell(x, 3)
        if not made:
            return x
        state, text, linears = made

        def step(row, h):
            (a_r, a_z, a_n), (u_r, u_z, u_n) = linears(row, h)
            r = [sigmoid(a + u) for a, u in zip(a_r, u_r)]
            z = [sigmoid(a + u) for a, u in zip(a_z, u_z)]
            n = [math.tanh(a + g * u) for a, g, u in zip(a_n, r, u_n)]
            return [(1 - g) * new + g * old for g, new, old in zip(z, n, h)]

        return self.emit(
            f"heddle.gru_cell {x.name}, {state.name}, {text}",
            x.has_tokens,
            state.channels,
            lambda values, _: list(map(step, values[x.name], values[state.name])),
        )

    def lstm_cell(self, x):
        made = self.cell(x, 4)
        if not made:
            return x
        state, text, linears = made
        alike = [v for v in self.values if v[1:] == state[1:]]
        cell = self.random.choice(alike)

        def step(row, h, c):
            sums = [[a + u for a, u in zip(*gate)] for gate in zip(*linears(row, h))]
            i, f, g, o = sums
            c = [
                sigmoid(f_) * c_ + sigmoid(i_) * math.tanh(g_)
                for i_, f_, g_, c_ in zip(i, f, g, c)
            ]
            return [sigmoid(o_) * math.tanh(c_) for o_, c_ in zip(o, c)], c

        results = [ops.Tensor(self.fresh(), state.has_tokens, state.channels) for _ in range(2)]
        names = ", ".join(result.name for result in results)
        cells = f"{x.name}, {state.name}, {cell.name}"
        self.lines.append(f"{names} = heddle.lstm_cell {cells}, {text}")
        for number, result in enumerate(results):
            self.program.append((
                result.name,
                lambda values, _, number=number: [
                    step(*rows)[number]
                    for rows in zip(values[x.name], values[state.name], values[cell.name])
                ],
            ))  # fmt: skip
        self.values += results
        return results[0]

    # ---- Experts

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
                inner = [ops.silu(dot(row, g)) * dot(row, u) for g, u in zip(gate, up)]
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

    # ---- Dropout

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

    # ---- Positions

    def add_positions(self, x):
        channels = x.channels
        if channels % 2 or self.random.random() < 0.5:
            table, text, rows = self.weight(ROWS, channels)
        else:
            table, text = self.fresh(), f"tensor<{ROWS}x{channels}xf32>"
            self.lines.append(f"{table} = heddle.sinusoidal_positions base(10000.0) : {text}")
            rows = [
                [
                    (math.cos if c % 2 else math.sin)(p * 10000.0 ** (-(c - c % 2) / channels))
                    for c in range(channels)
                ]
                for p in range(ROWS)
            ]

        def compute(values, call):
            result = []
            for m, row in enumerate(values[x.name]):
                position = min(call.starts[m // call.length] + m % call.length, ROWS - 1)
                result.append([a + b for a, b in zip(row, rows[position])])
            return result

        return self.emit(
            f"heddle.add_positions {x.name}, {table} at(%starts : tensor<?xi32>) "
            f": {self.type(x)}, {text}",
            True,
            channels,
            compute,
        )

    def rotary(self, x, heads=None):
        possible = [h for h in (1, 2, 3, 4, 5) if x.channels % h == 0 and x.channels // h > 1]
        if not possible or self.random.random() < 0.4:
            return super().rotary(x, heads)
        heads = heads or self.random.choice(possible)
        size = x.channels // heads
        turning = self.random.randrange(2, size + 1, 2)
        is_interleaved = self.random.random() < 0.5
        base, factor = self.random.choice([10000.0, 500.0]), self.random.choice([1.0, 4.0])

        def turn(row, position):
            result = list(row)
            for head in range(0, x.channels, size):
                for pair in range(turning // 2):
                    i, j = (2 * pair, 2 * pair + 1) if is_interleaved else (
                        pair, pair + turning // 2)  # fmt: skip
                    angle = position * base ** (-2 * pair / turning) / factor
                    first, second = row[head + i], row[head + j]
                    result[head + i] = first * math.cos(angle) - second * math.sin(angle)
                    result[head + j] = second * math.cos(angle) + first * math.sin(angle)
            return result

        clause = f" scaling(<linear, factor = {factor}>)" if factor > 1 else ""
        return self.emit(
            f"heddle.rotary {x.name} at(%starts) heads({heads}) rotated({turning}) "
            f"{'interleaved ' if is_interleaved else ''}positions(600) base({base}){clause} "
            f": {self.type(x)}, tensor<?xi32>",
            True,
            x.channels,
            lambda values, call: [
                turn(row, call.starts[m // call.length] + m % call.length)
                for m, row in enumerate(values[x.name])
            ],
        )
