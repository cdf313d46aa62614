# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry points of a few layers, as MLIR text and as what they compute in NumPy."""
import re

import numpy

from judge.elements import from_file, to_file

# Of weights, those of bf16 as their bits.
STORED = {"<f4": "f32", "<f2": "f16", "<u2": "bf16"}


class Argument:
    """Sizes are numbers and expressions of symbols."""

    # Of those that do not say what their elements are.
    activations = "f32"

    def __init__(self, *sizes, element=None, fill=None):
        self.sizes, self.element, self.fill = sizes, element or Argument.activations, fill

    def __str__(self):
        sizes = "".join(f"{s}x" if isinstance(s, int) else "?x" for s in self.sizes)
        return f"tensor<{sizes}{self.element}>"

    def declared(self):
        names = ", ".join(f'"{s}"' for s in self.sizes if isinstance(s, str))
        return f", heddle.sizes = [{names}]" if names else ""

    def symbols(self):
        return set(re.findall(r"[a-z]\w*", " ".join(map(str, self.sizes))))

    def array(self, rng, sizes):
        shape = [s if isinstance(s, int) else eval(s, {}, sizes) for s in self.sizes]
        array = self.fill(rng, shape, sizes) if self.fill else rng.normal(size=shape)
        return from_file(to_file(numpy.asarray(array), self.element), self.element)

    def file(self, array):
        """What a file has of an array that is this argument."""
        return to_file(array, self.element)

    def read(self, array):
        """What an array of a file means."""
        return from_file(array, self.element)


def weight(*shape, seed=1, scale=None, element="f32"):
    """A weight's values: small enough that sums are about 1."""
    rng = numpy.random.default_rng([seed, *shape])
    deviation = numpy.prod(shape[1:]) ** -0.5 if len(shape) > 1 else 0.5
    array = (rng.normal(size=shape) * (scale or deviation)).astype("<f4")
    if element == "bf16":
        return (array.view("<u4") >> 16).astype("<u2")
    return array.astype({"f32": "<f4", "f16": "<f2"}[element])


def type_of(array):
    """That of a weight."""
    return f"tensor<{'x'.join(map(str, array.shape))}x{STORED[array.dtype.str]}>"


class Function:
    """`body` uses arguments and weights by their names, and defines the results; `formula`
    takes the arrays of both by name, in double precision, and gives those of the results.
    `values` are what is returned, where their names are not those of the results."""

    def __init__(self, name, arguments, results, body, formula, calls=({},), weights=None,
                 attributes="", tolerance=1e-5, values=None):  # fmt: skip
        self.name, self.arguments, self.results = name, arguments, results
        self.body, self.formula, self.calls = body, formula, calls
        self.weights, self.attributes = weights or {}, attributes
        self.tolerance = tolerance
        self.values = values or [f"%{name}" for name in results]

    def text(self):
        lines, references = [], []
        for name, array in self.weights.items():
            type_ = type_of(array)
            data = array.tobytes().hex().upper()
            lines.append(f'heddle.weight @{self.name}_{name} = dense<"0x{data}"> : {type_}')
            references.append(f"  %{name} = heddle.weight_ref @{self.name}_{name} : {type_}")
        arguments = ", ".join(
            f'%{name}: {a} {{heddle.name = "{name}"{a.declared()}}}'
            for name, a in self.arguments.items()
        )
        results = ", ".join(f'{r} {{heddle.name = "{n}"}}' for n, r in self.results.items())
        types = ", ".join(map(str, self.results.values()))
        lines.append(f"func.func @{self.name}({arguments}) -> ({results}) {self.attributes} {{")
        lines += references
        lines += [f"  {line.strip()}" for line in self.body.strip().splitlines()]
        lines += [f"  return {', '.join(self.values)} : {types}", "}"]
        return "\n".join(lines) + "\n"

    def own_sizes(self, sizes):
        symbols = set().union(*(a.symbols() for a in self.arguments.values()), set())
        return {name: size for name, size in sizes.items() if name in symbols}

    def make_inputs(self, rng, sizes):
        return {name: a.array(rng, sizes) for name, a in self.arguments.items()}

    def compute(self, inputs):
        def wide(array):
            if array.dtype.str == "<u2":
                array = (array.astype("<u4") << 16).view("<f4")
            return array.astype("f8")

        values = {name: wide(array) for name, array in self.weights.items()}
        results = self.formula(**values, **inputs)
        return results if isinstance(results, tuple) else (results,)
