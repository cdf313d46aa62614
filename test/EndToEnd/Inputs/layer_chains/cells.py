# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of recurrent layers."""
import math

from .formulas import dot, parts, sigmoid
from .module import Tensor


class Cells:
    def cell(self, x, gates, more):
        """A state, and the text and rows of the weights and biases of so many gates.

        `more` gives the text that follows, for so many channels.
        """
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
        clause += more(state.channels)
        text = f"{w}, {u}{clause} : {self.type(x)}, {self.type(state)}, {w_type}, {u_type}"

        def linears(x_row, h_row):
            return [
                parts([dot(row, m) + b for m, b in zip(matrix, bias)], gates)
                for row, matrix, bias in zip((x_row, h_row), (w_rows, u_rows), biases)
            ]

        return state, text, linears

    def gru_cell(self, x):
        word = self.random.choice(("", " reset_before"))
        made = self.cell(x, 3, lambda rows: word)
        if not made:
            return x
        state, text, linears = made

        def step(row, h):
            (a_r, a_z, a_n), (u_r, u_z, u_n) = linears(row, h)
            r = [sigmoid(a + u) for a, u in zip(a_r, u_r)]
            z = [sigmoid(a + u) for a, u in zip(a_z, u_z)]
            if word:
                _, (_, _, u_n) = linears(row, [g * old for g, old in zip(r, h)])
                r = [1.0] * len(r)
            n = [math.tanh(a + g * u) for a, g, u in zip(a_n, r, u_n)]
            return [(1 - g) * new + g * old for g, new, old in zip(z, n, h)]

        return self.emit(
            f"heddle.gru_cell {x.name}, {state.name}, {text}",
            x.has_tokens,
            state.channels,
            lambda values, _: list(map(step, values[x.name], values[state.name])),
        )

    def lstm_cell(self, x):
        peepholes = []

        def more(channels):
            if self.random.random() < 0.5:
                peepholes.extend([[0.0] * channels] * 3)
                return ""
            p, p_type, row = self.weight(3 * channels)
            peepholes.extend(parts(row, 3))
            return f" peepholes({p} : {p_type})"

        made = self.cell(x, 4, more)
        if not made:
            return x
        state, text, linears = made
        alike = [v for v in self.values if v[1:] == state[1:]]
        cell = self.random.choice(alike)

        def step(row, h, c):
            sums = [[a + u for a, u in zip(*gate)] for gate in zip(*linears(row, h))]
            i, f, g, o = sums
            of_i, of_f, of_o = peepholes
            i = [i_ + p * c_ for i_, p, c_ in zip(i, of_i, c)]
            f = [f_ + p * c_ for f_, p, c_ in zip(f, of_f, c)]
            c = [
                sigmoid(f_) * c_ + sigmoid(i_) * math.tanh(g_)
                for i_, f_, g_, c_ in zip(i, f, g, c)
            ]
            o = [o_ + p * c_ for o_, p, c_ in zip(o, of_o, c)]
            return [sigmoid(o_) * math.tanh(c_) for o_, c_ in zip(o, c)], c

        results = [Tensor(self.fresh(), state.has_tokens, state.channels) for _ in range(2)]
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
