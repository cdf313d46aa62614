# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles layers and whole transformers and compares calls with NumPy in double precision.

    layers.py NAME...

Each name is a function of this file's table: its text, and its formula, which shares
nothing with the compiler. `heddlec --verify` compares it with the reference, too.
"""
import json
import math
import os
import struct
import sys
from collections import namedtuple

import numpy

from judge.running import Failure, run

TARGETS = ("native", "x86-64-v3")
# Of calls: batch, length, source. Of one, and of what tiles and blocks have, and one more.
SPACES = ((1, 1, 1), (3, 12, 33), (2, 37, 5))
# No sum has more than 300 terms, and each layer of at most four ends or begins with a norm,
# so that f32 loses some ten of its 24 bits: the largest element may be off by 1e-4 of it.
TOLERANCE = 1e-4

ERF = numpy.vectorize(math.erf)
ACTIVATIONS = {
    "silu": lambda x: x / (1 + numpy.exp(-x)),
    "relu": lambda x: numpy.maximum(x, 0),
    "gelu": lambda x: x / 2 * (1 + ERF(x / math.sqrt(2))),
    "gelu_tanh": lambda x: x / 2 * (
        1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "tanh": numpy.tanh,
}  # fmt: skip

Options = namedtuple("Options", "heads kv order kind activation epsilon")


def type_of(*sizes):
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


class Model:
    """A function: weights by name, arguments, a text and a formula."""

    def __init__(self, name):
        self.name, self.weights, self.arguments = name, {}, {}
        self.lines, self.results = [], []
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

    def result(self, value, type_):
        self.results.append((value, type_))

    def text(self):
        weights = "".join(
            f'heddle.weight @{name} from "{name}" : {type_of(*array.shape)}\n'
            for name, array in self.weights.items()
        )
        arguments = ", ".join(
            f'%{name}: {type_} {{heddle.name = "{name}", heddle.sizes = {json.dumps(sizes)}}}'
            for name, (type_, sizes, _) in self.arguments.items()
        )
        results = ", ".join(
            f'{type_} {{heddle.name = "r{i}"}}' for i, (_, type_) in enumerate(self.results)
        )
        values, types = zip(*self.results)
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
            shape = [symbols[size] for size in sizes]
            if type_.endswith("i32>"):
                arrays[name] = self.random.integers(1, symbols[what] + 1, shape).astype("i4")
            else:
                arrays[name] = self.random.standard_normal([*shape, what]).astype("f4")
        return arrays


def hash_of(name):
    return int.from_bytes(name.encode(), "big") % 2**31


# ---- Formulas


def softmax(x):
    power = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


def linear(x, w, b=None):
    y = x @ w.T
    return y if b is None else y + b


def norm(x, kind, epsilon, weight, bias=None):
    if kind == "layer":
        x = x - x.mean(axis=-1, keepdims=True)
    y = x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * weight
    return y if bias is None else y + bias


def attention(q, k, v, heads, kv, keep, scale=None, norms=None):
    """The output, and the weights of all heads. `keep` is [batch, 1, queries, keys]."""

    def split(x, count):
        return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)

    q, k, v = split(q, heads), split(k, kv), split(v, kv)
    if norms:
        q, k = norm(q, "rms", 1e-6, norms[0]), norm(k, "rms", 1e-6, norms[1])
    k, v = (numpy.repeat(x, heads // kv, axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = softmax(numpy.where(keep, scores, -1e300))
    output = (weights @ v).transpose(0, 2, 1, 3)
    return output.reshape(*output.shape[:2], -1), weights


def causal(queries, keys):
    return (numpy.arange(keys)[None, :] <= numpy.arange(queries)[:, None])[None, None]


def valid(lengths, keys):
    return numpy.arange(keys)[None, None, None, :] < lengths[:, None, None, None]


class Layers:
    """Formulas of whole layers with the weights of a model."""

    def __init__(self, weights, options):
        self.weights, self.options = weights, options

    def optional(self, name):
        return self.weights.get(name)

    def norm(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.optional(name + ".bias")
        return norm(x, self.options.kind, self.options.epsilon, weight, bias)

    def attention(self, x, memory, keep, name):
        heads, kv = self.options.heads, self.options.kv
        bias = self.optional(name + ".in_proj_bias")
        if name + ".in_proj_weight" in self.weights:
            w = self.weights[name + ".in_proj_weight"]
            d = len(w) // (heads + 2 * kv)
            w = numpy.split(w, [heads * d, (heads + kv) * d])
        else:
            w = [self.weights[f"{name}.{part}_proj_weight"] for part in "qkv"]
        cuts = [len(w[0]), len(w[0]) + len(w[1])]
        b = [None] * 3 if bias is None else numpy.split(bias, cuts)
        q, k, v = linear(x, w[0], b[0]), linear(memory, w[1], b[1]), linear(memory, w[2], b[2])
        output, _ = attention(q, k, v, heads, kv, keep)
        return linear(output, self.weights[name + ".out_proj.weight"],
                      self.optional(name + ".out_proj.bias"))  # fmt: skip

    def feed_forward(self, x, name):
        up = linear(x, self.weights[name + "linear1.weight"], self.optional(name + "linear1.bias"))
        hidden = ACTIVATIONS[self.options.activation](up)
        return linear(hidden, self.weights[name + "linear2.weight"],
                      self.optional(name + "linear2.bias"))  # fmt: skip

    def step(self, x, prefix, index, function):
        order, name = self.options.order, f"norm{index}"
        if order == "post":
            return self.norm(x + function(x), prefix + name)
        y = function(self.norm(x, prefix + name))
        if order == "sandwich":
            y = self.norm(y, prefix + "post_" + name)
        return x + y

    def layer(self, x, keep, prefix, memory=None, memory_keep=None):
        last = 2
        x = self.step(x, prefix, 1, lambda y: self.attention(y, y, keep, prefix + "self_attn"))
        if memory is not None:
            last = 3
            x = self.step(x, prefix, 2, lambda y: self.attention(
                y, memory, memory_keep, prefix + "multihead_attn"))  # fmt: skip
        return self.step(x, prefix, last, lambda y: self.feed_forward(y, prefix))

    def stack(self, x, keep, prefix, count, memory=None, memory_keep=None):
        for i in range(count):
            x = self.layer(x, keep, f"{prefix}layers.{i}.", memory, memory_keep)
        return self.norm(x, prefix + "norm") if prefix + "norm.weight" in self.weights else x


# ---- Layers


def feed_forward(name, kind, has_bias):
    """And the same activation alone."""
    model = Model(name)
    model.argument("x", "length", 20)
    model.weight("up", 72, 20)
    model.weight("down", 20, 72)
    model.weight("up_bias", 72)
    model.weight("down_bias", 20)
    refs = {weight: model.reference(weight) for weight in model.weights}
    bias = f" biases(%up_bias, %down_bias : {type_of(72)}, {type_of(20)})" if has_bias else ""
    x = type_of("?", "?", 20)
    model.lines += [
        f"  %y = heddle.feed_forward {kind} %x, %up, %down{bias} "
        f": {x}, {refs['up'][1]}, {refs['down'][1]}",
        f"  %z = heddle.activation {kind} %x : {x}",
    ]
    model.result("%y", x)
    model.result("%z", x)

    def compute(arrays, w):
        x, function = arrays["x"], ACTIVATIONS[kind]
        biases = (w["up_bias"], w["down_bias"]) if has_bias else (None, None)
        hidden = function(linear(x, w["up"], biases[0]))
        return [linear(hidden, w["down"], biases[1]), function(x)]

    return model, compute


def multi_head_attention(name, heads, kv, mask, is_combined=False, is_self=False, widths=None,
                         has_norms=False, has_biases=True, has_weights=False, scale=None):  # fmt: skip
    """`widths` are those of query, key, value and output, and of a head of q and of v."""
    cq, ck, cv, co, d, e = widths or (48, 48, 48, 48, 12, 12)
    model = Model(name)
    keys = "length" if is_self else "source"
    model.argument("x", "length", cq)
    inputs = {"query": ("x", cq), "key": ("x", ck), "value": ("x", cv)}
    if not is_self:
        model.argument("k", "source", ck)
        inputs["key"] = inputs["value"] = ("k", ck)
        if cv != ck:
            model.argument("v", "source", cv)
            inputs["value"] = ("v", cv)
    rows = {"query": heads * d, "key": kv * d, "value": kv * e}
    if is_combined:
        rows = {"combined": (heads + 2 * kv) * d}
    clauses = ""
    for part, count in {**rows, "output": co}.items():
        columns = heads * e if part == "output" else inputs.get(part, inputs["query"])[1]
        model.weight(part, count, columns)
        parts = [part]
        if has_biases:
            model.weight(part + "_b", count)
            parts.append(part + "_b")
        names, types = zip(*map(model.reference, parts))
        clauses += f" {part}({', '.join(names)} : {', '.join(types)})"
    if has_norms:
        for part in ("nq.weight", "nk.weight"):
            model.weight(part, d)
            model.reference(part)
        clauses += f" norms(%nq.weight, %nk.weight : {type_of(d)}, {type_of(d)}) epsilon(1.0e-6)"
    if scale is not None:
        clauses += f" scale({scale})"
    if has_weights:
        clauses += " results(weights, output)"
    masks = []
    if "causal" in mask:
        model.lines.append("  %m_causal = heddle.mask.causal align(top_left)")
        masks.append("%m_causal")
    if "lengths" in mask:
        model.lengths("lengths", keys)
        masks.append("%m_lengths")
    if len(masks) == 2:
        model.lines.append("  %m_both = heddle.mask.and %m_causal, %m_lengths")
        masks.append("%m_both")
    clause = f" mask({masks[-1]})" if masks else ""
    operands = [inputs[part] for part in ("query", "key", "value")]
    model.lines.append(
        f"  %r{':2' if has_weights else ''} = heddle.multi_head_attention "
        f"{', '.join('%' + n for n, _ in operands)}{clause} heads({heads}, kv = {kv}){clauses} : "
        + ", ".join(type_of("?", "?", c) for _, c in operands)
    )
    if has_weights:
        model.result("%r#0", type_of("?", heads, "?", "?"))
    model.result("%r#1" if has_weights else "%r", type_of("?", "?", co))

    def compute(arrays, w):
        x, k, v = (arrays[inputs[part][0]] for part in ("query", "key", "value"))
        bias = lambda part: w.get(part + "_b")  # noqa: E731
        if is_combined:
            both = linear(x, w["combined"], bias("combined"))
            q, k, v = numpy.split(both, [heads * d, (heads + kv) * d], axis=-1)
        else:
            q = linear(x, w["query"], bias("query"))
            k, v = linear(k, w["key"], bias("key")), linear(v, w["value"], bias("value"))
        keep = numpy.ones((1, 1, q.shape[1], k.shape[1]), bool)
        if "causal" in mask:
            keep = keep & causal(q.shape[1], k.shape[1])
        if "lengths" in mask:
            keep = keep & valid(arrays["lengths"], k.shape[1])
        norms = (w["nq.weight"], w["nk.weight"]) if has_norms else None
        output, weights = attention(q, k, v, heads, kv, keep, scale, norms)
        output = linear(output, w["output"], bias("output"))
        return [weights, output] if has_weights else [output]

    return model, compute


# ---- Whole transformers


def declare_attention(model, name, options, width, memory, head, has_biases):
    rows = [options.heads * head, options.kv * head, options.kv * head]
    if memory == width:
        model.weight(name + ".in_proj_weight", sum(rows), width)
    else:
        for part, count, columns in zip("qkv", rows, (width, memory, memory)):
            model.weight(f"{name}.{part}_proj_weight", count, columns)
    model.weight(name + ".out_proj.weight", width, options.heads * head)
    if has_biases:
        model.weight(name + ".in_proj_bias", sum(rows))
        model.weight(name + ".out_proj.bias", width)


def declare_layer(model, prefix, options, width, memory, head, hidden, has_biases):
    declare_attention(model, prefix + "self_attn", options, width, width, head, has_biases)
    if memory:
        name = prefix + "multihead_attn"
        declare_attention(model, name, options, width, memory, head, has_biases)
    model.weight(prefix + "linear1.weight", hidden, width)
    model.weight(prefix + "linear2.weight", width, hidden)
    if has_biases:
        model.weight(prefix + "linear1.bias", hidden)
        model.weight(prefix + "linear2.bias", width)
    for index in range(1, 4 if memory else 3):
        for name in ("norm", "post_norm") if options.order == "sandwich" else ("norm",):
            declare_norm(model, f"{prefix}{name}{index}", options, width, has_biases)


def declare_norm(model, name, options, width, has_biases):
    model.weight(name + ".weight", width)
    if has_biases and options.kind == "layer":
        model.weight(name + ".bias", width)


def text_of(options):
    kv = "" if options.kv == options.heads else f", kv = {options.kv}"
    kind = "" if options.kind == "layer" else f", {options.kind}"
    return (
        f"heads({options.heads}{kv}) norm({options.order}{kind}) "
        f"activation({options.activation}) epsilon({options.epsilon:.1e})"
    )


def transformer(name, what, options, layers=1, width=48, memory=0, head=12, hidden=100,
                has_biases=True, final_norm=False, outputs=0, is_causal=True):  # fmt: skip
    """`what` is a layer, a stack or both stacks, whose prefix is empty."""
    model = Model(name)
    both = what == "encoder_decoder"
    decodes = "decoder" in what
    prefix = "" if both else "part."
    memory = memory or width if decodes else 0
    model.argument("x", "length", width)
    if decodes:
        model.argument("m", "source", memory)

    def declare(start, memory):
        for i in range(layers):
            inner = f"{start}layers.{i}." if "layer" not in what else start
            declare_layer(model, inner, options, width, memory, head, hidden, has_biases)
        if final_norm:
            declare_norm(model, start + "norm", options, width, has_biases)

    if both:
        declare("encoder.", 0)
        declare("decoder.", memory)
    else:
        declare(prefix, memory)
    masks = {}
    if is_causal and decodes:
        model.lines.append("  %causal = heddle.mask.causal align(top_left)")
        masks["mask"] = "%causal"
    model.lengths("lengths", "source" if decodes else "length")
    masks["memory_mask" if decodes else "mask"] = "%m_lengths"
    count = "" if "layer" in what else f" layers({layers})"
    result = type_of("?", "?", width)
    if both:
        count = f" layers({layers}, {layers})"
        masks = {"source_mask": "%m_lengths", "target_mask": "%causal", "memory_mask": "%m_lengths"}
    clauses = "".join(f" {key}({value})" for key, value in masks.items())
    operands, types = "%x", result
    if decodes:
        operands, types = "%x, %m", f"{result}, {type_of('?', '?', memory)}"
    if both:
        operands = "%m, %x"
        if outputs:
            model.weight("generator.weight", outputs, width)
            model.weight("generator.bias", outputs)
            clauses += ' projection("generator") softmax'
            result = type_of("?", "?", outputs)
        types += f" -> {result}"
    model.lines.append(
        f'  %y = heddle.{what} {operands} from("{prefix.rstrip(".")}"){count}{clauses} '
        f"{text_of(options)} : {types}"
    )
    model.result("%y", result)

    def compute(arrays, w):
        formulas = Layers(w, options)
        x, length = arrays["x"], arrays["x"].shape[1]
        if not decodes:
            keep = valid(arrays["lengths"], length)
            if what == "encoder":
                return [formulas.stack(x, keep, prefix, layers)]
            return [formulas.layer(x, keep, prefix)]
        m = arrays["m"]
        keep = causal(length, length) if is_causal else numpy.ones((1, 1, length, length), bool)
        kept = valid(arrays["lengths"], m.shape[1])
        if what == "decoder_layer":
            return [formulas.layer(x, keep, prefix, m, kept)]
        if what == "decoder":
            return [formulas.stack(x, keep, prefix, layers, m, kept)]
        m = formulas.stack(m, kept, "encoder.", layers)
        y = formulas.stack(x, keep, "decoder.", layers, m, kept)
        if not outputs:
            return [y]
        return [softmax(linear(y, w["generator.weight"], w["generator.bias"]))]

    return model, compute


def options_of(order, kind="layer", heads=4, kv=4, activation="relu", epsilon=1e-5):
    return Options(heads, kv, order, kind, activation, epsilon)


MODELS = {
    **{f"feed_forward_{kind}": (feed_forward, kind, index % 2 == 0)
       for index, kind in enumerate(ACTIVATIONS)},
    "attention_combined": (multi_head_attention, 4, 4, ("causal", "lengths"), True, True),
    "attention_grouped": (multi_head_attention, 4, 2, ("lengths",), True, True, None, True, False,
                          True),
    "attention_self": (multi_head_attention, 4, 1, ("causal",), False, True,
                       (40, 40, 40, 24, 16, 8)),
    "attention_cross": (multi_head_attention, 4, 4, ("lengths",)),
    "attention_widths": (multi_head_attention, 6, 2, (), False, False, (48, 20, 36, 30, 16, 7),
                         True, True, True, 0.3),
    "encoder_layer_post": (transformer, "encoder_layer", options_of("post")),
    "encoder_layer_bare": (transformer, "encoder_layer", options_of("pre", kv=2), 1, 48, 0, 20,
                           100, False),
    "encoder_layer_sandwich": (transformer, "encoder_layer",
                               options_of("sandwich", "rms", 4, 2, "gelu_tanh", 1e-6)),
    "decoder_layer_post": (transformer, "decoder_layer", options_of("post", activation="gelu")),
    "decoder_layer_pre": (transformer, "decoder_layer", options_of("pre", "rms")),
    "decoder_layer_sandwich": (transformer, "decoder_layer", options_of("sandwich")),
    "decoder_layer_memory": (transformer, "decoder_layer", options_of("post", kv=1), 1, 48, 28,
                             12, 100, True, False, 0, False),
    "encoder_post": (transformer, "encoder", options_of("post"), 2),
    "encoder_pre": (transformer, "encoder", options_of("pre", activation="silu"), 2, 48, 0, 12,
                    100, True, True),
    "decoder_post": (transformer, "decoder", options_of("post"), 2),
    "decoder_pre": (transformer, "decoder", options_of("pre"), 2, 48, 0, 12, 100, True, True),
    "encoder_decoder_post": (transformer, "encoder_decoder", options_of("post"), 2, 48, 0, 12,
                             100, True, True, 70),
    "encoder_decoder_pre": (transformer, "encoder_decoder", options_of("pre", activation="gelu"),
                            1, 48, 0, 12, 100, True, True),
}  # fmt: skip


def compare(name, space, found, expected):
    for index, (got, want) in enumerate(zip(found, expected)):
        if got.shape != want.shape:
            raise Failure(f"{name}: result {index} of {space} is {got.shape}, not {want.shape}")
        worst = numpy.abs(got - want).max() / max(numpy.abs(want).max(), 1e-30)
        if not worst <= TOLERANCE:
            raise Failure(f"{name}: result {index} of {space} is off by {worst:.2g} of its largest")


def check(name, target):
    make, *arguments = MODELS[name]
    model, compute = make(name, *arguments)
    model.write()
    artifact = f"./{name}.so"
    run("heddlec", f"{name}.mlir", f"--weights={name}", f"--target-cpu={target}", "--verify",
        "--quiet", "--emit=shared", "-o", artifact)  # fmt: skip
    for space in SPACES:
        symbols = dict(zip(("batch", "length", "source"), space))
        arrays = model.inputs(symbols)
        command = ["heddle-run", "run", artifact, f"--entry={name}"]
        for argument, array in arrays.items():
            numpy.save(f"{argument}.npy", array)
            command.append(f"--input={argument}={argument}.npy")
        outputs = [f"r{index}" for index in range(len(model.results))]
        run(*command, *(f"--output={output}={output}.npy" for output in outputs))
        expected = compute({key: a.astype(numpy.float64 if a.dtype.kind == "f" else a.dtype)
                            for key, a in arrays.items()}, model.weights)  # fmt: skip
        compare(name, space, [numpy.load(output + ".npy") for output in outputs], expected)


def main():
    failures = 0
    names = [name for name in MODELS if name.startswith(tuple(sys.argv[1:]))]
    for index, name in enumerate(names):
        try:
            check(name, TARGETS[index % 2])
        except Failure as failure:
            failures += 1
            print(failure, flush=True)
    print(f"{len(names) - failures} of {len(names)} models agree")
    sys.exit(failures > 0 or not names)


if __name__ == "__main__":
    main()
