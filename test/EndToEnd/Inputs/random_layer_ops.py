# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of random modules: each as MLIR text and as what it computes.

The value of a tensor is a list of rows, [batch * length] or, without tokens, [batch].
"""
import json
import math
import os
import struct
from collections import namedtuple
from operator import add, mul, sub

Tensor = namedtuple("Tensor", "name has_tokens channels")
Weight = namedtuple("Weight", "shape element values is_norm")
MASKS = ("causal", "lengths", "total", "top_left", "bottom_right")


def encode(element, value):
    if element == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack({"f32": "<f", "f16": "<e"}[element], value)


def round_to(element, value):
    if element == "bf16":
        return struct.unpack("<f", b"\0\0" + encode(element, value))[0]
    return struct.unpack({"f32": "<f", "f16": "<e"}[element], encode(element, value))[0]


def dot(x, y):
    return sum(map(mul, x, y))


def silu(x):
    return x / (1 + math.exp(min(-x, 700)))


def relu(x):
    return max(x, 0.0)


def gelu_tanh(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = (
    ("silu", silu), ("relu", relu), ("tanh", math.tanh), ("gelu_tanh", gelu_tanh),
    ("gelu", lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2)))),
    ("sigmoid", lambda x: 1 / (1 + math.exp(min(-x, 700)))),
)  # fmt: skip


def norm_of(row, scale, epsilon):
    inverse = 1 / math.sqrt(dot(row, row) / len(row) + epsilon)
    return [value * inverse * w for value, w in zip(row, scale)]


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
        """A weight, new or used before: its name, its type and its values."""
        same = [n for n, w in self.weights.items() if w.shape == shape and w.is_norm == is_norm]
        if same and self.random.random() < 0.4:
            name = self.random.choice(same)
        else:
            name = f"w{len(self.weights)}"
            element = self.random.choice(["f32", "f32", "bf16", "f16"])
            deviation = 0.2 if is_norm else shape[-1] ** -0.5 if len(shape) > 1 else 0.5
            values = [
                round_to(element, self.random.gauss(is_norm, deviation))
                for _ in range(math.prod(shape))
            ]
            self.weights[name] = Weight(shape, element, values, is_norm)
        _, element, values, _ = self.weights[name]
        text = f"tensor<{'x'.join(map(str, shape))}x{element}>"
        reference = self.fresh()
        self.lines.append(f"{reference} = heddle.weight_ref @{name} : {text}")
        if len(shape) == 2:
            values = [values[i : i + shape[1]] for i in range(0, len(values), shape[1])]
        return reference, text, values

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

    # ---- Ops

    def add_random(self, x):
        kinds = ["norm", "linear", "linear", "unary", "binary", "binary", "feed_forward",
                 "gated_feed_forward"]  # fmt: skip
        if x.has_tokens:
            kinds += ["attention", "attention", "last_token", "rotary", "layer",
                      "multi_head_attention", "multi_head_attention"]  # fmt: skip
        getattr(self, self.random.choice(kinds))(x)

    def embedding(self):
        name, text, rows = self.weight(self.vocabulary, self.width)
        return self.emit(
            f"heddle.embedding %ids, {name} : tensor<?x?xi32>, {text}",
            True,
            self.width,
            lambda values, call: [rows[i] for i in values["%ids"]],
        )

    def norm(self, x):
        name, text, scale = self.weight(x.channels, is_norm=True)

        return self.emit(
            f"heddle.rms_norm {x.name}, {name} epsilon(1.0e-5) : {self.type(x)}, {text}",
            x.has_tokens,
            x.channels,
            lambda values, _: [norm_of(row, scale, 1e-5) for row in values[x.name]],
        )

    def linear(self, x, outputs=None):
        if not outputs:
            small = self.random.choice([1, 2, 5, 16, 24, 33, 64, 100])
            outputs = self.random.choice([x.channels, self.width, small])
        name, text, rows = self.weight(outputs, x.channels)
        bias, clause = [0.0] * outputs, ""
        if self.random.random() < 0.3:
            bias_name, bias_type, bias = self.weight(outputs)
            clause = f" bias({bias_name} : {bias_type})"
        return self.emit(
            f"heddle.linear {x.name}, {name}{clause} : {self.type(x)}, {text}",
            x.has_tokens,
            outputs,
            lambda values, _: [
                [dot(row, w) + b for w, b in zip(rows, bias)] for row in values[x.name]
            ],
        )

    def unary(self, x):
        text, function = self.random.choice(
            [(f"heddle.activation {kind}", function) for kind, function in ACTIVATIONS]
            + [("arith.negf", lambda value: -value)]
        )
        return self.emit(
            f"{text} {x.name} : {self.type(x)}",
            x.has_tokens,
            x.channels,
            lambda values, _: [list(map(function, row)) for row in values[x.name]],
        )

    def binary(self, x, y=None):
        alike = [v for v in self.values if v[1:] == x[1:] and v != x]
        if not y and not alike:
            return x
        y = y or self.random.choice(alike)
        text, function = self.random.choice(
            [("addf", add), ("addf", add), ("addf", add), ("mulf", mul), ("subf", sub),
             ("maximumf", max), ("minimumf", min)]
        )  # fmt: skip
        return self.emit(
            f"arith.{text} {x.name}, {y.name} : {self.type(x)}",
            x.has_tokens,
            x.channels,
            lambda values, _: [
                list(map(function, a, b)) for a, b in zip(values[x.name], values[y.name])
            ],
        )

    def feed_forward(self, x):
        hidden = self.random.choice([5, 16, 40, 70])
        kind, function = self.random.choice(ACTIVATIONS)
        up, down = self.weight(hidden, x.channels), self.weight(x.channels, hidden)
        biases, clause = ([0.0] * hidden, [0.0] * x.channels), ""
        if self.random.random() < 0.5:
            both = self.weight(hidden), self.weight(x.channels)
            names, types, biases = zip(*both)
            clause = f" biases({', '.join(names)} : {', '.join(types)})"

        def compute(values, _):
            result = []
            for row in values[x.name]:
                inner = [function(dot(row, u) + b) for u, b in zip(up[2], biases[0])]
                result.append([dot(inner, w) + b for w, b in zip(down[2], biases[1])])
            return result

        return self.emit(
            f"heddle.feed_forward {kind} {x.name}, {up[0]}, {down[0]}{clause} "
            f": {self.type(x)}, {up[1]}, {down[1]}",
            x.has_tokens,
            x.channels,
            compute,
        )

    def gated_feed_forward(self, x):
        hidden = self.random.choice([5, 16, 40, 70])
        kind, function = self.random.choice(ACTIVATIONS)
        gate, up, down = (
            self.weight(hidden, x.channels),
            self.weight(hidden, x.channels),
            self.weight(x.channels, hidden),
        )

        def compute(values, _):
            result = []
            for row in values[x.name]:
                inner = [function(dot(row, g)) * dot(row, u) for g, u in zip(gate[2], up[2])]
                result.append([dot(inner, w) for w in down[2]])
            return result

        return self.emit(
            f"heddle.gated_feed_forward {kind} {x.name}, {gate[0]}, {up[0]}, {down[0]} "
            f": {self.type(x)}, {gate[1]}, {up[1]}, {down[1]}",
            x.has_tokens,
            x.channels,
            compute,
        )

    def last_token(self, x):
        return self.emit(
            f"heddle.last_token {x.name}, %lengths : {self.type(x)}, tensor<?xi32>",
            False,
            x.channels,
            lambda values, call: [
                values[x.name][b * call.length + count - 1]
                for b, count in enumerate(call.lengths)
            ],
        )

    def rotary(self, x, heads=None):
        possible = [h for h in (1, 2, 3, 4, 5) if x.channels % (2 * h) == 0]
        if not heads and not possible:
            return x
        heads = heads or self.random.choice(possible)
        base = self.random.choice([10000.0, 500.0])
        dimension = x.channels // heads
        half = dimension // 2

        def turn(row, position):
            result = list(row)
            for index in range(x.channels):
                if index % dimension >= half:
                    continue
                angle = position * base ** (-2 * (index % dimension) / dimension)
                first, second = row[index], row[index + half]
                result[index] = first * math.cos(angle) - second * math.sin(angle)
                result[index + half] = second * math.cos(angle) + first * math.sin(angle)
            return result

        return self.emit(
            f"heddle.rotary {x.name} at(%starts) heads({heads}) positions(600) base({base}) "
            f": {self.type(x)}, tensor<?xi32>",
            True,
            x.channels,
            lambda values, call: [
                turn(row, call.starts[m // call.length] + m % call.length)
                for m, row in enumerate(values[x.name])
            ],
        )

    # ---- Attention

    def emit_mask(self, text):
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def leaf_mask(self, kind):
        """A mask's name, and keep(call, sequence, query, key, keys)."""
        if kind == "causal":
            name = self.emit_mask("heddle.mask.causal offset(%starts : tensor<?xi32>)")
            return name, lambda call, b, q, k, n: k <= q + call.starts[b]
        if kind == "lengths":
            name = self.emit_mask("heddle.mask.lengths %lengths : tensor<?xi32>")
            return name, lambda call, b, q, k, n: k < call.lengths[b]
        if kind == "total":
            total = self.emit_mask("arith.addi %starts, %lengths : tensor<?xi32>")
            name = self.emit_mask(f"heddle.mask.lengths {total} : tensor<?xi32>")
            return name, lambda call, b, q, k, n: k < call.starts[b] + call.lengths[b]
        name = self.emit_mask(f"heddle.mask.causal align({kind})")
        if kind == "top_left":
            return name, lambda call, b, q, k, n: k <= q
        return name, lambda call, b, q, k, n: k <= q + n - call.length

    def mask(self, depth):
        if depth == 0 or self.random.random() < 0.3:
            return self.leaf_mask(self.random.choice(MASKS))
        kind = self.random.choice(["and", "or", "not"])
        left, f = self.mask(depth - 1)
        if kind == "not":
            return self.emit_mask(f"heddle.mask.not {left}"), lambda *at: not f(*at)
        right, g = self.mask(depth - 1)
        name = self.emit_mask(f"heddle.mask.{kind} {left}, {right}")
        if kind == "and":
            return name, lambda *at: f(*at) and g(*at)
        return name, lambda *at: f(*at) or g(*at)

    def attention(self, x):
        cached = self.cache and self.random.random() < 0.8
        kv_heads, head_dim = self.kv_heads, self.head_dim
        value_dim = head_dim
        if not cached:
            kv_heads = self.random.choice([1, 2, 3])
            head_dim = self.random.choice([1, 2, 4, 7, 8, 16, 20, 40])
            value_dim = self.random.choice([head_dim, head_dim, 1, 4, 8, 12, 17, 32])
        heads = kv_heads * self.random.choice([1, 1, 2, 3, 5, 9, 13])
        query = self.linear(x, heads * head_dim)
        key = self.linear(x, kv_heads * head_dim)
        value = self.linear(x, kv_heads * value_dim)
        if head_dim % 2 == 0 and self.random.random() < 0.6:
            query, key = self.rotary(query, heads), self.rotary(key, kv_heads)
        if cached:
            return self.cached_attention(query, key, value, heads)
        mask, keep = None, lambda *at: True
        if self.random.random() < 0.8:
            mask, keep = self.mask(2)
        return self.emit_attention(
            query, (key, value), (self.type(key), self.type(value)), (heads, kv_heads),
            mask, keep, lambda call: call.length,
            lambda values, call, b, k: [
                values[of.name][b * call.length + k] for of in (key, value)
            ],
        )  # fmt: skip

    def cached_attention(self, query, key, value, heads):
        layer = self.random.randrange(self.layers)
        before = self.mask(2) if self.random.random() < 0.3 else None
        appended, keys, values_read = self.fresh(), self.fresh(), self.fresh()
        row = self.type(key)
        self.lines.append(
            f"{appended} = heddle.cache.append {self.cache}, {key.name}, {value.name} "
            f"layer({layer}) at(%starts) lengths(%lengths) "
            f": {self.cache_type}, {row}, {row}, tensor<?xi32>, tensor<?xi32>"
        )
        self.lines.append(
            f"{keys}, {values_read} = heddle.cache.read {appended} layer({layer}) "
            f": {self.cache_type}"
        )
        self.cache = appended

        def append(values, call):
            for b, count in enumerate(call.lengths):
                for s in range(count):
                    call.cache[layer, b, call.starts[b] + s] = [
                        values[of.name][b * call.length + s] for of in (key, value)
                    ]

        self.program.append((appended, append))
        # What the cache does not hold yet must not be seen.
        held, is_held = self.leaf_mask("total")
        other, keeps = before or self.mask(2)
        mask = self.emit_mask(f"heddle.mask.and {held}, {other}")
        tensors = Tensor(keys, True, key.channels), Tensor(values_read, True, key.channels)
        return self.emit_attention(
            query, tensors, (row, row), (heads, self.kv_heads),
            mask, lambda *at: is_held(*at) and keeps(*at), lambda call: call.capacity,
            lambda values, call, b, k: call.cache[layer, b, k],
        )  # fmt: skip

    def emit_attention(self, query, tensors, types, heads, mask, keep, count, read):
        """`read` gives the key and value at a position, `count` how many there are."""
        heads, kv_heads = heads
        head_dim = query.channels // heads
        value_dim = tensors[1].channels // kv_heads
        scale = head_dim**-0.5

        def attend(row, h, seen):
            g = h // (heads // kv_heads)
            part = row[h * head_dim : (h + 1) * head_dim]
            scores = [
                scale * dot(part, key[g * head_dim : (g + 1) * head_dim]) for key, _ in seen
            ]
            shares = [math.exp(score - max(scores)) for score in scores]
            total = sum(shares)
            return [
                sum(share * value[g * value_dim + d] for share, (_, value) in zip(shares, seen))
                / total
                if seen
                else 0.0
                for d in range(value_dim)
            ]

        def compute(values, call):
            result = []
            for m, row in enumerate(values[query.name]):
                b, q = divmod(m, call.length)
                n = count(call)
                seen = [
                    read(values, call, b, k)
                    for k in range(n)
                    if keep(call, b, q, k, n)
                ]
                result.append(sum((attend(row, h, seen) for h in range(heads)), []))
            return result

        clause = f"mask({mask}) " if mask else ""
        return self.emit(
            f"heddle.attention {query.name}, {tensors[0].name}, {tensors[1].name} {clause}"
            f"heads({heads}, kv = {kv_heads}) scale({scale!r}) "
            f": {self.type(query)}, {types[0]}, {types[1]}",
            True,
            heads * value_dim,
            compute,
        )

    def projection(self, name, rows, columns):
        """The clause of a weight and maybe a bias, and their values."""
        weight = self.weight(rows, columns)
        if self.random.random() < 0.5:
            return f" {name}({weight[0]} : {weight[1]})", weight[2], [0.0] * rows
        bias = self.weight(rows)
        return f" {name}({weight[0]}, {bias[0]} : {weight[1]}, {bias[1]})", weight[2], bias[2]

    def multi_head_attention(self, x):
        others = [v for v in self.values if v.has_tokens]
        memory = self.random.choice([x, self.random.choice(others)])
        kv = self.random.choice([1, 2, 3])
        heads, d = kv * self.random.choice([1, 1, 2, 4]), self.random.choice([1, 4, 8, 12, 20])
        e = self.random.choice([d, d, 5, 16])
        outputs = self.random.choice([x.channels, x.channels, 7, 32])
        if memory is x and self.random.random() < 0.5:
            e = d
            clauses, *all_ = self.projection("combined", (heads + 2 * kv) * d, x.channels)
            cuts = (0, heads * d, (heads + kv) * d, (heads + 2 * kv) * d)
            parts = [[part[i:j] for part in all_] for i, j in zip(cuts, cuts[1:])]
        else:
            lists = [
                self.projection(name, rows, columns)
                for name, rows, columns in (
                    ("query", heads * d, x.channels), ("key", kv * d, memory.channels),
                    ("value", kv * e, memory.channels),
                )
            ]  # fmt: skip
            clauses, parts = "".join(part[0] for part in lists), [part[1:] for part in lists]
        clause, *output = self.projection("output", outputs, heads * e)
        clauses += clause
        norms = None
        if self.random.random() < 0.3:
            both = self.weight(d, is_norm=True), self.weight(d, is_norm=True)
            names, types, norms = zip(*both)
            clauses += f" norms({', '.join(names)} : {', '.join(types)}) epsilon(1.0e-3)"
        scale = d**-0.5
        if self.random.random() < 0.3:
            scale = self.random.choice([0.125, 0.5])
            clauses += f" scale({scale})"
        mask, keep = None, lambda *at: True
        if self.random.random() < 0.7:
            mask, keep = self.mask(2)

        def project(rows, part):
            return [[dot(row, w) + b for w, b in zip(*part)] for row in rows]

        def heads_of(row, count, norm=None):
            size = len(row) // count
            each = [row[i * size : (i + 1) * size] for i in range(count)]
            return [norm_of(head, norm, 1e-3) for head in each] if norm else each

        def attend(query, seen):
            scores = [scale * dot(query, key) for key, _ in seen]
            shares = [math.exp(score - max(scores)) for score in scores]
            return [
                sum(share * value[c] for share, (_, value) in zip(shares, seen)) / sum(shares)
                if seen
                else 0.0
                for c in range(e)
            ]

        def compute(values, call):
            queries, keys, rows = (
                project(values[of.name], part) for of, part in zip((x, memory, memory), parts)
            )
            q_norm, k_norm = norms or (None, None)
            keys = [heads_of(row, kv, k_norm) for row in keys]
            rows = [heads_of(row, kv) for row in rows]
            attended = []
            for m, row in enumerate(queries):
                b, q = divmod(m, call.length)
                kept = [
                    b * call.length + k
                    for k in range(call.length)
                    if keep(call, b, q, k, call.length)
                ]
                attended.append(sum(
                    (
                        attend(query, [(keys[k][h * kv // heads], rows[k][h * kv // heads])
                                       for k in kept])
                        for h, query in enumerate(heads_of(row, heads, q_norm))
                    ),
                    [],
                ))  # fmt: skip
            return project(attended, output)

        clause = f" mask({mask})" if mask else ""
        types = ", ".join(self.type(of) for of in (x, memory, memory))
        return self.emit(
            f"heddle.multi_head_attention {x.name}, {memory.name}, {memory.name}{clause} "
            f"heads({heads}, kv = {kv}){clauses} : {types}",
            True,
            outputs,
            compute,
        )

    def layer(self, x):
        """Attention and what goes around it, as models have it."""
        attended = self.attention(self.norm(x) if self.random.random() < 0.8 else x)
        return self.binary(x, self.linear(attended, x.channels))
