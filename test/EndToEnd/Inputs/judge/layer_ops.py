# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of LayerOps.td that take tensors of any batch."""
import math

import numpy

from . import elements
from .bounded import U, Bounded, add, divide, function, matrix_product, multiply, subtract, total
from .bounded import each, extremum
from .program import Op, Weight
from .quantization_ops import as_integers, decoded, hidden
from .tensors import Type


class WeightRef(Op):
    def __init__(self, weight):
        self.weight = weight

    def results(self):
        return [self.weight.type]

    def text(self, names, types, results):
        return f"heddle.weight_ref @{self.weight.name} : {self.weight.type}"

    def compute(self, symbols):
        kind = elements.kind_of(self.weight.type.element)
        return Bounded(self.weight.array.astype(kind))


def scalar(number):
    """A number of the op, which is rounded once."""
    return Bounded(numpy.array(number), U * abs(number))


def mean(x):
    return divide(total(x, (-1,)), Bounded(numpy.array(float(x.shape[-1]))), units=2)


def inverse_root(x, epsilon):
    root = function(numpy.sqrt, add(x, scalar(epsilon)))
    return divide(Bounded(numpy.array(1.0)), root)


class RMSNorm(Op):
    mnemonic = "rms_norm"

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def results(self, x, *_):
        return [x]

    def text(self, names, types, results):
        text = f"heddle.{self.mnemonic} {', '.join(names)} epsilon({self.epsilon:.1e})"
        return f"{text} : {', '.join(map(str, types))}"

    def compute(self, symbols, x, w):
        scale = inverse_root(mean(multiply(x, x)), self.epsilon)
        return multiply(multiply(x, scale), w)


class LayerNorm(RMSNorm):
    mnemonic = "layer_norm"

    def compute(self, symbols, x, w, b=None):
        centred = subtract(x, mean(x))
        scale = inverse_root(mean(multiply(centred, centred)), self.epsilon)
        scaled = multiply(multiply(centred, scale), w)
        return add(scaled, b) if b is not None else scaled


def linear_map(x, w, bias=None):
    flat = each(lambda a: a.reshape(-1, a.shape[-1]), x)
    result = matrix_product(flat, each(numpy.transpose, w))
    result = each(lambda a: a.reshape(x.shape[:-1] + a.shape[-1:]), result)
    return add(result, bias) if bias is not None else result


class Linear(Op):
    def results(self, x, w, *_):
        return [x.but(x.rank - 1, w.sizes[0])]

    def text(self, names, types, results):
        bias = f" bias({names[2]} : {types[2]})" if len(names) == 3 else ""
        return f"heddle.linear {names[0]}, {names[1]}{bias} : {types[0]}, {types[1]}"

    def compute(self, symbols, x, w, bias=None):
        return linear_map(x, w, bias)


ONE = Bounded(numpy.array(1.0))
HALF = Bounded(numpy.array(0.5))


def logistic(x, y):
    """y / (1 + exp(-x))"""
    return divide(y, add(ONE, function(numpy.exp, Bounded(-x.value, x.error))), units=2)


def silu(x):
    return logistic(x, x)


def sigmoid(x):
    return logistic(x, ONE)


def tanh(x):
    return function(numpy.tanh, x)


def gelu(x):
    erf = function(numpy.vectorize(math.erf, "d"), multiply(x, scalar(0.5**0.5)))
    return multiply(multiply(x, HALF), add(ONE, erf))


def gelu_tanh(x):
    cube = multiply(multiply(multiply(scalar(0.044715), x), x), x)
    inner = multiply(scalar(math.sqrt(2 / math.pi)), add(x, cube))
    return multiply(multiply(x, HALF), add(ONE, tanh(inner)))


def relu(x):
    return extremum(numpy.maximum, x, Bounded(numpy.zeros(x.shape)))


ACTIVATIONS = {
    "silu": silu, "relu": relu, "gelu": gelu, "gelu_tanh": gelu_tanh, "sigmoid": sigmoid,
    "tanh": tanh,
}  # fmt: skip


class Activation(Op):
    def __init__(self, kind):
        self.kind = kind

    def results(self, x):
        return [x]

    def text(self, names, types, results):
        return f"heddle.activation {self.kind} {names[0]} : {types[0]}"

    def compute(self, symbols, x):
        return ACTIVATIONS[self.kind](x)


class FeedForward(Activation):
    def results(self, x, *_):
        return [x]

    def text(self, names, types, results):
        biases = ""
        if len(names) == 5:
            biases = f" biases({', '.join(names[3:])} : {', '.join(map(str, types[3:]))})"
        operands, listed = ", ".join(names[:3]), ", ".join(map(str, types[:3]))
        return f"heddle.feed_forward {self.kind} {operands}{biases} : {listed}"

    def compute(self, symbols, x, up, down, up_bias=None, down_bias=None):
        hidden = ACTIVATIONS[self.kind](linear_map(x, up, up_bias))
        return linear_map(hidden, down, down_bias)


