# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What layers compute, in double precision; shares nothing with the compiler."""
import math

import numpy

ERF = numpy.vectorize(math.erf)
ACTIVATIONS = {
    "silu": lambda x: x / (1 + numpy.exp(-x)),
    "relu": lambda x: numpy.maximum(x, 0),
    "gelu": lambda x: x / 2 * (1 + ERF(x / math.sqrt(2))),
    "gelu_tanh": lambda x: x / 2 * (
        1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "tanh": numpy.tanh,
    "quick_gelu": lambda x: x / (1 + numpy.exp(-1.702 * x)),
}  # fmt: skip


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


def attention(q, k, v, heads, kv, keep, scale=None, norms=None, epsilon=1e-6):
    """The output, and the weights of all heads. `keep` is [batch, 1, queries, keys], or what is added
    to scores, [batch, heads, queries, keys]."""

    def split(x, count):
        return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)

    q, k, v = split(q, heads), split(k, kv), split(v, kv)
    if norms:
        q, k = norm(q, "rms", epsilon, norms[0]), norm(k, "rms", epsilon, norms[1])
    k, v = (numpy.repeat(x, heads // kv, axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores + keep if keep.dtype.kind == "f" else numpy.where(keep, scores, -1e300)
    weights = softmax(scores)
    output = (weights @ v).transpose(0, 2, 1, 3)
    return output.reshape(*output.shape[:2], -1), weights


def causal(queries, keys):
    return (numpy.arange(keys)[None, :] <= numpy.arange(queries)[:, None])[None, None]


def add(keep, bias):
    """What is added to scores by a mask and a bias, which may be none."""
    return keep if bias is None else numpy.where(keep, bias[..., : keep.shape[-1]], -1e300)


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
        norms = [self.optional(f"{name}.{part}_norm.weight") for part in "qk"]
        norms = None if norms[0] is None else norms
        output, _ = attention(q, k, v, heads, kv, keep, None, norms, self.options.epsilon)
        return linear(output, self.weights[name + ".out_proj.weight"],
                      self.optional(name + ".out_proj.bias"))  # fmt: skip

    def feed_forward(self, x, name):
        up = linear(x, self.weights[name + "linear1.weight"], self.optional(name + "linear1.bias"))
        activate = ACTIVATIONS[self.options.activation]
        if name + "linear_gate.weight" in self.weights:
            gate = linear(x, self.weights[name + "linear_gate.weight"],
                          self.optional(name + "linear_gate.bias"))  # fmt: skip
            hidden = activate(gate) * up
        else:
            hidden = activate(up)
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
