# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry points of a few layers, as MLIR text and as what they compute in NumPy."""
import re

import numpy

ELEMENTS = {"f32": "<f4", "i32": "<i4"}


class Argument:
    """Sizes are numbers and expressions of symbols."""

    def __init__(self, *sizes, element="f32", fill=None):
        self.sizes, self.element, self.fill = sizes, element, fill

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
        return numpy.asarray(array).astype(ELEMENTS[self.element])


def weight(*shape, seed=1, scale=None):
    """A weight's values: small enough that sums are about 1."""
    rng = numpy.random.default_rng([seed, *shape])
    deviation = numpy.prod(shape[1:]) ** -0.5 if len(shape) > 1 else 0.5
    return (rng.normal(size=shape) * (scale or deviation)).astype("<f4")


class Function:
    """`body` uses arguments and weights by their names, and defines the results; `formula`
    takes the arrays of both by name, in double precision, and gives those of the results."""

    def __init__(self, name, arguments, results, body, formula, calls=({},), weights=None,
                 attributes="", tolerance=1e-5):  # fmt: skip
        self.name, self.arguments, self.results = name, arguments, results
        self.body, self.formula, self.calls = body, formula, calls
        self.weights, self.attributes = weights or {}, attributes
        self.tolerance = tolerance

    def text(self):
        lines, references = [], []
        for name, array in self.weights.items():
            type_ = f"tensor<{'x'.join(map(str, array.shape))}xf32>"
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
        names = ", ".join(f"%{name}" for name in self.results)
        lines += [f"  return {names} : {types}", "}"]
        return "\n".join(lines) + "\n"

    def own_sizes(self, sizes):
        symbols = set().union(*(a.symbols() for a in self.arguments.values()), set())
        return {name: size for name, size in sizes.items() if name in symbols}

    def make_inputs(self, rng, sizes):
        return {name: a.array(rng, sizes) for name, a in self.arguments.items()}

    def compute(self, inputs):
        def wide(array):
            return array.astype("f8") if array.dtype.kind == "f" else array

        values = {name: wide(array) for name, array in {**self.weights, **inputs}.items()}
        results = self.formula(**values)
        return results if isinstance(results, tuple) else (results,)