class GatedFeedForward(Activation):
    def results(self, x, *_):
        return [x]

    def text(self, names, types, results):
        operands, listed = ", ".join(names), ", ".join(map(str, types))
        return f"heddle.gated_feed_forward {self.kind} {operands} : {listed}"

    def compute(self, symbols, x, gate, up, down):
        gated = ACTIVATIONS[self.kind](linear_map(x, gate))
        return linear_map(multiply(gated, linear_map(x, up)), down)


class Embedding(Op):
    def results(self, ids, table):
        return [Type(ids.sizes + table.sizes[1:])]

    def text(self, names, types, results):
        return f"heddle.embedding {names[0]}, {names[1]} : {types[0]}, {types[1]}"

    def compute(self, symbols, ids, table):
        return each(lambda a: a[ids.value], table)


# ---- One of each, on a given value


def weight(b, sizes, is_scale=False):
    """A weight of the module, or an argument in its place."""
    type_ = Type(tuple(sizes))
    if b.random.random() < 0.2:
        return b.operand(type_)
    if len(sizes) > 1 and min(sizes) > 0 and b.random.random() < 0.4:
        value = decoded_weight(b, sizes)
    else:
        array = numpy.random.default_rng([b.random.getrandbits(32)]).standard_normal(sizes)
        array = 1 + 0.2 * array if is_scale else array * sizes[-1] ** -0.5
        value = b.emit(stored_weight(b, type_, array.astype("f4")))[0]
    b.weights.append(value)
    return value


def decoded_weight(b, sizes, axis=None):
    return decoded(
        b, sizes, lambda type_, array: hidden(b, stored_weight(b, type_, array))[0], axis
    )


def stored_weight(b, type_, array):
    """A reference to a new weight of the module."""
    root = b.root.function
    root.weights.append(Weight(f"{root.name}_w{len(root.weights)}", type_, array))
    return WeightRef(root.weights[-1])


def channels_of(b, x):
    b.require(x.type.element in ("f32", "bf16", "f16") and x.type.rank > 0 and x not in b.weights)
    b.require(isinstance(x.type.sizes[-1], int))
    return x.type.sizes[-1]


def epsilon(b):
    return b.random.choice((1.0e-5, 1.0e-2))


def rms_norm(b, x):
    w = weight(b, [channels_of(b, x)], True)
    return b.emit(RMSNorm(epsilon(b)), x, w)


def layer_norm(b, x):
    channels = channels_of(b, x)
    operands = [x, weight(b, [channels], True)]
    if b.random.random() < 0.7:
        operands.append(weight(b, [channels]))
    return b.emit(LayerNorm(epsilon(b)), *operands)


def linear(b, x):
    channels = channels_of(b, x)
    outputs = b.random.choice((1, 5, 16, 24, 33, 64, channels))
    if x.type.element == "f32" and channels > 0 and b.random.random() < 0.3:
        operands = [as_integers(b, x), decoded_weight(b, [outputs, channels], axis=1)]
        b.weights.append(operands[1])
    else:
        operands = [x, weight(b, [outputs, channels])]
    if b.random.random() < 0.4:
        operands.append(weight(b, [outputs]))
    return b.emit(Linear(), *operands)


def activation(b, x):
    channels_of(b, x)
    return b.emit(Activation(b.random.choice(sorted(ACTIVATIONS))), x)


def feed_forward(b, x):
    channels, hidden = channels_of(b, x), b.random.choice((5, 16, 40))
    operands = [x, weight(b, [hidden, channels]), weight(b, [channels, hidden])]
    if b.random.random() < 0.5:
        operands += [weight(b, [hidden]), weight(b, [channels])]
    return b.emit(FeedForward(b.random.choice(sorted(ACTIVATIONS))), *operands)


def gated_feed_forward(b, x):
    channels, hidden = channels_of(b, x), b.random.choice((5, 16, 40))
    gate, up = weight(b, [hidden, channels]), weight(b, [hidden, channels])
    kind = b.random.choice(sorted(ACTIVATIONS))
    return b.emit(GatedFeedForward(kind), x, gate, up, weight(b, [channels, hidden]))


def embedding(b, x):
    b.require(x.type.rank > 0)
    rows = b.random.choice((5, 33, 71))
    ids = b.argument(Type(x.type.sizes[:2], "i32"), b.fills.existing(rows))
    return b.emit(Embedding(), ids, weight(b, [rows, b.random.choice((3, 16, 60))]))


PROPOSALS = {
    "rms_norm": rms_norm, "layer_norm": layer_norm, "linear": linear,
    "activation": activation, "feed_forward": feed_forward,
    "gated_feed_forward": gated_feed_forward, "embedding": embedding,
}  # fmt: skip
