# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a random module, its weights and its inputs; what ops it has is in other files.

The value of a tensor is a list of rows, [batch * length] or, without tokens, [batch].
"""
import json
import math
import os
import struct
from collections import namedtuple

Tensor = namedtuple("Tensor", "name has_tokens channels")
Weight = namedtuple("Weight", "shape element values is_norm")


def encode(element, value):
    if element == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack({"f32": "<f", "f16": "<e"}[element], value)


def round_to(element, value):
    if element == "bf16":
        return struct.unpack("<f", b"\0\0" + encode(element, value))[0]
    return struct.unpack({"f32": "<f", "f16": "<e"}[element], encode(element, value))[0]


def box_of(values, whole, first, shape):
    """The elements of a part of a tensor of shape `whole`."""
    if not shape:
        return values
    row = math.prod(whole[1:])
    parts = [values[i * row : (i + 1) * row] for i in range(first[0], first[0] + shape[0])]
    return [x for part in parts for x in box_of(part, whole[1:], first[1:], shape[1:])]


class Module:
    def __init__(self, generator, width):
        self.random = generator
        self.width = width
        self.weights, self.lines, self.program, self.names = {}, [], [], 0
        self.is_decoder = generator.random() < 0.6
        self.layers = generator.choice([1, 2, 3])
        self.kv_heads = generator.choice([1, 1, 2, 3])
        self.head_dim = generator.choice([2, 4, 6, 8, 16, 20, 24, 32])
        cache = f"{self.layers} x {self.kv_heads} x {self.head_dim} x f32"
        self.cache_type = f"!heddle.cache<{cache}>"
        self.cache = "%c" if generator.random() < 0.6 else None
        self.vocabulary = generator.choice([0, 5, 33, 71])
        self.values, self.results = [], []
        self.input = Tensor("%x", True, width)
        if self.vocabulary:
            self.embedding()
        else:
            self.values.append(self.input)

    # ---- Text

    def fresh(self):
        self.names += 1
        return f"%v{self.names}"

    def type(self, tensor):
        leading = "?x?x" if tensor.has_tokens else "?x"
        return f"tensor<{leading}{tensor.channels}xf32>"

    def emit(self, text, has_tokens, channels, compute):
        result = Tensor(self.fresh(), has_tokens, channels)
        self.lines.append(f"{result.name} = {text}")
        self.program.append((result.name, compute))
        self.values.append(result)
        return result

    def weight(self, *shape, is_norm=False):
        """A weight, new or used before, or a part of a new one: its name, its type and its
        values."""
        same = [n for n, w in self.weights.items() if w.shape == shape and w.is_norm == is_norm]
        first = [0] * len(shape)
        if same and self.random.random() < 0.4:
            name = self.random.choice(same)
        else:
            whole = shape
            if self.random.random() < 0.1:
                first = [self.random.choice([0, 1, 5, 32]) for _ in shape]
                rest = [self.random.choice([0, 3]) for _ in shape]
                whole = tuple(map(sum, zip(first, shape, rest)))
            name = self.new_weight(whole, is_norm)
        whole, element, values, _ = self.weights[name]
        values = box_of(values, whole, first, shape)
        text = f"tensor<{'x'.join(map(str, shape))}x{element}>"
        reference, part = self.fresh(), f" offsets {first}" if whole != shape else ""
        self.lines.append(f"{reference} = heddle.weight_ref @{name}{part} : {text}")
        if len(shape) == 2:
            values = [values[i : i + shape[1]] for i in range(0, len(values), shape[1])]
        return reference, text, values

    def new_weight(self, shape, is_norm):
        """The name of a weight with random values."""
        name = f"w{len(self.weights)}"
        element = self.random.choice(["f32", "f32", "bf16", "f16"])
        deviation = 0.2 if is_norm else shape[-1] ** -0.5 if len(shape) > 1 else 0.5
        values = [
            round_to(element, self.random.gauss(is_norm, deviation))
            for _ in range(math.prod(shape))
        ]
        self.weights[name] = Weight(shape, element, values, is_norm)
        return name

    def text(self):
        weights = "\n".join(
            f'heddle.weight @{n} from "{n}" : tensor<{"x".join(map(str, w.shape))}x{w.element}>'
            for n, w in self.weights.items()
        )
        tokens = 'heddle.sizes = ["batch", "length"]'
        rows = 'heddle.sizes = ["batch"]'
        starts = "starts" if self.cache else "offsets"
        arguments = [
            f'%ids: tensor<?x?xi32> {{heddle.name = "ids", {tokens}}}'
            if self.vocabulary
            else f'%x: {self.type(self.input)} {{heddle.name = "x", {tokens}}}',
            f'%starts: tensor<?xi32> {{heddle.name = "{starts}", {rows}}}',
            f'%lengths: tensor<?xi32> {{heddle.name = "lengths", {rows}}}',
        ]
        types = [self.type(result) for result in self.results]
        results = [f'{t} {{heddle.name = "r{i}"}}' for i, t in enumerate(types)]
        names = [result.name for result in self.results]
        if self.cache:
            arguments.append(f'%c: {self.cache_type} {{heddle.sizes = ["batch", "capacity"]}}')
            types.append(self.cache_type)
            results.append(self.cache_type)
            names.append(self.cache)
        attributes = ' attributes {heddle.decoder = "length"}' if self.is_decoder else ""
        body = "\n  ".join(self.lines)
        return f"""module attributes {{heddle.positions = 512 : i64}} {{
{weights}
func.func @f({", ".join(arguments)}) -> ({", ".join(results)}){attributes} {{
  {body}
  return {", ".join(names)} : {", ".join(types)}
}}
}}
"""

    def write_weights(self, folder):
        header, data = {}, b""
        for name, weight in self.weights.items():
            encoded = b"".join(encode(weight.element, value) for value in weight.values)
            header[name] = {
                "dtype": weight.element.upper(),
                "shape": list(weight.shape),
                "data_offsets": [len(data), len(data) + len(encoded)],
            }
            data += encoded
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "model.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data)

    # ---- Inputs and results

    def make_inputs(self, call):
        if self.vocabulary:
            return {"%ids": call.random_ids(self.vocabulary)}
        return {"%x": call.random_rows(self.width)}

    def describe_inputs(self, call, values):
        """Name, element type, shape and elements of each input."""
        tokens = (call.batch, call.length)
        if self.vocabulary:
            yield "ids", "<i4", tokens, values["%ids"]
        else:
            yield "x", "<f4", (*tokens, self.width), sum(values["%x"], [])
        yield "starts" if self.cache else "offsets", "<i4", (call.batch,), call.starts
        yield "lengths", "<i4", (call.batch,), call.lengths

    def choose_results(self):
        """The last value, and up to two others, which may be the same."""
        own = [value for value in self.values if value != self.input] or [
            self.norm(self.values[0])
        ]
        others = self.random.choice([0, 0, 1, 2])
        self.results = own[-1:] + [self.random.choice(own) for _ in range(others)]
