# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random attention and compares all of its results with NumPy.

    random_attention.py FIRST_SEED COUNT [HEDDLEC_OPTION...]

A seed draws heads, channels, types, layouts, a formula of masks, terms, changes of scores,
factors, sinks, how weights are made, what factors of products are rounded to and which results
there are, and calls that with several lengths: of one, of what tiles and blocks have, one less
and one more. Values at keys that a sequence does not keep at all are
NaN and infinite, so that none may reach a result.

Files of seeds that fail stay, to repeat it.
"""
import glob
import os
import random
import sys

import numpy

from attention.layouts import draw_layouts
from attention.masks import DIMS, Masks
from attention.scores import Changes
from attention.terms import Term
from judge.elements import from_file, nearest, to_file
from judge.running import Failure, run

TARGETS = ("native", "x86-64-v3")
LENGTHS = (1, 2, 3, 5, 11, 12, 13, 31, 32, 33, 47, 64, 97, 130)
LONG = (509, 512, 545)
# The rounding of what is computed; NumPy rounds doubles itself.
UNITS = {"f32": 2.0**-24, "f64": 2.0**-51}
BFLOAT_UNIT = 2.0**-8
RESULTS = (
    "output", "weights", "log_sum_exp", "raw_scores", "scaled_scores", "changed_scores",
    "masked_scores", "unnormalized", "maximum", "sum", "column_sums",
)  # fmt: skip
SYMBOLS = {"query": "queries", "key": "keys"}


def bfloats(array):
    return nearest(array, "bf16")


class Function:
    """An attention and its arguments."""

    def __init__(self, seed):
        self.name = f"f{seed}"
        self.random = random.Random(f"attention {seed}")
        self.arguments = []  # (name, type, dims, fill)
        choose = self.random.choice
        self.kv = choose((1, 2, 3))
        self.heads = self.kv * choose((1, 1, 2, 4, 5))
        self.depth = choose((8, 48, 64, 80, 96, 128, 256, 5))
        self.width = choose((self.depth, self.depth, 8, 64, 80, 40, 7))
        self.layout, self.layouts, self.output_layout, self.batches = draw_layouts(self.random)
        self.types = [choose(("f32", "f32", "f32", "bf16", "f16")) for _ in range(3)]
        self.wide = "f64" if seed % 8 == 5 else "f32"
        if self.wide == "f64":
            self.types = ["f64"] * 3
        self.unit = UNITS[self.wide]
        self.scale = choose((None, 0.125, 1.0, -0.3, 0.0))
        self.magnitude = choose((1.0, 1.0, 1.0, 30.0))
        for (name, heads, length, channels), layout, type_ in zip(
            (("%q", self.heads, "query", self.depth), ("%k", self.kv, "key", self.depth),
             ("%v", self.kv, "key", self.width)),
            self.layouts, self.types,
        ):  # fmt: skip
            dims = layout.dims(self.batches, heads, length, channels)
            self.argument(dims, type_, self.fill, name=name)
        self.mask = None
        if self.random.random() < 0.85:
            self.mask = Masks(self, self.random).formula(choose((0, 0, 1, 2)))
        self.term = Term(self, self.random) if self.random.random() < 0.15 else None
        self.normalize = choose(("softmax",) * 8 + ("sum", "none"))
        self.changes = Changes(self, self.random).draw() if self.random.random() < 0.5 else None
        self.sinks = None
        if self.normalize == "softmax" and self.random.random() < 0.25:
            self.sinks, _ = self.argument(
                ("head",), self.wide, lambda g, space: numpy.where(
                    g.random(space[1]) < 0.2,
                    g.choice((-numpy.inf, -numpy.inf, numpy.inf, numpy.nan), space[1]),
                    2 * g.standard_normal(space[1]))
            )  # fmt: skip
        self.factors = None
        if self.random.random() < 0.1:
            self.factors, _ = self.argument(
                ("key",), self.wide, lambda g, space: 2.0 * (g.random(space[3]) < 0.6)
            )
        # Of few kinds of attention, so that half of these have it.
        may_round = self.wide == "f32" and self.normalize == "softmax"
        may_round = may_round and not self.term and not self.factors
        self.rounds = may_round and self.random.random() < 0.5
        known = RESULTS
        if self.normalize != "softmax":
            known = [r for r in RESULTS if r not in ("log_sum_exp", "maximum")]
        self.results = self.random.sample(known, choose((1, 1, 2, 3, 4)))
        if self.random.random() < 0.5 and "output" not in self.results:
            self.results.insert(0, "output")

    def fill(self, generator, space):
        return self.magnitude * generator.standard_normal(self.shape_of(self.filling, space))

    def argument(self, dims, element, fill, blocks=None, name=None):
        name = name or f"%a{len(self.arguments)}"
        sizes, symbols = [], []
        for dim in dims:
            text = str({"head": self.heads, "batch": self.all_batches, **SYMBOLS}.get(dim, dim))
            block = (blocks or {}).get(dim, 1)
            if text.isdigit():
                sizes.append(text)
            else:
                symbols.append(f'"ceildiv({text}, {block})"' if block > 1 else f'"{text}"')
                sizes.append("?")
        type_ = f"tensor<{'x'.join([*sizes, element])}>"
        self.arguments.append((name, type_, dims, element, fill, symbols))
        return name, type_

    @property
    def all_batches(self):
        """The number of sequences, as text."""
        return " * ".join(str(size) for size in self.batches) or "1"

    def batch_sizes(self, space):
        """The same, dimension by dimension."""
        known = numpy.prod([size for size in self.batches if not isinstance(size, str)], dtype=int)
        return [space[0] // known if isinstance(size, str) else size for size in self.batches]

    def shape_of(self, dims, space):
        sizes = dict(zip(DIMS, space)) | dict(zip(self.batches, self.batch_sizes(space)))
        return [sizes.get(dim, dim) for dim in dims]

    def type_of(self, result):
        if result in ("output", "unnormalized"):
            dims = self.output_layout.dims(self.batches, self.heads, "query", self.width)
        else:
            dims = [*self.batches, self.heads, "query", "key"]
            if result in ("log_sum_exp", "maximum", "sum"):
                dims.pop()
            if result == "column_sums":
                dims.remove("query")
        element = self.types[0] if result == "output" else self.wide
        sizes = ["?" if isinstance(dim, str) else str(dim) for dim in dims]
        return f"tensor<{'x'.join([*sizes, element])}>"

    def write(self):
        arguments = []
        for name, type_, _, _, _, symbols in self.arguments:
            sizes = f"heddle.sizes = [{', '.join(symbols)}], " if symbols else ""
            arguments.append(f'{name}: {type_} {{{sizes}heddle.name = "{name[1:]}"}}')
        types = [self.type_of(result) for result in self.results]
        named = ", ".join(
            f'{type_} {{heddle.name = "r_{result}"}}' for type_, result in zip(types, self.results)
        )
        operands = "".join(
            [f" mask({self.mask.name})" if self.mask else "",
             f" sinks({self.sinks} : tensor<{self.heads}x{self.wide}>)" if self.sinks else ""]
        )  # fmt: skip
        scale = "" if self.scale is None else f" scale({self.scale})"
        change = f" normalize({self.normalize})" if self.normalize != "softmax" else ""
        products = " products(bf16)" if self.rounds else ""
        parts = "".join("\n    " + part.text() for part in (self.term, self.changes) if part)
        if self.factors:
            parts += "\n    " + self.factors_text()
        lines = "\n".join(self.mask.lines) if self.mask else ""
        inputs = ", ".join(type_ for _, type_, *_ in self.arguments[:3])
        results = ", ".join(f"%r#{i}" for i in range(len(types)))
        if len(types) == 1:
            results = "%r"
        return (
            f"func.func @{self.name}({', '.join(arguments)}) -> ({named}) {{\n{lines}\n"
            f"  %r:{len(types)} = heddle.attention %q, %k, %v{operands}"
            f" heads({self.heads}, kv = {self.kv}){scale}{self.layout}"
            f"{change} results({', '.join(self.results)}){products}{parts}\n    : {inputs}\n"
            f"  return {results} : {', '.join(types)}\n}}\n"
        ).replace("%r:1 =", "%r =")

    def factors_text(self):
        """A factor for each key."""
        batch = self.all_batches
        size, over = (batch, batch) if batch.isdigit() else ("?", f'"{batch}"')
        type_ = f"tensor<{size}x{self.heads}x?x?x{self.wide}>"
        return (
            f"factors({self.factors} : tensor<?x{self.wide}>) {{\n"
            f"    ^bb0(%ones: {type_}, %factor: tensor<?x{self.wide}>):\n"
            f'      %f = heddle.generic over [{over}, {self.heads}, "queries", "keys"]'
            f" ins(%ones, %factor : {type_}, tensor<?x{self.wide}>) maps [affine_map<(d0, d1, d2, d3)"
            " -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {\n"
            f"      ^bb0(%x: {self.wide}, %y: {self.wide}):\n        %p = arith.mulf %x, %y : {self.wide}\n"
            f"        heddle.yield %p : {self.wide}\n      }} : {type_}\n      heddle.yield %f : {type_}\n    }}"
        )

    def make_inputs(self, seed, space):
        arrays = {}
        for index, (name, _, dims, element, fill, _) in enumerate(self.arguments):
            self.filling = dims
            generator = numpy.random.default_rng([seed, index, *space])
            arrays[name] = from_file(to_file(numpy.asarray(fill(generator, space)), element), element)
        return arrays

    def keep(self, space, arrays):
        kept = numpy.ones(space, bool)
        return kept & self.mask.keep(space, arrays) if self.mask else kept

    def poison(self, space, arrays, seed):
        """Keys of a head's group that no query keeps hold anything."""
        kept = self.keep(space, arrays)
        group = self.heads // self.kv
        unused = ~kept.reshape(space[0], self.kv, group, *space[2:]).any(axis=(2, 3))
        if not any(r in self.results for r in RESULTS[3:6]):
            generator = numpy.random.default_rng([seed, 99])
            for name, layout in zip(("%k", "%v"), self.layouts[1:]):
                array = layout.to_heads(arrays[name], self.kv).copy()
                array[unused] = generator.choice((numpy.nan, numpy.inf, -numpy.inf))
                arrays[name] = layout.from_heads(array, self.batch_sizes(space))

    def run(self, space, arrays):
        """Each result and how far it may be off."""
        with numpy.errstate(all="ignore"):
            return self.compute(space, arrays)

    def compute(self, space, arrays):
        group = self.heads // self.kv
        q = self.layouts[0].to_heads(arrays["%q"], self.heads)
        k, v = (
            numpy.repeat(layout.to_heads(arrays[name], self.kv), group, axis=1)
            for name, layout in zip(("%k", "%v"), self.layouts[1:])
        )
        scale = self.scale
        scaled_query = None
        if self.rounds:
            scale = self.depth**-0.5 if scale is None else scale
            if abs(scale) <= 1:
                scaled_query = bfloats((q.astype("f4") * numpy.float32(scale)).astype(float))
            q, k, v = bfloats(q), bfloats(k), bfloats(v)
        if self.term:
            raw, terms = self.term.apply(q, k, arrays)
            scale = 1.0 if scale is None else scale
        else:
            raw = q @ k.swapaxes(2, 3)
            terms = (self.depth + 8) * (numpy.abs(q) @ numpy.abs(k).swapaxes(2, 3))
            scale = self.depth**-0.5 if scale is None else scale
        scaled, scaled_terms = raw * scale, terms * abs(scale)
        if scaled_query is not None:
            scaled = scaled_query @ k.swapaxes(2, 3)
            scaled_terms = (self.depth + 8) * (numpy.abs(scaled_query) @ numpy.abs(k).swapaxes(2, 3))
        changed, changed_terms = scaled, scaled_terms
        if self.changes:
            changed, changed_terms = self.changes.apply(scaled, scaled_terms, arrays)
        kept = self.keep(space, arrays)
        masked = numpy.where(kept, changed, -numpy.inf)
        kept = kept & (masked != -numpy.inf)
        errors = numpy.where(kept, changed_terms, 0)
        weigh = self.weigh_by_softmax if self.normalize == "softmax" else self.weigh
        results, weights, moved, divisor = weigh(masked, kept, errors, arrays)
        factors = arrays[self.factors] if self.factors else 1.0
        clean = numpy.where(numpy.isfinite(v), v, 0)
        size = numpy.abs(clean)
        lost = 1e-36 * (1 + size.sum(axis=2, keepdims=True))
        share, share_moved = weights * factors / divisor, moved * factors / numpy.abs(divisor)
        share = numpy.where(kept, share, 0)
        # Of rows that keep no key, too.
        output = numpy.where(numpy.isnan(divisor), numpy.nan, share @ clean)
        results |= {
            "output": (output, share_moved @ size + lost),
            "unnormalized": ((weights * factors) @ clean, (moved * factors) @ size + lost),
            "weights": (share, share_moved + 1e-36),
            "column_sums": (share.sum(axis=2), (share_moved + 1e-36).sum(axis=2)
                            + self.unit * space[2] * numpy.abs(share).sum(axis=2)),
            "raw_scores": (raw, self.unit * terms),
            "scaled_scores": (scaled, self.unit * scaled_terms),
            "changed_scores": (changed, self.unit * changed_terms),
            "masked_scores": (masked, self.unit * changed_terms),
        }  # fmt: skip
        batches = self.batch_sizes(space)
        for name, (value, error) in results.items():
            error = numpy.broadcast_to(error, value.shape)
            if name in ("output", "unnormalized"):
                value, error = (
                    self.output_layout.from_heads(x, batches) for x in (value, error)
                )
            else:
                value, error = (x.reshape(*batches, *x.shape[1:]) for x in (value, error))
            results[name] = value, error
        return [results[name] for name in self.results]

    def weigh_by_softmax(self, masked, kept, errors, arrays):
        """What rows have, exp(score - maximum), how far that may be off, and its sum."""
        sinks = numpy.full((1, self.heads, 1), -numpy.inf)
        if self.sinks:
            sinks = arrays[self.sinks].reshape(1, -1, 1)
        # A sink that is NaN is in the sum alone.
        maximum = numpy.fmax(masked.max(axis=3, initial=-numpy.inf), sinks)
        base = numpy.where(maximum == -numpy.inf, 0, maximum)
        weights = numpy.where(kept, numpy.exp(masked - base[..., None]), 0)
        total = weights.sum(axis=3) + numpy.where(sinks != -numpy.inf, numpy.exp(sinks - base), 0)
        divisor = numpy.where(total == 0, 1, total)
        # How far a weight may move, relative to it.
        row = self.unit * (2 * errors.max(axis=3, initial=0) + 4 * numpy.abs(base) + 64 + masked.shape[3])
        moved = 2 * row + 2 * self.unit * errors.max(axis=3, initial=0)
        rounding = BFLOAT_UNIT if self.rounds else 0  # of a weight, and so of their sum
        moved = numpy.expm1(numpy.minimum(moved + 2 * rounding, 80))
        logarithm = numpy.where(total == 0, -numpy.inf, base + numpy.log(divisor))
        results = {
            "log_sum_exp": (logarithm, 2 * row + 2 * rounding),
            "maximum": (numpy.where(numpy.isnan(total) & (maximum < numpy.inf), total, maximum), row),
            "sum": (total, moved * total + 1e-36),
        }
        return results, weights, moved[..., None] * weights, divisor[..., None]

    def weigh(self, masked, kept, errors, arrays):
        """The same where scores are weights."""
        weights = numpy.where(kept, masked, 0)
        total = weights.sum(axis=3, keepdims=True)
        moved = self.unit * (errors + (masked.shape[3] + 8) * numpy.abs(weights)) * kept
        off = moved.sum(axis=3, keepdims=True)
        results = {"sum": (total[..., 0], off[..., 0] + 1e-36)}
        if self.normalize == "none":
            return results, weights, moved, 1.0
        # Where the sum may as well be 0, the weights may be anything.
        divisor = numpy.where(total == 0, 1, total)
        rest = numpy.abs(total) - off
        share = numpy.abs(weights / divisor)
        moved = numpy.where(rest > 0, (moved + share * off) * numpy.abs(divisor) / rest, numpy.inf)
        moved = numpy.where(kept & (off > 0), moved + self.unit * 2 * numpy.abs(weights), 0)
        return results, weights, moved, divisor


