# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arithmetic on indices and integers in bodies of tensor.generate, against Python.

    random_bodies.py COUNT [SEED]

Numbers are made inside of the body and outside of it, of coordinates, sizes, constants and
elements; the results are numbers and what they read. Python's integers, wrapped around at
the width of each type, are the judge; the seed is printed.
"""
import random
import sys
import time

import numpy
from judge.running import run

WIDTHS = {"i8": 8, "i32": 32, "i64": 64, "index": 64}
ROWS, COLUMNS = 5, 7


def wrap(value, type_):
    width = WIDTHS[type_]
    return (value + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def unsigned(value, type_):
    return value % 2 ** WIDTHS[type_]


def quotient(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


# Of numbers and their type, with the numbers that the second one may be.
ANY, POSITIVE = None, (1, 2, 3, 7, 40)
BINARY = {
    "addi": (lambda x, y, t: x + y, ANY), "subi": (lambda x, y, t: x - y, ANY),
    "muli": (lambda x, y, t: x * y, ANY), "minsi": (lambda x, y, t: min(x, y), ANY),
    "maxsi": (lambda x, y, t: max(x, y), ANY),
    "minui": (lambda x, y, t: min(x, y, key=lambda v: unsigned(v, t)), ANY),
    "maxui": (lambda x, y, t: max(x, y, key=lambda v: unsigned(v, t)), ANY),
    "andi": (lambda x, y, t: x & y, ANY), "xori": (lambda x, y, t: x ^ y, ANY),
    "divsi": (lambda x, y, t: quotient(x, y), POSITIVE),
    "remsi": (lambda x, y, t: x - y * quotient(x, y), POSITIVE),
    "floordivsi": (lambda x, y, t: x // y, POSITIVE),
    "ceildivsi": (lambda x, y, t: -(-x // y), POSITIVE),
    "divui": (lambda x, y, t: unsigned(x, t) // y, POSITIVE),
    "remui": (lambda x, y, t: unsigned(x, t) % y, POSITIVE),
    "shrsi": (lambda x, y, t: x >> y, (1, 3, 7)),
    "shrui": (lambda x, y, t: unsigned(x, t) >> y, (1, 3, 7)),
    "shli": (lambda x, y, t: x << y, (1, 3, 7)),
}  # fmt: skip


class Scope:
    """Lines of MLIR, and numbers with their types and their values in Python.

    A value is a function of the arguments and the point, which keep what is known there.
    """

    def __init__(self, rng, prefix, outer=()):
        self.rng, self.prefix, self.lines, self.values = rng, prefix, [], list(outer)

    def add(self, text, type_, value):
        name = f"%{self.prefix}{len(self.lines)}"
        self.lines.append(f"{name} = {text}")

        def once(at):
            if name not in at:
                at[name] = value(at)
            return at[name]

        self.values.append((name, type_, once))
        return self.values[-1]

    def constant(self, number, type_):
        return self.add(f"arith.constant {number} : {type_}", type_, lambda at: number)

    def any(self, type_=None):
        known = [v for v in self.values if type_ in (None, v[1])]
        return self.rng.choice(known) if known else self.constant(self.rng.randint(-9, 99), type_)

    def grow(self):
        kind, (name, type_, value) = self.rng.random(), self.any()
        if kind < 0.2:
            self.cast(name, type_, value)
        elif kind < 0.3:
            number = self.rng.choice((0, 1, 5, 100, -1, -77, 2**31 - 1, -(2**31), 2**40))
            self.constant(wrap(number, type_), type_)
        elif kind < 0.4:
            other, third = self.any(type_), self.any(type_)
            c = f"%{self.prefix}c{len(self.lines)}"
            self.lines.append(f"{c} = arith.cmpi slt, {name}, {other[0]} : {type_}")
            self.add(f"arith.select {c}, {third[0]}, {name} : {type_}", type_,
                     lambda at: third[2](at) if value(at) < other[2](at) else value(at))  # fmt: skip
        else:
            op = self.rng.choice(sorted(BINARY))
            formula, seconds = BINARY[op]
            other = self.any(type_)
            if seconds:
                other = self.constant(self.rng.choice(seconds), type_)
            self.add(f"arith.{op} {name}, {other[0]} : {type_}", type_,
                     lambda at: wrap(formula(value(at), other[2](at), type_), type_))  # fmt: skip

    def cast(self, name, type_, value):
        to = self.rng.choice([t for t in WIDTHS if t != type_])
        is_index, is_wider = "index" in (to, type_), WIDTHS[to] > WIDTHS[type_]
        ui = self.rng.random() < 0.3
        if is_index:
            op = "index_castui" if ui else "index_cast"
        elif is_wider:
            op = "extui" if ui else "extsi"
        else:
            op, ui = "trunci", False
        self.add(f"arith.{op} {name} : {type_} to {to}", to,
                 lambda at: wrap(unsigned(value(at), type_) if ui else value(at), to))  # fmt: skip

    def index(self):
        """An index that lies in no tensor for sure."""
        known = [v for v in self.values if v[1] == "index"]
        return self.rng.choice(known)


def remainder(scope, number, of):
    """An index as one of so many."""
    name, _, value = number
    count = scope.constant(of, "index")
    return scope.add(f"arith.remui {name}, {count[0]} : index", "index",
                     lambda at: unsigned(value(at), "index") % of)  # fmt: skip


def make(seed, number):
    """A function of a body, and what it gives for sizes and arguments."""
    rng = random.Random(f"{seed} {number}")
    outside = Scope(rng, "o")
    zero = outside.constant(0, "index")
    n = outside.add(f"tensor.dim %x, {zero[0]} : tensor<?xi32>", "index", lambda at: len(at["x"]))
    for type_, argument in (("i8", "b"), ("i32", "x"), ("i64", "w")):
        shape = "?" if argument == "x" else "3"
        outside.add(f"tensor.extract %{argument}[{zero[0]}] : tensor<{shape}x{type_}>", type_,
                    lambda at, argument=argument: int(at[argument][0]))  # fmt: skip
    for _ in range(rng.randint(0, 8)):
        outside.grow()
    inside = Scope(rng, "v", outside.values)
    inside.values += [("%i", "index", lambda at: at["i"]), ("%j", "index", lambda at: at["j"])]
    for _ in range(rng.randint(3, 14)):
        inside.grow()
    row = remainder(inside, inside.index(), ROWS)
    column = remainder(inside, inside.index(), COLUMNS)
    inside.add(f"tensor.extract %t[{row[0]}, {column[0]}] : tensor<{ROWS}x{COLUMNS}xi64>", "i64",
               lambda at: int(at["t"][row[2](at), column[2](at)]))  # fmt: skip
    for _ in range(rng.randint(0, 4)):
        inside.grow()
    result = rng.choice([v for v in inside.values[-6:] if v[1] != "index"] or [inside.any("i64")])
    lines = "\n".join(
        [f"  {line}" for line in outside.lines]
        + [f"  %y = tensor.generate {n[0]} {{", "  ^bb0(%i: index, %j: index):"]
        + [f"    {line}" for line in inside.lines]
        + [f"    tensor.yield {result[0]} : {result[1]}", f"  }} : tensor<?x3x{result[1]}>"]
    )
    text = f"""func.func @f{number}(
    %x: tensor<?xi32> {{heddle.name = "x", heddle.sizes = ["n"]}},
    %b: tensor<3xi8> {{heddle.name = "b"}}, %w: tensor<3xi64> {{heddle.name = "w"}},
    %t: tensor<{ROWS}x{COLUMNS}xi64> {{heddle.name = "t"}}) -> (tensor<?x3x{result[1]}> {{heddle.name = "y"}}) {{
{lines}
  return %y : tensor<?x3x{result[1]}>
}}
"""
    return text, result


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 2**31
    print(f"seed {seed}", file=sys.stderr)
    functions = [make(seed, number) for number in range(count)]
    with open("bodies.mlir", "w") as file:
        file.write("\n".join(text for text, _ in functions))
    run("heddlec", "bodies.mlir", "--verify", "--emit=shared", "-o", "bodies.so")
    generator = numpy.random.default_rng(seed)
    failures = 0
    for number, (text, (_, type_, value)) in enumerate(functions):
        n = int(generator.choice((1, 2, 5, 33)))
        arguments = {
            "x": generator.integers(-(2**31), 2**31, n, "i4"),
            "b": generator.integers(-128, 128, 3, "i1"),
            "w": generator.integers(-(2**62), 2**62, 3),
            "t": generator.integers(-99, 99, (ROWS, COLUMNS)),
        }  # fmt: skip
        for name, array in arguments.items():
            numpy.save(f"{name}.npy", array)
        run("heddle-run", "run", "bodies.so", f"--entry=f{number}", "--output=y=y.npy",
            *(f"--input={name}={name}.npy" for name in arguments))  # fmt: skip
        expected = [[value({**arguments, "i": i, "j": j}) for j in range(3)] for i in range(n)]
        if numpy.array_equal(numpy.load("y.npy"), expected):
            continue
        failures += 1
        print(f"found {numpy.load('y.npy')}, expected {numpy.array(expected)} of\n{text}")
    print(f"{count} bodies, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
