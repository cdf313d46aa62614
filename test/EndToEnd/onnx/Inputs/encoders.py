# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoders whose mask of tokens is spelt in several ways: what encode gives for lengths, against the plain form
with a mask."""

import subprocess

import heddle
import numpy
import onnx_model as o

random = numpy.random.default_rng()
WORDS, HEADS, CHANNELS = 30, 2, 8
WIDTH = HEADS * CHANNELS
LOWEST = float(numpy.finfo("f4").min)
TOKENS = ["batch", "length"]


class Graph(o.Graph):
    def weight(self, *shape):
        return self.constant(random.standard_normal(shape) / shape[0] ** 0.5)


def keep(g):
    return g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), to=o.FLOAT)


def of_all_queries(g, type_):
    """[batch, 1, length, length]"""
    sizes = g("Concat", g("Shape", "input_ids", end=1), [1], *[g("Shape", "input_ids", start=1)] * 2, axis=0)
    return g("Expand", g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), to=type_), sizes)


def lowest(g, scores):
    return g("Add", scores, g("Mul", g("Sub", 1.0, keep(g)), LOWEST))


def ten_thousand(g, scores):
    return g("Add", g("Mul", g("Sub", keep(g), 1.0), 10000.0), scores)


def chosen(g, scores):
    inverted = g("Sub", 1.0, of_all_queries(g, o.FLOAT))
    return g("Add", scores, g("Where", g("Cast", inverted, to=o.BOOL), LOWEST, inverted))


def replaced(g, scores):
    return g("Where", g("Not", of_all_queries(g, o.BOOL)), float("-inf"), scores)


def with_distances(g, scores):
    """As T5 has it: positions and mask are added up for all layers."""
    places = g("Cast", g("Range", 0, g.size("input_ids", 1), 1), to=o.FLOAT)
    distance = g("Sub", g("Unsqueeze", places, [0]), g("Unsqueeze", places, [1]))
    bias = g("Mul", g("Abs", distance), -0.1)
    return g("Add", scores, g("Add", bias, g("Mul", g("Sub", 1.0, keep(g)), LOWEST)))


def weak(g, scores):
    """No mask: what it adds leaves other tokens their part."""
    return g("Add", scores, g("Mul", g("Sub", 1.0, keep(g)), -2.0))


def of_pairs(g, scores):
    """Queries that are none attend to nothing, or to all alike."""
    rows = g("Cast", g("Unsqueeze", "attention_mask", [1, 3]), to=o.FLOAT)
    return g("Add", scores, g("Mul", g("Sub", 1.0, g("Mul", keep(g), rows)), LOWEST))


def model(mask):
    g = Graph()
    x = g("Gather", g.weight(WORDS, WIDTH), "input_ids")
    for _ in range(2):
        made = [g("MatMul", x, g.weight(WIDTH, WIDTH)) for _ in range(3)]
        query, key, value = (
            g("Transpose", g("Reshape", each, [0, 0, HEADS, CHANNELS]), perm=[0, 2, 1, 3]) for each in made
        )
        scores = g("Div", g("MatMul", query, g("Transpose", key, perm=[0, 1, 3, 2])), CHANNELS**0.5)
        y = g("MatMul", g("Softmax", mask(g, scores), axis=-1), value)
        x = g("Add", x, g("Reshape", g("Transpose", y, perm=[0, 2, 1, 3]), [0, 0, WIDTH]))
    g("Identity", x, result="last_hidden_state")
    # The mean of all tokens that are valid.
    valid = g("Cast", g("Unsqueeze", "attention_mask", [2]), to=o.FLOAT)
    sums = g("ReduceSum", g("Mul", x, valid), [1], keepdims=0)
    g("Div", sums, g("ReduceSum", valid, [1], keepdims=0), result="sentence_embedding")
    inputs = [o.value(name, "i8", TOKENS) for name in ("input_ids", "attention_mask")]
    outputs = [o.value("last_hidden_state", "f4", [*TOKENS, WIDTH]), o.value("sentence_embedding", "f4", ["batch", WIDTH])]
    o.write("model.onnx", g.nodes, inputs, outputs, g.stored)


def check(mask):
    model(mask)
    kernels = subprocess.run(["heddlec", "--quiet", "model.onnx", "--emit=kernels"], check=True, capture_output=True, text=True)
    subprocess.run(["heddlec", "--quiet", "model.onnx", "--emit=shared", "-o", f"{mask.__name__}.so"], check=True)
    artifact = heddle.load(f"./{mask.__name__}.so")
    lengths = numpy.array([11, 1, 70, 40], "i4")
    ids = random.integers(0, WORDS, (4, 70))
    valid = numpy.arange(70) < lengths[:, None]
    plain = artifact.run(input_ids=ids, attention_mask=valid.astype("i8"))
    encoded = artifact.encode(input_ids=ids.astype("i4"), lengths=lengths)
    error = abs((plain["last_hidden_state"] - encoded["last_hidden_state"])[valid]).max()
    error = max(error, abs(plain["sentence_embedding"] - encoded["sentence_embedding"]).max())
    found = "lengths" if "heddle.mask.lengths" in kernels.stdout else "scores that change"
    print(f"{mask.__name__}: {found}, {'right' if error < 1e-5 else f'off by {error}'}")


for mask in (lowest, ten_thousand, chosen, replaced, with_distances, weak, of_pairs):
    check(mask)
