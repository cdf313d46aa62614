# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of weights.

    derived_weights.py write NAME   writes NAME.mlir, NAME.safetensors and NAME.npz, what they are
    derived_weights.py check NAME   compares libNAME.so with that, bit by bit"""
import json
import struct
import sys

import numpy as np

FUNCTIONS = 24


class Writer:
    """One function, whose values are weights and what is made of them."""

    def __init__(self, random, weights):
        self.random, self.weights = random, weights
        self.lines, self.count = [], 0

    def add(self, text, value):
        self.count += 1
        name = f"%{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name, value

    @staticmethod
    def type(value):
        return "tensor<" + "".join(f"{n}x" for n in value.shape) + "f32>"

    def stored(self, shape):
        """A new weight."""
        value = self.random.normal(size=shape).astype(np.float32)
        name = f"w{len(self.weights)}"
        self.weights[name] = value
        return self.add(f"heddle.weight_ref @{name} : {self.type(value)}",
                        value.astype(np.float64))

    def unary(self, op, x, value, attributes=""):
        return self.add(f"{op} {x[0]} {attributes} : {self.type(x[1])} -> {self.type(value)}", value)

    def transpose(self, x):
        order = self.random.permutation(x[1].ndim)
        return self.unary("heddle.transpose", x, x[1].transpose(order),
                          f"permutation [{', '.join(map(str, order))}]")

    def reshape(self, x):
        sizes, left = [], x[1].size
        while left > 1 and len(sizes) < 4 and self.random.random() < 0.7:
            size = int(self.random.choice([d for d in range(1, left + 1) if left % d == 0]))
            sizes.append(size)
            left //= size
        sizes.append(left)
        return self.unary("heddle.reshape", x, x[1].reshape(sizes), f"to {sizes}")

    def cut(self, x):
        offsets, sizes, steps, at = [], [], [], []
        for n in x[1].shape:
            size = int(self.random.integers(1, n + 1))
            step = int(self.random.integers(1, (n - 1) // max(size - 1, 1) + 1)) if n > 1 else 1
            first = int(self.random.integers(0, n - (size - 1) * step))
            indices = first + np.arange(size) * step
            if self.random.random() < 0.3:
                indices, step = indices[::-1], -step
            offsets.append(int(indices[0]))
            sizes.append(size)
            steps.append(step)
            at.append(indices)
        return self.unary("heddle.slice", x, x[1][np.ix_(*at)],
                          f"offsets {offsets} sizes {sizes} steps {steps}")

    def concat(self, x):
        axis = int(self.random.integers(x[1].ndim))
        shape = list(x[1].shape)
        shape[axis] = int(self.random.integers(1, 9))
        parts = [x, self.stored(shape), self.stored(shape)]
        parts = [parts[i] for i in self.random.permutation(3)]
        value = np.concatenate([p[1] for p in parts], axis)
        return self.add(f"heddle.concat {', '.join(p[0] for p in parts)} axis({axis}) : "
                        f"{', '.join(self.type(p[1]) for p in parts)} -> {self.type(value)}", value)

    def split(self, x):
        axis = int(self.random.integers(x[1].ndim))
        size = x[1].shape[axis]
        first = int(self.random.integers(0, size + 1))
        parts = np.split(x[1], [first], axis)
        self.count += 1
        self.lines.append(
            f"  %{self.count}:2 = heddle.split {x[0]} axis({axis}) sizes [{first}, {size - first}] "
            f": {self.type(x[1])} -> {self.type(parts[0])}, {self.type(parts[1])}")
        index = int(parts[1].size > 0)
        return f"%{self.count}#{index}", parts[index]

    def normalize(self, x):
        axis = int(self.random.integers(x[1].ndim))
        kind = self.random.choice(["sum", "mean", "l2"])
        value = {"sum": np.sum, "mean": np.mean,
                 "l2": lambda v, **k: np.sqrt(np.sum(v * v, **k))}[kind](x[1], axis=axis, keepdims=True)
        reduced = self.unary(f"heddle.reduce {kind}", x, value, f"axes [{axis}] keep_sizes")
        wide = np.broadcast_to(value, x[1].shape)
        wide = self.unary("heddle.broadcast", reduced, wide, f"to {list(x[1].shape)}")
        return self.add(f"arith.mulf {x[0]}, {wide[0]} : {self.type(x[1])}", x[1] * wide[1])

    def constant(self, x):
        number = float(np.float32(self.random.normal()))
        name, _ = self.add(f"arith.constant dense<{number:e}> : {self.type(x[1])}", None)
        number = float(np.float32(f"{number:e}"))
        return self.add(f"arith.addf {x[0]}, {name} : {self.type(x[1])}", x[1] + number)

    def squeeze(self, x):
        axis = int(self.random.integers(x[1].ndim + 1))
        wide = self.unary("heddle.expand", x, np.expand_dims(x[1], axis), f"axes [{axis}]")
        return self.unary("heddle.squeeze", wide, x[1], f"axes [{axis}]")

    def expression(self):
        x = self.stored([int(n) for n in self.random.integers(1, 70, self.random.integers(1, 4))])
        kinds = [self.transpose, self.reshape, self.cut, self.concat, self.split, self.normalize,
                 self.constant, self.squeeze]
        for _ in range(self.random.integers(1, 6)):
            x = self.random.choice(kinds)(x)
        return x


def write(name):
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    random = np.random.default_rng(seed)
    weights, expected, functions = {}, {}, []
    for number in range(FUNCTIONS):
        writer = Writer(random, weights)
        value = writer.expression()
        flat = writer.unary("heddle.reshape", value, value[1].reshape(len(value[1]), -1),
                            f"to [{len(value[1])}, {value[1].size // max(len(value[1]), 1)}]")
        whole, rows = writer.type(value[1]), flat[1].shape
        y = f"tensor<3x{rows[0]}xf32>"
        functions.append("\n".join([
            f"func.func @f{number}(%x: {whole} {{heddle.name = \"x\"}}, "
            f"%z: tensor<3x{rows[1]}xf32> {{heddle.name = \"z\"}}) -> ({whole}, {y}) {{",
            *writer.lines,
            f"  %y = arith.addf %x, {value[0]} : {whole}",
            f"  %l = heddle.linear %z, {flat[0]} : tensor<3x{rows[1]}xf32>, {writer.type(flat[1])}",
            f"  return %y, %l : {whole}, {y}", "}"]))
        expected[f"f{number}"] = value[1]
    with open(f"{name}.mlir", "w") as file:
        for weight, value in weights.items():
            file.write(f'heddle.weight @{weight} from "{weight}" : {Writer.type(value)}\n')
        file.write("\n".join(functions) + "\n")
    header, data = {}, b""
    for weight, value in weights.items():
        header[weight] = {"dtype": "F32", "shape": value.shape,
                          "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    with open(f"{name}.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
    np.savez(f"{name}.npz", **expected)


def check(name):
    import heddle
    model = heddle.load(f"./lib{name}.so")
    random = np.random.default_rng()
    for function, value in np.load(f"{name}.npz").items():
        rounded = value.astype(np.float32)
        rows = rounded.reshape(len(rounded), -1)
        z = random.normal(size=(3, rows.shape[1])).astype(np.float32)
        dense, product = getattr(model, function)(x=np.zeros_like(rounded), z=z).values()
        # Sums of another order differ in their last bit before they are rounded.
        bound = np.spacing(np.abs(rounded))
        if not (np.abs(dense.astype("f8") - rounded) <= bound).all():
            sys.exit(f"{function}: the weight is wrong")
        exact = z.astype("f8") @ rows.T.astype("f8")
        size = np.abs(z).astype("f8") @ np.abs(rows).T.astype("f8")
        if not (np.abs(product - exact) <= (rows.shape[1] + 3) * 2.0**-24 * size).all():
            sys.exit(f"{function}: the product is wrong")


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
