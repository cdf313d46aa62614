# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random attention and compares all of its results with NumPy.

    random_attention.py FIRST_SEED COUNT [HEDDLEC_OPTION...]

A seed draws heads, channels, a layout, a formula of masks, changes of scores, sinks and
which results there are, and calls that with several lengths: of one, of what tiles and
blocks have, one less and one more. Values at keys that a sequence does not keep at all are
NaN and infinite, so that none may reach a result.

Files of seeds that fail stay, to repeat it.
"""
import glob
import os
import random
import sys

import numpy

from attention.masks import DIMS, Masks
from attention.scores import Changes
from judge.elements import from_file, to_file
from judge.running import Failure, run

TARGETS = ("native", "x86-64-v3")
LENGTHS = (1, 2, 3, 5, 11, 12, 13, 31, 32, 33, 47, 64, 97, 130)
LONG = (509, 512, 545)
UNIT = 2.0**-24
RESULTS = (
    "output", "weights", "log_sum_exp", "raw_scores", "scaled_scores", "changed_scores",
    "masked_scores", "unnormalized", "maximum", "sum",
)  # fmt: skip
SYMBOLS = {"batch": "batch", "query": "queries", "key": "keys"}


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
        self.is_outside = choose((False, True))
        self.scale = choose((None, 0.125, 1.0, -0.3, 0.0))
        self.magnitude = choose((1.0, 1.0, 1.0, 30.0))
        for name, heads, length, channels in (
            ("%q", self.heads, "query", self.depth), ("%k", self.kv, "key", self.depth),
            ("%v", self.kv, "key", self.width),
        ):  # fmt: skip
            dims = ("batch", heads, length, channels)
            if not self.is_outside:
                dims = ("batch", length, heads * channels)
            self.argument(dims, "f32", self.fill, name=name)
        self.mask = None
        if self.random.random() < 0.85:
            self.mask = Masks(self, self.random).formula(choose((0, 0, 1, 2)))
        self.changes = Changes(self, self.random).draw() if self.random.random() < 0.5 else None
        self.sinks = None
        if self.random.random() < 0.25:
            self.sinks, _ = self.argument(
                ("head",), "f32", lambda g, space: numpy.where(
                    g.random(space[1]) < 0.2, -numpy.inf, 2 * g.standard_normal(space[1]))
            )  # fmt: skip
        self.results = self.random.sample(RESULTS, choose((1, 1, 2, 3, 4)))
        if self.random.random() < 0.5 and "output" not in self.results:
            self.results.insert(0, "output")

    def fill(self, generator, space):
        return self.magnitude * generator.standard_normal(self.shape_of(self.filling, space))

    def argument(self, dims, element, fill, blocks=None, name=None):
        name = name or f"%a{len(self.arguments)}"
        sizes, symbols = [], []
        for dim in dims:
            if dim in SYMBOLS:
                block = (blocks or {}).get(dim, 1)
                symbol = SYMBOLS[dim]
                symbols.append(f'"ceildiv({symbol}, {block})"' if block > 1 else f'"{symbol}"')
                sizes.append("?")
            else:
                sizes.append(str(self.heads if dim == "head" else dim))
        type_ = f"tensor<{'x'.join([*sizes, element])}>"
        self.arguments.append((name, type_, dims, element, fill, symbols))
        return name, type_

    def shape_of(self, dims, space):
        return [space[DIMS.index(d)] if d in DIMS else d for d in dims]

    def type_of(self, result):
        if result in ("output", "unnormalized"):
            width = self.width
            return (f"tensor<?x{self.heads}x?x{width}xf32>" if self.is_outside
                    else f"tensor<?x?x{self.heads * width}xf32>")  # fmt: skip
        if result in ("log_sum_exp", "maximum", "sum"):
            return f"tensor<?x{self.heads}x?xf32>"
        return f"tensor<?x{self.heads}x?x?xf32>"

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
             f" sinks({self.sinks} : tensor<{self.heads}xf32>)" if self.sinks else ""]
        )  # fmt: skip
        scale = "" if self.scale is None else f" scale({self.scale})"
        change = "\n    " + self.changes.text() if self.changes else ""
        lines = "\n".join(self.mask.lines) if self.mask else ""
        inputs = ", ".join(type_ for _, type_, *_ in self.arguments[:3])
        results = ", ".join(f"%r#{i}" for i in range(len(types)))
        if len(types) == 1:
            results = "%r"
        return (
            f"func.func @{self.name}({', '.join(arguments)}) -> ({named}) {{\n{lines}\n"
            f"  %r:{len(types)} = heddle.attention %q, %k, %v{operands}"
            f" heads({self.heads}, kv = {self.kv}){scale}"
            f" results({', '.join(self.results)}){change}\n    : {inputs}\n"
            f"  return {results} : {', '.join(types)}\n}}\n"
        ).replace("%r:1 =", "%r =")

    def make_inputs(self, seed, space):
        arrays = {}
        for index, (name, _, dims, element, fill, _) in enumerate(self.arguments):
            self.filling = dims
            generator = numpy.random.default_rng([seed, index, *space])
            arrays[name] = from_file(to_file(numpy.asarray(fill(generator, space)), element), element)
        return arrays

    def heads_of(self, array, heads):
        if self.is_outside:
            return array
        batch, length, channels = array.shape
        return array.reshape(batch, length, heads, channels // heads).transpose(0, 2, 1, 3)

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
            for name in ("%k", "%v"):
                array = self.heads_of(arrays[name], self.kv)
                array = array.copy()
                array[unused] = generator.choice((numpy.nan, numpy.inf, -numpy.inf))
                if not self.is_outside:
                    array = array.transpose(0, 2, 1, 3).reshape(arrays[name].shape)
                arrays[name] = array

    def run(self, space, arrays):
        """Each result and how far it may be off."""
        with numpy.errstate(all="ignore"):
            return self.compute(space, arrays)

    def compute(self, space, arrays):
        group = self.heads // self.kv
        q = self.heads_of(arrays["%q"], self.heads)
        k = numpy.repeat(self.heads_of(arrays["%k"], self.kv), group, axis=1)
        v = numpy.repeat(self.heads_of(arrays["%v"], self.kv), group, axis=1)
        raw = q @ k.swapaxes(2, 3)
        terms = (self.depth + 8) * (numpy.abs(q) @ numpy.abs(k).swapaxes(2, 3))
        scale = self.depth**-0.5 if self.scale is None else self.scale
        scaled, scaled_terms = raw * scale, terms * abs(scale)
        changed, changed_terms = scaled, scaled_terms
        if self.changes:
            changed, changed_terms = self.changes.apply(scaled, scaled_terms, arrays)
        kept = self.keep(space, arrays)
        masked = numpy.where(kept, changed, -numpy.inf)
        kept = kept & (masked != -numpy.inf)
        errors = numpy.where(kept, changed_terms, 0)
        sinks = numpy.full((1, self.heads, 1), -numpy.inf)
        if self.sinks:
            sinks = arrays[self.sinks].reshape(1, -1, 1)
        maximum = numpy.maximum(masked.max(axis=3), sinks)
        base = numpy.where(maximum == -numpy.inf, 0, maximum)
        weights = numpy.where(kept, numpy.exp(masked - base[..., None]), 0)
        total = weights.sum(axis=3) + numpy.where(sinks > -numpy.inf, numpy.exp(sinks - base), 0)
        divisor = numpy.where(total == 0, 1, total)[..., None]
        share = weights / divisor
        clean = numpy.where(numpy.isfinite(v), v, 0)
        plain = weights @ clean
        # How far a weight may move, relative to it, or as an absolute number where it is 0.
        row = UNIT * (2 * errors.max(axis=3) + 4 * numpy.abs(base) + 64 + space[3])
        moved = numpy.expm1(numpy.minimum(2 * row + 2 * UNIT * errors.max(axis=3), 80))
        size = numpy.abs(clean)
        lost = 1e-36 * (1 + size.sum(axis=2, keepdims=True))
        results = {
            "output": (plain / divisor, moved[..., None] * (share @ size) + lost),
            "unnormalized": (plain, moved[..., None] * (weights @ size) + lost),
            "weights": (share, moved[..., None] * share + 1e-36),
            "log_sum_exp": (numpy.where(total == 0, -numpy.inf, base + numpy.log(divisor[..., 0])),
                            2 * row),
            "maximum": (maximum, row),
            "sum": (total, moved * total + 1e-36),
            "raw_scores": (raw, UNIT * terms),
            "scaled_scores": (scaled, UNIT * scaled_terms),
            "changed_scores": (changed, UNIT * changed_terms),
            "masked_scores": (masked, UNIT * changed_terms),
        }  # fmt: skip
        for name in ("output", "unnormalized"):
            value, error = results[name]
            if not self.is_outside:
                value, error = (
                    x.transpose(0, 2, 1, 3).reshape(space[0], space[2], -1)
                    for x in (value, numpy.broadcast_to(error, value.shape))
                )
            results[name] = value, error
        return [results[name] for name in self.results]


def compare(function, space, got, expected):
    for name, found, (value, error) in zip(function.results, got, expected):
        with numpy.errstate(all="ignore"):
            error = numpy.broadcast_to(error, value.shape)
            is_equal = (found == value) | (numpy.abs(found - value) <= error + 1e-37)
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
    for dim, symbol in SYMBOLS.items():
        command.append(f"--size={symbol}={space[DIMS.index(dim)]}")
    for name, _, _, element, _, _ in function.arguments:
        numpy.save(f"{name[1:]}.npy", to_file(arrays[name], element))
        command.append(f"--input={name[1:]}={name[1:]}.npy")
    command += [f"--output=r_{name}={name}.npy" for name in function.results]
    run(*command)
    return [from_file(numpy.load(name + ".npy"), "f32") for name in function.results]


def spaces_of(function, rng):
    """Sizes of the calls."""
    batch = rng.choice((1, 3))
    yield [batch, function.heads, rng.choice(LENGTHS), rng.choice(LENGTHS)]
    yield [1, function.heads, rng.choice((1, 2, 13)), rng.choice(LONG)]
    length = rng.choice(LENGTHS)
    yield [4 - batch, function.heads, length, length]


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
