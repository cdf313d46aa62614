# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of several encoder or decoder layers whose norms stand around what they do (`sandwich`),
whose norms are of roots of mean squares, and whose heads share keys and values."""
import numpy

from .function import Argument, Function, weight

CALLS = (
    {"batch": 1, "length": 1, "source": 1},
    {"batch": 3, "length": 13, "source": 33},
    {"batch": 2, "length": 37, "source": 6},
)
WIDTH, HIDDEN, HEAD = 48, 80, 12


# ---- Formulas


def norm(x, kind, w, b, epsilon):
    if kind == "layer":
        x = x - x.mean(axis=-1, keepdims=True)
    y = x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * w
    return y if b is None else y + b


def attend(q, k, v, heads, kv, keep):
    def split(x, count):
        return x.reshape(*x.shape[:2], count, HEAD).transpose(0, 2, 1, 3)

    q = split(q, heads)
    k, v = (numpy.repeat(split(x, kv), heads // kv, axis=1) for x in (k, v))
    scores = numpy.where(keep, q @ k.swapaxes(2, 3) / numpy.sqrt(HEAD), -1e300)
    powers = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    output = powers / powers.sum(axis=-1, keepdims=True) @ v
    return output.transpose(0, 2, 1, 3).reshape(*output.shape[::2], heads * HEAD)


class Stack:
    """What a stack gives; `w` are its weights without their prefix."""

    def __init__(self, w, order, kind, heads, kv, epsilon):
        self.w, self.order, self.kind = w, order, kind
        self.heads, self.kv, self.epsilon = heads, kv, epsilon

    def norm(self, x, name):
        w, b = self.w[name + ".weight"], self.w.get(name + ".bias")
        return norm(x, self.kind, w, b, self.epsilon)

    def attention(self, x, memory, keep, name):
        cuts = [self.heads * HEAD, (self.heads + self.kv) * HEAD]
        q, k, v = numpy.split(self.w[name + ".in_proj_weight"], cuts)
        bias = self.w.get(name + ".in_proj_bias")
        a, b, c = (0, 0, 0) if bias is None else numpy.split(bias, cuts)
        mixed = attend(x @ q.T + a, memory @ k.T + b, memory @ v.T + c,
                       self.heads, self.kv, keep)  # fmt: skip
        return mixed @ self.w[name + ".out_proj.weight"].T + self.w.get(name + ".out_proj.bias", 0)

    def feed_forward(self, x, layer):
        hidden = x @ self.w[layer + "linear1.weight"].T + self.w.get(layer + "linear1.bias", 0)
        hidden = numpy.maximum(hidden, 0)
        return hidden @ self.w[layer + "linear2.weight"].T + self.w.get(layer + "linear2.bias", 0)

    def step(self, x, layer, index, function):
        if self.order == "post":
            return self.norm(x + function(x), f"{layer}norm{index}")
        y = function(self.norm(x, f"{layer}norm{index}"))
        return x + (self.norm(y, f"{layer}post_norm{index}") if self.order == "sandwich" else y)

    def run(self, x, keep, layers, memory, known):
        for layer in (f"layers.{i}." for i in range(layers)):
            x = self.step(x, layer, 1, lambda y: self.attention(y, y, keep, layer + "self_attn"))
            if memory is not None:
                x = self.step(x, layer, 2, lambda y: self.attention(
                    y, memory, known, layer + "multihead_attn"))  # fmt: skip
            last = 2 if memory is None else 3
            x = self.step(x, layer, last, lambda y: self.feed_forward(y, layer))
        return self.norm(x, "norm") if "norm.weight" in self.w else x


# ---- Functions


def declare(order, kind, heads, kv, layers, decodes, has_biases, has_last_norm):
    weights = {}

    def matrix(name, rows, columns):
        weights[name] = weight(rows, columns, seed=len(weights) + 1)

    def vector(name, size, middle=0):
        weights[name] = middle + 0.4 * weight(size, seed=len(weights) + 1)

    def declare_norm(name):
        vector(name + ".weight", WIDTH, 1)
        if has_biases and kind == "layer":
            vector(name + ".bias", WIDTH)

    def linear(name, bias, rows, columns):
        matrix(name, rows, columns)
        if has_biases:
            vector(bias, rows)

    for layer in (f"layers.{i}." for i in range(layers)):
        for name in ("self_attn", "multihead_attn")[: 2 if decodes else 1]:
            rows = (heads + 2 * kv) * HEAD
            linear(layer + name + ".in_proj_weight", layer + name + ".in_proj_bias", rows, WIDTH)
            linear(layer + name + ".out_proj.weight", layer + name + ".out_proj.bias",
                   WIDTH, heads * HEAD)  # fmt: skip
        linear(layer + "linear1.weight", layer + "linear1.bias", HIDDEN, WIDTH)
        linear(layer + "linear2.weight", layer + "linear2.bias", WIDTH, HIDDEN)
        for index in range(1, 4 if decodes else 3):
            for name in ("norm", "post_norm")[: 2 if order == "sandwich" else 1]:
                declare_norm(f"{layer}{name}{index}")
    if has_last_norm:
        declare_norm("norm")
    return weights


def stack(name, what, order, kind, heads, kv, layers, has_biases=True, has_last_norm=True,
          epsilon=1e-6):  # fmt: skip
    decodes = what == "decoder"
    weights = declare(order, kind, heads, kv, layers, decodes, has_biases, has_last_norm)
    x = Argument("batch", "length", WIDTH)
    keys = "source" if decodes else "length"
    lengths = Argument(
        "batch", element="i32", fill=lambda rng, shape, sizes: rng.integers(1, sizes[keys] + 1, shape)
    )  # fmt: skip
    arguments = {"x": x, "lengths": lengths}
    lines = "%valid = heddle.mask.lengths %lengths : tensor<?xi32>\n"
    operands, types, masks = "%x", str(x), "mask(%valid)"
    if decodes:
        arguments["memory"] = Argument("batch", "source", WIDTH)
        lines += "%causal = heddle.mask.causal align(top_left)\n"
        operands, types = "%x, %memory", f"{x}, {x}"
        masks = "mask(%causal) memory_mask(%valid)"
    order_text = order if kind == "layer" else f"{order}, {kind}"
    lines += (
        f'%y = heddle.{what} {operands} from("{name}_part") layers({layers}) {masks} '
        f"heads({heads}, kv = {kv}) norm({order_text}) activation(relu) "
        f"epsilon({epsilon:.1e}) : {types}"
    )

    def formula(x, lengths, memory=None, **weights):
        inner = {key.removeprefix("part."): value for key, value in weights.items()}
        length = x.shape[1]
        valid = numpy.arange(length if memory is None else memory.shape[1]) < lengths[:, None]
        valid = valid[:, None, None, :]
        causal = numpy.tri(length, dtype=bool)[None, None]
        formulas = Stack(inner, order, kind, heads, kv, epsilon)
        return formulas.run(x, causal if decodes else valid, layers, memory, valid)

    # No sum has more than 80 terms, and each step ends or begins with a norm.
    return Function(name, arguments, {"y": x}, lines, formula, CALLS,
                    {"part." + key: value for key, value in weights.items()},
                    tolerance=1e-4)  # fmt: skip


FUNCTIONS = [
    stack("encoder_sandwich", "encoder", "sandwich", "layer", 4, 4, 2),
    stack("encoder_sandwich_rms", "encoder", "sandwich", "rms", 4, 2, 3, has_biases=False),
    stack("encoder_post_rms", "encoder", "post", "rms", 4, 1, 2, has_last_norm=False),
    stack("decoder_sandwich", "decoder", "sandwich", "layer", 4, 2, 2, has_last_norm=False),
    stack("decoder_sandwich_rms", "decoder", "sandwich", "rms", 4, 1, 2, has_biases=False),
    stack("decoder_pre_rms", "decoder", "pre", "rms", 4, 2, 3),
]
