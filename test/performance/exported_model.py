#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the model of a Hugging Face folder as an ONNX file, in the ops that PyTorch's exporter gives.

    exported_model.py FOLDER EXPORT

EXPORT/model.onnx has the weights of FOLDER in f32, EXPORT/config.json is its config. BERT takes ids, types
and a mask of tokens; decoders like Llama take keys and values of earlier tokens, and give those of all. Of
Whisper it is the encoder, which takes features.
"""
import json
import os
import pathlib
import shutil
import struct
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "EndToEnd/onnx/Inputs"))
import onnx_model as o  # noqa: E402

LOWEST = float(numpy.finfo("f4").min)
TOKENS = ["batch", "length"]


class Weights:
    """Tensors of a safetensors file of bf16, as f32."""

    def __init__(self, path):
        self.file = numpy.memmap(path, "u1", "r")
        (size,) = struct.unpack("<Q", self.file[:8].tobytes())
        self.header, self.start = json.loads(self.file[8 : 8 + size].tobytes()), 8 + size

    def __contains__(self, name):
        return name in self.header

    def __getitem__(self, name):
        entry = self.header[name]
        first, last = (self.start + offset for offset in entry["data_offsets"])
        bits = self.file[first:last].view("<u2").astype("u4") << 16
        return bits.view("f4").reshape(entry["shape"])


class Graph(o.Graph):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def weight(self, name):
        if name not in self.stored:
            self.stored[name] = self.weights[name]
        return name

    def linear(self, x, name):
        """PyTorch's matrices are [outputs, inputs]; exports have them transposed."""
        matrix = name + ".weight_transposed"
        self.stored[matrix] = numpy.ascontiguousarray(self.weights[name + ".weight"].T)
        y = self("MatMul", x, matrix)
        return self("Add", self.weight(name + ".bias"), y) if name + ".bias" in self.weights else y

    def layer_norm(self, x, name, epsilon):
        x = self("Sub", x, self("ReduceMean", x, axes=[-1]))
        variance = self("ReduceMean", self("Pow", x, 2.0), axes=[-1])
        y = self("Div", x, self("Sqrt", self("Add", variance, epsilon)))
        return self("Add", self("Mul", y, self.weight(name + ".weight")), self.weight(name + ".bias"))

    def rms_norm(self, x, name, epsilon):
        square = self("ReduceMean", self("Pow", x, 2.0), axes=[-1])
        y = self("Mul", x, self("Reciprocal", self("Sqrt", self("Add", square, epsilon))))
        return self("Mul", self.weight(name + ".weight"), y)

    def gelu(self, x):
        return self("Mul", self("Mul", x, self("Add", self("Erf", self("Div", x, 2.0**0.5)), 1.0)), 0.5)

    def heads(self, x, count, size):
        """[batch, length, count, size]"""
        return self("Reshape", x, [0, 0, count, size])

    def attend(self, query, key, value, size, mask, width):
        """Of [batch, heads, length, size]"""
        scores = self("Div", self("MatMul", query, self("Transpose", key, perm=[0, 1, 3, 2])), float(size) ** 0.5)
        shares = self("Softmax", scores if mask is None else self("Add", scores, mask), axis=-1)
        y = self("Transpose", self("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self("Reshape", y, [0, 0, width])


def bert(config, weights):
    g, width, epsilon = Graph(weights), config["hidden_size"], config["layer_norm_eps"]
    heads, prefix = config["num_attention_heads"], "bert." if "bert.embeddings.LayerNorm.weight" in weights else ""
    keep = g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), to=1)
    mask = g("Mul", g("Sub", 1.0, keep), LOWEST)
    tables = prefix + "embeddings."
    x = g("Add", *(g("Gather", g.weight(f"{tables}{kind}_embeddings.weight"), ids)
                   for kind, ids in (("word", "input_ids"), ("token_type", "token_type_ids"))))  # fmt: skip
    places = g("Range", 0, g.size("input_ids", 1), 1)
    x = g("Add", x, g("Gather", g.weight(tables + "position_embeddings.weight"), places))
    x = g.layer_norm(x, tables + "LayerNorm", epsilon)
    for number in range(config["num_hidden_layers"]):
        layer = f"{prefix}encoder.layer.{number}."
        made = [g.linear(x, f"{layer}attention.self.{part}") for part in ("query", "key", "value")]
        parts = [g("Transpose", g.heads(each, heads, width // heads), perm=[0, 2, 1, 3]) for each in made]
        y = g.attend(*parts, width // heads, mask, width)
        y = g("Add", g.linear(y, layer + "attention.output.dense"), x)
        x = g.layer_norm(y, layer + "attention.output.LayerNorm", epsilon)
        y = g.linear(x, layer + "intermediate.dense")
        y = g.gelu(y)
        x = g.layer_norm(g("Add", g.linear(y, layer + "output.dense"), x), layer + "output.LayerNorm", epsilon)
    g("Identity", x, result="last_hidden_state")
    inputs = [o.value(name, "i8", TOKENS) for name in ("input_ids", "attention_mask", "token_type_ids")]
    return g, inputs, [o.value("last_hidden_state", "f4", [*TOKENS, width])]


def whisper(config, weights):
    g, width, heads = Graph(weights), config["d_model"], config["encoder_attention_heads"]
    x, size = "input_features", width // heads
    for number, stride in ((1, 1), (2, 2)):
        conv = f"model.encoder.conv{number}"
        parts = g.weight(conv + ".weight"), g.weight(conv + ".bias")
        x = g.gelu(g("Conv", x, *parts, kernel_shape=[3], pads=[1, 1], strides=[stride]))
    x = g("Add", g("Transpose", x, perm=[0, 2, 1]), g.weight("model.encoder.embed_positions.weight"))
    for number in range(config["encoder_layers"]):
        layer = f"model.encoder.layers.{number}."
        y = g.layer_norm(x, layer + "self_attn_layer_norm", 1e-5)
        made = [g.linear(y, f"{layer}self_attn.{part}_proj") for part in ("q", "k", "v")]
        parts = [g("Transpose", g.heads(each, heads, size), perm=[0, 2, 1, 3]) for each in made]
        x = g("Add", x, g.linear(g.attend(*parts, size, None, width), layer + "self_attn.out_proj"))
        y = g.linear(g.layer_norm(x, layer + "final_layer_norm", 1e-5), layer + "fc1")
        x = g("Add", x, g.linear(g.gelu(y), layer + "fc2"))
    g("Identity", g.layer_norm(x, "model.encoder.layer_norm", 1e-5), result="last_hidden_state")
    positions = config["max_source_positions"]
    inputs = [o.value("input_features", "f4", ["batch", config["num_mel_bins"], 2 * positions])]
    return g, inputs, [o.value("last_hidden_state", "f4", ["batch", positions, width])]


class Decoder:
    def __init__(self, config, weights):
        self.config, self.graph = config, Graph(weights)
        self.heads = config["num_attention_heads"]
        self.kv_heads = config.get("num_key_value_heads") or self.heads
        self.size = config.get("head_dim") or config["hidden_size"] // self.heads
        self.epsilon = config["rms_norm_eps"]

    def angles(self):
        g, half = self.graph, self.size // 2
        base = self.config.get("rope_theta") or self.config["rope_parameters"]["rope_theta"]
        frequencies = 1 / base ** (numpy.arange(half) / half)
        places = g("Cast", g("Unsqueeze", "position_ids", [1]), to=1)
        turns = g("Transpose", g("MatMul", frequencies[None, :, None], places), perm=[0, 2, 1])
        both = g("Concat", turns, turns, axis=-1)
        self.cosines, self.sines = (g("Unsqueeze", g(op, both), [1]) for op in ("Cos", "Sin"))

    def mask(self):
        g, length = self.graph, self.graph.size("input_ids", 1)
        past = g.size("past_key_values.0.key", 2)
        total = g("Add", past, length)
        queries, keys = g("Range", past, total, 1), g("Range", 0, total, 1)
        after = g("Cast", g("Greater", g("Unsqueeze", keys, [0]), g("Unsqueeze", queries, [1])), to=1)
        causal = g("Unsqueeze", g("Mul", after, LOWEST), [0, 1])
        padding = g("Add", causal, g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), to=1))
        return g("Where", g("Equal", padding, 0.0), LOWEST, causal)

    def turned(self, x):
        g, half = self.graph, self.size // 2
        low, high = g("Slice", x, [0], [half], [3]), g("Slice", x, [half], [2**63 - 1], [3])
        return g("Add", g("Mul", x, self.cosines), g("Mul", g("Concat", g("Neg", high), low, axis=-1), self.sines))

    def repeated(self, x):
        g, times = self.graph, self.heads // self.kv_heads
        sizes = g("Shape", x)
        many = g("Expand", g("Unsqueeze", x, [2]), [1, 1, times, 1, 1])
        first, third = (g("Slice", sizes, [axis], [axis + 1]) for axis in (0, 2))
        return g("Reshape", many, g("Concat", first, [self.heads], third, [self.size], axis=0))

    def part(self, x, layer, name, heads):
        g = self.graph
        y = g.heads(g.linear(x, f"{layer}self_attn.{name}_proj"), heads, self.size)
        norm = f"{layer}self_attn.{name}_norm"
        if norm + ".weight" in g.weights:
            y = g.rms_norm(y, norm, self.epsilon)
        return g("Transpose", y, perm=[0, 2, 1, 3])

    def layer(self, x, number, mask):
        g, layer = self.graph, f"model.layers.{number}."
        y = g.rms_norm(x, layer + "input_layernorm", self.epsilon)
        query = self.turned(self.part(y, layer, "q", self.heads))
        new = self.turned(self.part(y, layer, "k", self.kv_heads)), self.part(y, layer, "v", self.kv_heads)
        all_ = [
            g("Concat", f"past_key_values.{number}.{kind}", each, axis=2, result=f"present.{number}.{kind}")
            for kind, each in zip(("key", "value"), new)
        ]
        y = g.attend(query, *map(self.repeated, all_), self.size, mask, self.heads * self.size)
        x = g("Add", x, g.linear(y, layer + "self_attn.o_proj"))
        y = g.rms_norm(x, layer + "post_attention_layernorm", self.epsilon)
        gate = g.linear(y, layer + "mlp.gate_proj")
        gated = g("Mul", g("Mul", gate, g("Sigmoid", gate)), g.linear(y, layer + "mlp.up_proj"))
        return g("Add", x, g.linear(gated, layer + "mlp.down_proj"))

    def write(self):
        g, layers = self.graph, self.config["num_hidden_layers"]
        mask = self.mask()
        self.angles()
        x = g("Gather", g.weight("model.embed_tokens.weight"), "input_ids")
        for number in range(layers):
            x = self.layer(x, number, mask)
        head = "lm_head.weight" if "lm_head.weight" in g.weights else "model.embed_tokens.weight"
        g.stored["head"] = numpy.ascontiguousarray(g.weights[head].T)
        g("MatMul", g.rms_norm(x, "model.norm", self.epsilon), "head", result="logits")
        names = [f"{number}.{kind}" for number in range(layers) for kind in ("key", "value")]

        def caches(prefix, length):
            return [o.value(prefix + name, "f4", ["batch", self.kv_heads, length, self.size]) for name in names]

        inputs = [o.value("input_ids", "i8", TOKENS), o.value("attention_mask", "i8", ["batch", "past + length"])]
        inputs += [o.value("position_ids", "i8", TOKENS), *caches("past_key_values.", "past")]
        logits = o.value("logits", "f4", [*TOKENS, self.config["vocab_size"]])
        return g, inputs, [logits, *caches("present.", "past + length")]


def main(folder, export):
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    weights = Weights(os.path.join(folder, "model.safetensors"))
    encoders = {"bert": bert, "whisper": whisper}
    encoder = encoders.get(config["model_type"])
    g, inputs, outputs = encoder(config, weights) if encoder else Decoder(config, weights).write()
    os.makedirs(export, exist_ok=True)
    o.write(os.path.join(export, "model.onnx"), g.nodes, inputs, outputs, g.stored, opset=14)
    shutil.copy(os.path.join(folder, "config.json"), export)


if __name__ == "__main__":
    main(*sys.argv[1:])
