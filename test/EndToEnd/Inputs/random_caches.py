# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles attention to random caches, and compares several calls of each with NumPy.

    random_caches.py FIRST_SEED COUNT

A seed draws types and sizes of keys and of values, layers, whether positions lie as they are, in
pages or in a ring, a window, whether i8 comes with its scales, and calls, between which positions
are selected. heddlec --verify looks at each module, too. Files of seeds that fail stay.
"""
import glob
import os
import random
import sys

import numpy

from caches import ROUNDED
from judge.running import Failure, run

TARGETS = ("native", "x86-64-v3")
PLACES = ("plain", "ring", "pages")
TYPES = ("f32", "bf16", "f16", "i8")
DIMENSIONS = (8, 48, 64, 80, 96, 128, 256, 5, 1)
LONGEST = (1, 2, 12, 13, 31, 32, 33, 47)  # tokens of a call
PAGES = (1, 5, 31, 32, 33, 48, 64)
TOLERANCE = 3e-5  # of sums of at most 256 products, and of softmax


class Case:
    """A cache, and functions that append to it, attend to it and select of it."""

    def __init__(self, seed):
        self.random = random.Random(f"caches {seed}")
        choose, chance = self.random.choice, lambda share: self.random.random() < share
        self.place = PLACES[seed % len(PLACES)]
        self.name = f"cache_{seed}"
        self.keys, self.values = choose(TYPES), choose(TYPES)
        self.kv, self.key_dim = choose((1, 2, 3)), choose(DIMENSIONS)
        self.heads = self.kv * choose((1, 1, 2, 5))
        self.value_dim = choose((self.key_dim, choose(DIMENSIONS)))
        self.layers, self.batch = choose((1, 2, 3)), choose((1, 3))
        self.read = sorted(self.random.sample(range(self.layers), self.random.randint(1, self.layers)))
        self.starts_type, self.table_type = choose(("i32", "i64")), choose(("i32", "i64"))
        self.longest = choose(LONGEST)
        self.window = choose((0, 1, 20, 31, 32, 47)) if self.place == "ring" or chance(0.4) else None
        self.is_causal = self.window is None or chance(0.5)
        # i8 whose scales the caller has.
        self.given = {
            what for what, type_ in (("key", self.keys), ("value", self.values))
            if type_ == "i8" and chance(0.25)
        }  # fmt: skip
        self.is_selected = self.place != "ring" and chance(0.6)
        self.has_sequences = chance(0.6)
        self.calls = self.draw_calls()
        self.positions = sum(map(max, self.calls))
        self.page = choose(PAGES)
        self.columns = -(-self.positions // self.page)
        self.pool = self.batch * self.columns + choose((0, 1, 3))
        least = self.positions
        if self.place == "ring":
            least = self.window + self.longest
        self.capacity = self.page if self.place == "pages" else least + choose((0, 0, 1, 31))
        self.is_known = self.place == "pages" or chance(0.5)

    def draw_calls(self):
        """Lengths of calls: one that is long, single tokens, and others."""
        calls = [[self.longest] * self.batch]
        for _ in range(self.random.choice((2, 3, 5))):
            most = self.random.choice((1, 1, self.longest))
            calls.append([self.random.randint(1, most) for _ in range(self.batch)])
        self.random.shuffle(calls)
        return calls

    # ---- Text

    @property
    def type(self):
        keys = f"{self.layers} x {self.kv} x {self.key_dim} x {self.keys}"
        if (self.keys, self.key_dim) == (self.values, self.value_dim):
            return f"!heddle.cache<{keys}>"
        return f"!heddle.cache<{keys}, values {self.value_dim} x {self.values}>"

    @property
    def sizes(self):
        rows = "pool" if self.place == "pages" else "batch"
        return f'["{rows}", "{self.capacity if self.is_known else "capacity"}"]'

    def tokens(self, what):
        """The type of the keys or values of a call."""
        dim = self.key_dim if what == "key" else self.value_dim
        return f"tensor<?x?x{self.kv * dim}x{'i8' if what in self.given else 'f32'}>"

    def symbols(self):
        ranges = [f'#heddle.symbol<"length", 1 to {self.longest}>']
        if self.place == "pages":
            ranges.append('#heddle.symbol<"pool", 1 to 1000>')
        if self.place == "ring" and not self.is_known:
            ranges.append(f'#heddle.symbol<"capacity", {self.window + self.longest} to 4096>')
        return f"attributes {{heddle.symbols = [{', '.join(ranges)}]}}"

    def arguments(self):
        """Of `step`: names, types and sizes."""
        yield "q", f"tensor<?x?x{self.heads * self.key_dim}xf32>", '"batch", "length"'
        for name, what in (("k", "key"), ("v", "value")):
            yield name, self.tokens(what), '"batch", "length"'
            if what in self.given:
                yield name + "_scales", f"tensor<?x?x{self.kv}xf32>", '"batch", "length"'
        if self.place == "pages":
            yield "table", f"tensor<?x?x{self.table_type}>", '"batch", "columns"'
        yield "starts", f"tensor<?x{self.starts_type}>", '"batch"'
        yield "lengths", "tensor<?xi32>", '"batch"'

    def places(self):
        """What append and read say about where positions lie."""
        pages = f"pages(%table : tensor<?x?x{self.table_type}>)"
        return {"plain": ("", ""), "ring": ("ring", 'ring("positions")'), "pages": (pages, pages)}[
            self.place
        ]

    def append(self):
        """Layers with odd numbers have twice the keys, unless those are i8."""
        lines, cache = [], "%cache"
        key, value = self.tokens("key"), self.tokens("value")
        scales = "".join(
            f" {what}_scales(%{what[0]}_scales : tensor<?x?x{self.kv}xf32>)"
            for what in ("key", "value") if what in self.given
        )  # fmt: skip
        if not self.doubles:
            keys = ["%k"] * self.layers
        else:
            lines.append(f"%twice = arith.addf %k, %k : {key}")
            keys = ["%twice" if layer % 2 else "%k" for layer in range(self.layers)]
        types = f"{self.type}, {key}, {value}, tensor<?x{self.starts_type}>, tensor<?xi32>"
        for layer, source in enumerate(keys):
            lines.append(
                f"%c{layer} = heddle.cache.append {cache}, {source}, %v layer({layer}) at(%starts)"
                f" lengths(%lengths) {self.places()[0]}{scales} : {types}"
            )
            cache = f"%c{layer}"
        return lines, cache

    @property
    def doubles(self):
        return "key" not in self.given and self.layers > 1

    def text(self):
        lines, cache = self.append()
        offset = f"offset(%starts : tensor<?x{self.starts_type}>)"
        lines.append(f"%mask = heddle.mask.causal {offset}")
        mask = "%mask"
        if self.window is not None:
            lines.append(f"%window = heddle.mask.window left({self.window}) right(0) {offset}")
            lines.append("%both = heddle.mask.and %mask, %window")
            mask = "%both" if self.is_causal else "%window"
        query = f"tensor<?x?x{self.heads * self.key_dim}xf32>"
        stored = [f"tensor<?x?x{self.kv * dim}xf32>" for dim in (self.key_dim, self.value_dim)]
        for layer in self.read:
            lines.append(
                f"%keys{layer}, %values{layer} = heddle.cache.read {cache} layer({layer}) "
                f"{self.places()[1]} : {self.type}"
            )
            lines.append(
                f"%y{layer} = heddle.attention %q, %keys{layer}, %values{layer} mask({mask}) "
                f"heads({self.heads}, kv = {self.kv}) : {query}, {stored[0]}, {stored[1]}"
            )
        arguments = [
            f'%{name}: {type_} {{heddle.name = "{name}", heddle.sizes = [{sizes}]}}'
            for name, type_, sizes in self.arguments()
        ]
        held = f'%cache: {self.type} {{heddle.name = "cache", heddle.sizes = {self.sizes}}}'
        output = f"tensor<?x?x{self.heads * self.value_dim}xf32>"
        results = [f'{output} {{heddle.name = "y{layer}"}}' for layer in self.read]
        types = ", ".join([output] * len(self.read) + [self.type])
        names = ", ".join([*(f"%y{layer}" for layer in self.read), cache])
        body = "\n  ".join([*lines, f"return {names} : {types}"])
        return f"""{self.select_text(held) if self.is_selected else ""}
