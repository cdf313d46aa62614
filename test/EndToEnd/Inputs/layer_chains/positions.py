# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positions that are added, and rotary embeddings."""
import math

ROWS = 128


class Positions:
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
            return self.rotary_halves(x, heads)
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
            f"heddle.rotary {x.name} at(%starts : tensor<?xi32>) heads({heads}) rotated({turning}) "
            f"{'interleaved ' if is_interleaved else ''}positions(600) base({base}){clause} "
            f": {self.type(x)}",
            True,
            x.channels,
            lambda values, call: [
                turn(row, call.starts[m // call.length] + m % call.length)
                for m, row in enumerate(values[x.name])
            ],
        )

    def rotary_halves(self, x, heads=None):
        possible = [h for h in (1, 2, 3, 4, 5) if x.channels % (2 * h) == 0]
        if not heads and not possible:
            return x
        heads = heads or self.random.choice(possible)
        base = self.random.choice([10000.0, 500.0])
        dimension = x.channels // heads
        half = dimension // 2

        def turn(row, position):
            result = list(row)
            for index in range(x.channels):
                if index % dimension >= half:
                    continue
                angle = position * base ** (-2 * (index % dimension) / dimension)
                first, second = row[index], row[index + half]
                result[index] = first * math.cos(angle) - second * math.sin(angle)
                result[index + half] = second * math.cos(angle) + first * math.sin(angle)
            return result

        return self.emit(
            f"heddle.rotary {x.name} at(%starts : tensor<?xi32>) heads({heads}) positions(600) base({base}) "
            f": {self.type(x)}",
            True,
            x.channels,
            lambda values, call: [
                turn(row, call.starts[m // call.length] + m % call.length)
                for m, row in enumerate(values[x.name])
            ],
        )