def compare(function, space, got, expected):
    for name, found, (value, error) in zip(function.results, got, expected):
        with numpy.errstate(all="ignore"):
            error = numpy.broadcast_to(numpy.nan_to_num(error, nan=numpy.inf), value.shape)
            is_equal = (found == value) | (numpy.abs(found - value) <= error + 1e-37)
            is_equal |= numpy.isnan(found) & numpy.isnan(value)
            if name == "output":
                # Rounded after the error was made.
                low, high = (
                    nearest(bound, function.types[0]) for bound in (value - error, value + error)
                )
                is_equal |= (low <= found) & (found <= high)
        if is_equal.all():
            continue
        place = tuple(int(i) for i in numpy.argwhere(~is_equal)[0])
        raise Failure(
            f"{function.name}: {name}{list(place)} of {list(space)} is {found[place]!r}, expected"
            f" {value[place]!r} within {error[place]:.2g}; {(~is_equal).sum()} of {is_equal.size}"
            " are wrong"
        )


def call(function, artifact, space, arrays):
    command = ["heddle-run", "run", artifact, f"--entry={function.name}"]
    sizes = {symbol: space[DIMS.index(dim)] for dim, symbol in SYMBOLS.items()}
    sizes |= {
        symbol: size for symbol, size in zip(function.batches, function.batch_sizes(space))
        if isinstance(symbol, str)
    }  # fmt: skip
    command += [f"--size={symbol}={size}" for symbol, size in sizes.items()]
    for name, _, _, element, _, _ in function.arguments:
        numpy.save(f"{name[1:]}.npy", to_file(arrays[name], element))
        command.append(f"--input={name[1:]}={name[1:]}.npy")
    command += [f"--output=r_{name}={name}.npy" for name in function.results]
    run(*command)
    return [
        from_file(numpy.load(name + ".npy"), function.types[0] if name == "output" else function.wide)
        for name in function.results
    ]


