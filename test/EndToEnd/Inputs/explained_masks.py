# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `heddlec --explain-masks` with masks of booleans: explained_masks.py FIRST COUNT cpu|device

Each seed makes attention with a random formula of masks, sizes, tiles and inputs. Every pair of a
query and a key is worked out: full blocks keep all of them and skipped ones none, and as many are
kept as the program says. Where the mask is one comparison with the diagonal, or a length, no block
is partial that need not be.
"""

import random
import re
import subprocess
import sys

import numpy

BLOCK = 32


class Case:
    """An attention, its mask as MLIR text, and as booleans [batch, heads, queries, keys]."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        pick = self.random.randint
        self.batch, self.kv, self.group = pick(1, 2), pick(1, 2), pick(1, 3)
        self.heads = self.kv * self.group
        self.queries, self.keys = pick(1, 150), pick(1, 300)
        self.rows = self.random.choice((8, 12, 24, 32))
        self.space = (self.batch, self.heads, self.queries, self.keys)
        self.lines, self.inputs, self.sizes = [], {}, {}
        self.is_simple = self.random.random() < 0.3
        leaf = self.random.choice((self.diagonal, self.lengths)) if self.is_simple else None
        self.mask, self.kept = leaf() if leaf else self.formula(pick(1, 4))

    def value(self, text):
        name = f"%m{len(self.lines)}"
        self.lines.append(f"  {name} = heddle.mask.{text}")
        return name

    def input(self, values, element, sizes):
        name = f"input{len(self.inputs)}"
        self.inputs[name] = values
        shape = "x".join(["?"] * len(sizes) + [element])
        self.sizes[name] = (f"tensor<{shape}>", sizes)
        return f"%{name}", f"tensor<{shape}>"

    def numbers(self, least, most):
        values = [self.random.randint(least, most) for _ in range(self.batch)]
        dtype, element = self.random.choice((("<i4", "i32"), ("<i8", "i64")))
        values = numpy.array(values, dtype)
        name, type_ = self.input(values, element, ["batch"])
        return name, type_, values.astype(int)[:, None, None, None]

    def place(self):
        """The query, the key, the place of the query's diagonal, and what says so."""
        query = numpy.arange(self.queries)[:, None]
        key = numpy.arange(self.keys)[None, :]
        plus = self.random.choice((0, 0, -1, 5))
        text = f" plus({plus})" if plus else ""
        kind = self.random.randrange(3)
        if kind == 0:
            return query + plus, key, "align(top_left)" + text
        if kind == 1:
            return query + self.keys - self.queries + plus, key, "align(bottom_right)" + text
        name, type_, offset = self.numbers(-50, 200)
        return query + offset + plus, key, f"offset({name} : {type_})" + text

    def diagonal(self):
        place, key, text = self.place()
        if self.is_simple or self.random.random() < 0.5:
            return self.value(f"causal {text}"), key <= place
        left, right = self.random.randint(0, 100), self.random.randint(0, 60)
        return (
            self.value(f"window left({left}) right({right}) {text}"),
            (key >= place - left) & (key <= place + right),
        )

    def lengths(self):
        name, type_, lengths = self.numbers(-5, self.keys + 5)
        if self.random.random() < 0.4:
            kept = numpy.arange(self.queries)[:, None] < lengths
            return self.value(f"lengths {name} of(query) : {type_}"), kept
        return self.value(f"lengths {name} : {type_}"), numpy.arange(self.keys) < lengths

    def documents(self):
        def ids(count, size):
            steps = [[self.random.random() < 0.02 for _ in range(count)] for _ in range(self.batch)]
            values = numpy.cumsum(steps, axis=1).astype("<i4")
            return values, *self.input(values, "i32", ["batch", size])

        queries, a, type_ = ids(self.queries, "queries")
        keys, b, _ = ids(self.keys, "keys")
        kept = queries[:, None, :, None] == keys[:, None, None, :]
        return self.value(f"documents {a}, {b} : {type_}, {type_}"), kept

    def dense(self):
        sizes = [(f"{self.queries}", self.queries), (f"{self.keys}", self.keys)]
        m, n = (self.random.choice(((1, 1), (16, 32), (64, 64), (5, 48))))
        counts = [-(-self.queries // m), -(-self.keys // n)]
        heads = self.heads if self.random.random() < 0.5 else 1
        density = self.random.choice((0.1, 0.5, 0.97, 1))
        values = [self.random.random() < density for _ in range(heads * counts[0] * counts[1])]
        values = numpy.array(values, bool).reshape(heads, *counts)
        sizes = [f"ceildiv(queries, {m})", f"ceildiv(keys, {n})"]
        name = f"input{len(self.inputs)}"
        self.inputs[name] = values
        type_ = f"tensor<{heads}x?x?xi1>"
        self.sizes[name] = (type_, sizes)
        blocks = f" blocks({m}, {n})" if (m, n) != (1, 1) else ""
        kept = values.repeat(m, 1)[:, : self.queries].repeat(n, 2)[:, :, : self.keys]
        return self.value(f"dense %{name} over(head, query, key){blocks} : {type_}"), kept[None]

    def formula(self, depth):
        if depth <= 1:
            return self.random.choice(
                (self.diagonal, self.lengths, self.documents, self.dense)
            )()
        kind = self.random.randrange(5)
        if kind == 0:
            name, kept = self.formula(depth - 1)
            return self.value(f"not {name}"), ~kept
        left, x = self.formula(depth - 1)
        right, y = self.formula(self.random.randint(1, depth - 1))
        if kind < 3:
            return self.value(f"and {left}, {right}"), x & y
        return self.value(f"or {left}, {right}"), x | y

    def text(self):
        arguments = [
            f'%{name}: tensor<?x{heads}x?x16xf32> {{heddle.sizes = ["batch", "{size}"]}}'
            for name, heads, size in (
                ("q", self.heads, "queries"),
                ("k", self.kv, "keys"),
                ("v", self.kv, "keys"),
            )
        ]
        for name, (type_, sizes) in self.sizes.items():
            listed = ", ".join(f'"{size}"' for size in sizes)
            arguments.append(
                f'%{name}: {type_} {{heddle.name = "{name}", heddle.sizes = [{listed}]}}'
            )
        types = [f"tensor<?x{heads}x?x16xf32>" for heads in (self.heads, self.kv, self.kv)]
        lines = [f"func.func @f({', '.join(arguments)}) -> {types[0]} {{", *self.lines]
        lines.append(
            f"  %o = heddle.attention %q, %k, %v mask({self.mask}) heads({self.heads}, "
            f"kv = {self.kv}) : {', '.join(types)}"
        )
        return "\n".join([*lines, f"  return %o : {types[0]}", "}", ""])

    def explain(self, target):
        with open("mask.mlir", "w") as file:
            file.write(self.text())
        with open("tiles.mlir", "w") as file:
            # What a block of a device shares is small.
            chunk = self.random.choice((1, 2) if target == "device" else (1, 2, 4))
            tiles = f"rows = {self.rows}, chunk = {chunk}"
            file.write("heddle.configure @f_attention ")
            if target == "device":
                file.write(f"#heddle.block_attention<threads = 64, {tiles}>\n")
            else:
                file.write(
                    f"#heddle.attention_tiles<{tiles}, register_rows = 4, keys = 32, "
                    "columns = 16, vector = 8>\n"
                )
        command = ["heddlec", "mask.mlir", "--schedule=tiles.mlir", "--explain-masks"]
        sizes = f"batch={self.batch},queries={self.queries},keys={self.keys}"
        command += ["--size", sizes]
        for name, values in self.inputs.items():
            numpy.save(f"{name}.npy", values)
            command += ["--input", f"{name}={name}.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{self.text()}{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def tile(self, sequence, head, tile, block):
        """Whether each pair of a tile and a block is kept, for a head of keys."""
        kept = numpy.broadcast_to(self.kept, self.space)[sequence]
        rows = numpy.arange(tile * self.rows, (tile + 1) * self.rows)
        rows = rows[rows < self.queries * self.group]
        heads = head * self.group + rows % self.group
        return kept[heads, rows // self.group, block * BLOCK : (block + 1) * BLOCK]


def drawings(output):
    """The drawings: (sequence, head of queries, lines)."""
    found = []
    sequence = head = 0
    lines = []
    for line in [*output.splitlines(), "  heads 0"]:
        place = re.match(r"  (?=sequence|heads? \d+(?: to|:|, and))|  heads 0$", line)
        if line.startswith("    "):
            if not line.strip(" .+#?"):
                lines.append(line.strip())
            continue
        if lines:
            found.append((sequence, head, lines))
            lines = []
        if place:
            numbers = re.search(r"sequence (\d+)", line), re.search(r"heads? (\d+)", line)
            sequence, head = (int(number[1]) if number else 0 for number in numbers)
    return found


def check(case, output):
    counts = re.search(r"= (\d+) skipped \+ (\d+) partial \+ (\d+) full$", output, re.MULTILINE)
    if not counts:
        return "expected counts of skipped, partial and full blocks"
    computed = (int(counts[2]) + int(counts[3])) * case.rows * BLOCK
    kept = re.search(r", (\d+) of (\d+)$", output, re.MULTILINE)
    expected = numpy.broadcast_to(case.kept, case.space).sum()
    if computed and (not kept or (int(kept[1]), int(kept[2])) != (expected, computed)):
        return f"expected {expected} of {computed} kept, found {kept and kept[0]}"
    if not computed and expected:
        return f"expected {expected} kept, found no computed block"
    found = drawings(output)
    if not found:
        return "expected a drawing"
    is_scaled = "each character stands for" in output
    for sequence, head, lines in found:
        for tile, line in enumerate([] if is_scaled else lines):
            for block, character in enumerate(line):
                pairs = case.tile(sequence, head // case.group, tile, block)
                is_whole = pairs.all() and pairs.shape[1] == BLOCK
                what = ("." if not pairs.any() else "#" if is_whole else "+")
                is_right = character == what or (character == "+" and not case.is_simple)
                if not is_right:
                    where = f"sequence {sequence}, head {head}, tile {tile}, block {block}"
                    return f"{where}: expected '{what}', found '{character}'"
    return None


def main():
    first, count, target = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    characters = ""
    for seed in range(first, first + count):
        case = Case(seed)
        output = case.explain(target)
        failure = check(case, output)
        if failure:
            sys.exit(f"seed {seed}: {failure}\n{case.text()}{output}")
        characters += "".join("".join(lines) for _, _, lines in drawings(output))
    for character in ".+#":
        if character not in characters:
            sys.exit(f"expected some block to be '{character}'")


main()
