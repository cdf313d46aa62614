# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function with the weights of a checkpoint, and its inputs."""
import json
import os
import struct

import numpy


def type_of(*sizes):
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


class Model:
    """A function: weights by name, arguments, a text and a formula. `cache` is the type of a cache
    that goes from call to call."""

    def __init__(self, name):
        self.name, self.weights, self.arguments = name, {}, {}
        self.lines, self.results = [], []
        self.cache, self.changed_cache = None, None
        self.random = numpy.random.default_rng(abs(hash_of(name)))

    # ---- Text

    def weight(self, name, *shape):
        """Declares a weight: matrices keep the size of rows, vectors are near 1 or 0."""
        scale = shape[-1] ** -0.5 if len(shape) > 1 else 0.2
        near = 1 if len(shape) == 1 and name.endswith("weight") else 0
        array = (near + scale * self.random.standard_normal(shape)).astype("f4")
        self.weights[name] = array.astype("f8")

    def reference(self, name):
        type_ = type_of(*self.weights[name].shape)
        self.lines.append(f"  %{name} = heddle.weight_ref @{name} : {type_}")
        return f"%{name}", type_

    def argument(self, name, length, channels):
        self.arguments[name] = (type_of("?", "?", channels), ("batch", length), channels)

    def lengths(self, name, of):
        """An i32 for each sequence, and a mask of as many keys."""
        self.arguments[name] = ("tensor<?xi32>", ("batch",), of)
        self.lines.append(f"  %m_{name} = heddle.mask.lengths %{name} : tensor<?xi32>")

    def bias(self, name, heads, queries, keys):
        """Numbers that are added to scores, as a clause of an option of this name."""
        scores = type_of("?", heads, "?", "?")
        self.arguments[name] = (scores, ("batch", heads, queries, keys), None)
        return (
            f" {name}(%{name} : {scores}) {{\n  ^bb0(%s: {scores}, %a: {scores}):\n"
            f"    %t = arith.addf %s, %a : {scores}\n    heddle.yield %t : {scores}\n  }}"
        )

    def append(self, layers, kv, head, value, layer=None):
        """A cache, as clauses of options. The mask of attention to it is %m_cache."""
        values = "" if value == head else f", values {value} x f32"
        self.cache = f"!heddle.cache<{layers} x {kv} x {head} x f32{values}>"
        for name in ("starts", "counts"):
            self.arguments[name] = ("tensor<?xi32>", ("batch",), None)
        self.lines.append("  %m_cache = heddle.mask.causal offset(%starts : tensor<?xi32>)")
        place = "" if layer is None else f" layer({layer})"
        return (f" cache(%cache : {self.cache}){place} at(%starts : tensor<?xi32>)"
                " lengths(%counts : tensor<?xi32>)")  # fmt: skip

    def result(self, value, type_):
        self.results.append((value, type_))

    def text(self):
        weights = "".join(
            f'heddle.weight @{name} from "{name}" : {type_of(*array.shape)}\n'
            for name, array in self.weights.items()
        )
        arguments = ", ".join(
            f'%{name}: {type_} {{heddle.name = "{name}", heddle.sizes = '
            f"{json.dumps([size for size in sizes if isinstance(size, str)])}}}"
            for name, (type_, sizes, _) in self.arguments.items()
        )
        results = ", ".join(
            f'{type_} {{heddle.name = "r{i}"}}' for i, (_, type_) in enumerate(self.results)
        )
        values, types = map(list, zip(*self.results))
        if self.cache:
            arguments += f', %cache: {self.cache} {{heddle.sizes = ["batch", "capacity"]}}'
            results += f", {self.cache}"
            values.append(self.changed_cache)
            types.append(self.cache)
        return (
            f"{weights}func.func @{self.name}({arguments}) -> ({results}) {{\n"
            + "\n".join(self.lines)
            + f"\n  return {', '.join(values)} : {', '.join(types)}\n}}\n"
        )

    def write(self):
        with open(self.name + ".mlir", "w", encoding="utf-8") as file:
            file.write(self.text())
        header, data = {}, b""
        for name, array in self.weights.items():
            content = array.astype("<f4").tobytes()
            header[name] = {
                "dtype": "F32",
                "shape": list(array.shape),
                "data_offsets": [len(data), len(data) + len(content)],
            }
            data += content
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        os.makedirs(self.name, exist_ok=True)
        with open(f"{self.name}/model.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data)

    # ---- Calls

    def inputs(self, symbols):
        arrays = {}
        for name, (type_, sizes, what) in self.arguments.items():
            shape = [symbols.get(size, size) for size in sizes]
            if name in ("starts", "counts"):
                continue  # calls that share a cache have them
            if what is None:
                arrays[name] = self.random.standard_normal(shape).astype("f4")
            elif type_.endswith("i32>"):
                arrays[name] = self.random.integers(1, symbols[what] + 1, shape).astype("i4")
            else:
                arrays[name] = self.random.standard_normal([*shape, what]).astype("f4")
        return arrays


def hash_of(name):
    return int.from_bytes(name.encode(), "big") % 2**31