def spaces_of(function, rng):
    """Sizes of the calls."""
    batch = rng.choice((1, 3))
    least, step = 1, 0
    for size in function.batches:
        if isinstance(size, str):
            step = 1
        else:
            least = size
    batches = [least * (many if step else 1) for many in (batch, 1, 4 - batch)]
    yield [batches[0], function.heads, rng.choice(LENGTHS), rng.choice(LENGTHS)]
    yield [batches[1], function.heads, rng.choice((1, 2, 13)), rng.choice(LONG)]
    length = rng.choice(LENGTHS)
    yield [batches[2], function.heads, length, length]
    yield [batches[0], function.heads, rng.choice(LENGTHS), 0]
    if "column_sums" not in function.results:  # which need a query
        yield [batches[0], function.heads, 0, rng.choice((0, 13))]


def check(seed, options):
    function = Function(seed)
    rng = random.Random(f"calls {seed}")
    with open(function.name + ".mlir", "w", encoding="utf-8") as file:
        file.write(function.write())
    artifact = f"./{function.name}.so"
    target = rng.choice(TARGETS)
    run("heddlec", function.name + ".mlir", f"--target-cpu={target}", *options, "--quiet",
        "--emit=shared", "-o", artifact)  # fmt: skip
    for number, space in enumerate(spaces_of(function, rng)):
        arrays = function.make_inputs(1000 * seed + number, space)
        function.poison(space, arrays, seed)
        expected = function.run(space, arrays)
        compare(function, space, call(function, artifact, space, arrays), expected)
    for path in glob.glob(f"{function.name}.*"):
        os.remove(path)


def main():
    first, count, *options = sys.argv[1:]
    failures = 0
    for seed in range(int(first), int(first) + int(count)):
        try:
            check(seed, options)
        except Failure as failure:
            failures += 1
            print(failure, flush=True)
    print(f"{int(count) - failures} of {count} modules agree")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