func.func @step({", ".join([*arguments, held])}) -> ({", ".join([*results, self.type])})
    {self.symbols()} {{
  {body}
}}
"""

    def select_text(self, held):
        rows = "pool" if self.place == "pages" else "batch"
        sequences = self.has_sequences
        arguments = [
            f'%kept: tensor<?x?xi32> {{heddle.name = "kept", heddle.sizes = ["{rows}", "count"]}}',
            f'%counts: tensor<?xi32> {{heddle.name = "counts", heddle.sizes = ["{rows}"]}}',
        ]
        if sequences:
            arguments.append(
                f'%sequences: tensor<?xi32> {{heddle.name = "sequences", heddle.sizes = ["{rows}"]}}'
            )
        clause = "sequences(%sequences : tensor<?xi32>) " if sequences else ""
        return f"""func.func @keep({", ".join([held, *arguments])}) -> {self.type} {{
  %0 = heddle.cache.select %cache positions(%kept) lengths(%counts) {clause}: {self.type}, tensor<?x?xi32>, tensor<?xi32>
  return %0 : {self.type}
}}
"""

    # ---- What it does

    def start(self, rng):
        """An empty cache: what was never stored is NaN."""
        rows = self.pool if self.place == "pages" else self.batch
        self.held = -(-self.capacity // 32) * 32 if self.place == "ring" else self.capacity
        self.store = [
            [numpy.full((rows, self.held, self.kv, dim), numpy.nan) for _ in range(self.layers)]
            for dim in (self.key_dim, self.value_dim)
        ]
        self.table = rng.permutation(self.pool)[: self.batch * self.columns]
        self.table = self.table.reshape(self.batch, self.columns)
        self.starts = numpy.zeros(self.batch, int)

    def slot(self, sequence, position):
        if self.place == "pages":
            return self.table[sequence, position // self.page], position % self.page
        return sequence, position % self.held if self.place == "ring" else position

    def make_inputs(self, rng, lengths):
        shape = self.batch, max(lengths)
        inputs = {"q": rng.normal(size=(*shape, self.heads, self.key_dim)).astype("f4")}
        for name, what, dim in (("k", "key", self.key_dim), ("v", "value", self.value_dim)):
            if what in self.given:
                inputs[name] = rng.integers(-127, 128, (*shape, self.kv, dim)).astype("i1")
                # A scale is a 127th of the largest magnitude.
                inputs[name][..., rng.integers(dim)] = rng.choice((-127, 127))
                inputs[name + "_scales"] = rng.uniform(0.001, 0.02, (*shape, self.kv)).astype("f4")
            else:
                inputs[name] = rng.normal(size=(*shape, self.kv, dim)).astype("f4")
        return inputs

    def add(self, inputs, lengths):
        """Tokens of a call, rounded as the cache has them."""
        for part, (name, type_) in enumerate((("k", self.keys), ("v", self.values))):
            tokens = inputs[name]
            if name + "_scales" in inputs:
                tokens = tokens.astype("f4") * inputs[name + "_scales"][..., None]
            for layer in range(self.layers):
                twice = name == "k" and self.doubles and layer % 2
                rounded = tokens
                if name + "_scales" not in inputs:
                    rounded = ROUNDED[type_](tokens + tokens if twice else tokens)
                for b, length in enumerate(lengths):
                    for s in range(length):
                        place = self.slot(b, self.starts[b] + s)
                        self.store[part][layer][place] = rounded[b, s]

    def attend(self, layer, query, sequence, position):
        first = 0 if self.window is None else max(position - self.window, 0)
        places = [self.slot(sequence, p) for p in range(first, position + 1)]
        keys, values = (numpy.array([part[layer][at] for at in places]) for part in self.store)
        result = []
        for head in range(self.heads):
            group = head // (self.heads // self.kv)
            scores = keys[:, group] @ query[head].astype("f8") * self.key_dim**-0.5
            weights = numpy.exp(scores - scores.max())
            result.append(weights / weights.sum() @ values[:, group])
        return numpy.concatenate(result)

    def draw_selection(self, rng):
        """Which positions of which row each row gets, and how many."""
        rows = self.pool if self.place == "pages" else self.batch
        filled = self.starts.copy()
        if self.place == "pages":
            filled = numpy.zeros(rows, int)
            for b, column in numpy.ndindex(*self.table.shape):
                filled[self.table[b, column]] = numpy.clip(
                    self.starts[b] - column * self.page, 0, self.page
                )
        sequences = numpy.arange(rows)
        if self.has_sequences:
            paged = self.place == "pages"
            sequences = rng.permutation(rows) if paged else rng.integers(0, rows, rows)
        counts = filled[sequences]
        if self.place != "pages":
            counts = numpy.array([rng.integers(0, count + 1) for count in counts])
        kept = numpy.zeros((rows, max(1, counts.max())), int)
        for row, sequence, count in zip(kept, sequences, counts):
            row[:count] = rng.permutation(filled[sequence])[:count]
        return kept, counts, sequences

    def select(self, rng, artifact, sizes):
        kept, counts, sequences = self.draw_selection(rng)
        inputs = {"kept": kept, "counts": counts}
        if self.has_sequences:
            inputs["sequences"] = sequences
        for part in self.store:
            for layer, old in enumerate(part):
                part[layer] = numpy.full(old.shape, numpy.nan)
                for row, (places, count) in enumerate(zip(kept, counts)):
                    part[layer][row, :count] = old[sequences[row], places[:count]]
        if self.place == "pages":
            self.table = numpy.argsort(sequences)[self.table]
        else:
            self.starts = counts.copy()
        call(artifact, "keep", sizes, {name: a.astype("i4") for name, a in inputs.items()}, (), True)


def call(artifact, entry, sizes, inputs, outputs, has_cache):
    command = ["heddle-run", "run", artifact, f"--entry={entry}", *sizes, "--cache-out=cache"]
    if has_cache:
        command.append("--cache-in=cache")
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
        command.append(f"--input={name}={name}.npy")
    run(*command, *(f"--output={name}={name}.npy" for name in outputs))
    return [numpy.load(f"{name}.npy") for name in outputs]


def check(seed):
    case = Case(seed)
    with open(case.name + ".mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    artifact, target = f"./{case.name}.so", TARGETS[seed // len(PLACES) % 2]
    run("heddlec", case.name + ".mlir", f"--target-cpu={target}", "--quiet",
        "--verify", "--emit=shared", "-o", artifact)  # fmt: skip
    rng = numpy.random.default_rng(seed)
    case.start(rng)
    sizes = [] if case.is_known else [f"--size=capacity={case.capacity}"]
    if case.place == "pages":
        sizes.append(f"--size=pool={case.pool}")
    for number, lengths in enumerate(case.calls):
        if number and case.is_selected:
            case.select(rng, artifact, sizes)
        inputs = case.make_inputs(rng, lengths)
        case.add(inputs, lengths)
        given = {n: a.reshape(*a.shape[:2], -1) for n, a in inputs.items()}
        given["starts"] = case.starts.astype({"i32": "i4", "i64": "i8"}[case.starts_type])
        given["lengths"] = numpy.array(lengths, "i4")
        if case.place == "pages":
            given["table"] = case.table.astype({"i32": "i4", "i64": "i8"}[case.table_type])
        more = [f"--size=positions={case.positions}"] if case.place == "ring" else []
        outputs = call(artifact, "step", sizes + more, given,
                       [f"y{layer}" for layer in case.read], number > 0)  # fmt: skip
        for layer, output in zip(case.read, outputs):
            for b, s in ((b, s) for b, length in enumerate(lengths) for s in range(length)):
                expected = case.attend(layer, inputs["q"][b, s], b, case.starts[b] + s)
                error = (abs(output[b, s] - expected) / (1 + abs(expected))).max()
                if not error <= TOLERANCE:
                    raise Failure(f"{case.name}: call {number}, layer {layer}, token {s} of "
                                  f"sequence {b} is off by {error}")  # fmt: skip
        case.starts = case.starts + lengths
    # No sequences, whose cache has no bytes, or pages that nobody has.
    none = {name: array[:0] for name, array in given.items()}
    outputs = call(artifact, "step", sizes + more, none, [f"y{layer}" for layer in case.read], False)
    if any(output.size for output in outputs):
        raise Failure(f"{case.name}: outputs without sequences have elements")
    for file in glob.glob(case.name + ".*"):
        os.remove(file)


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    failed = 0
    for seed in range(first, first + count):
        try:
            check(seed)
        except Failure as failure:
            failed += 1
            print(failure, flush=True)
    print(f"{count} random caches, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
