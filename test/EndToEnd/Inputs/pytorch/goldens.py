#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the goldens beside it: what PyTorch's layers give for seeded weights and inputs.

usage: goldens.py

It was run with PyTorch 1.13 of Debian 12 (python3-torch); no test runs it. For each topic it
writes TOPIC/model.safetensors, the parameters by their names in PyTorch, and for each case
TOPIC/CASE/NAME.npy, an input, and TOPIC/CASE/expected.NAME.npy, a result. Parameters, inputs and
results are f32; everything in between is computed in double precision. No query is without a
key: PyTorch gives NaN for it, and Heddle 0.
"""
import json
import pathlib
import shutil
import struct

import numpy
import torch
from torch import nn

HERE = pathlib.Path(__file__).parent


class Topic:
    """The folder of a module that is compiled at once: parameters and cases."""

    def __init__(self, name):
        self.folder, self.parameters = HERE / name, {}
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)

    def add_parameters(self, prefix, module):
        for name, tensor in module.state_dict().items():
            self.parameters[prefix + name] = tensor.numpy().astype("<f4")

    def add_case(self, name, inputs, results):
        """Masks and lengths stay what they are; other tensors are written as f32."""
        folder = self.folder / name
        folder.mkdir()
        named = {**inputs, **{f"expected.{name}": value for name, value in results.items()}}
        for name, tensor in named.items():
            array = tensor.detach().numpy()
            assert not numpy.isnan(array).any(), (folder, name)
            array = array.astype("<f4") if array.dtype == "f8" else array
            numpy.save(folder / f"{name}.npy", numpy.ascontiguousarray(array))

    def write_parameters(self):
        header, data = {}, b""
        for name, array in self.parameters.items():
            offsets = [len(data), len(data) + array.nbytes]
            header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": offsets}
            data += array.tobytes()
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        content = struct.pack("<Q", len(text)) + text + data
        (self.folder / "model.safetensors").write_bytes(content)


# ---- Weights, inputs and masks


def rounded(tensor):
    """The nearest f32, in double precision."""
    return tensor.float().double()


def randomize(module):
    """Makes all parameters random: PyTorch begins with biases of 0 and norms of 1."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            values = torch.randn(parameter.shape)
            if parameter.dim() > 1:
                values = values * parameter.shape[-1] ** -0.5
            else:
                values = values * 0.2 + (1 if "norm" in name and "weight" in name else 0)
            parameter.copy_(rounded(values))
    return module.eval()


def tokens(*shape):
    return rounded(torch.randn(shape))


def dropped(*shape, valid=None):
    """A mask as PyTorch has it: what is true is dropped. Each row keeps one of its first
    `valid` keys."""
    mask = torch.rand(shape) < 0.4
    return mask.scatter(-1, torch.randint(valid or shape[-1], (*shape[:-1], 1)), False)


def padding(lengths, count):
    return torch.arange(count)[None, :] >= lengths[:, None]


def causal(count):
    return torch.ones(count, count, dtype=torch.bool).triu(1)


def lengths_of(*numbers):
    return torch.tensor(numbers, dtype=torch.int32)


# ---- Topics


def multi_head_attention():
    topic = Topic("multi-head-attention")
    width, heads, batch, queries, keys = 32, 4, 2, 5, 7

    def make(**options):
        return nn.MultiheadAttention(width, heads, batch_first=True, **options).eval()

    layer = randomize(make())
    topic.add_parameters("", layer)
    x, memory = tokens(batch, queries, width), tokens(batch, keys, width)
    lengths = lengths_of(4, keys)
    holes = dropped(batch, keys)

    def add(name, inputs, layer=layer, source=memory, value=None, per_head=False, **arguments):
        output, weights = layer(
            x, source, source if value is None else value, average_attn_weights=not per_head,
            **arguments)  # fmt: skip
        topic.add_case(name, {"x": x, **inputs}, {"y": output, "attention": weights})

    crossing = {"memory": memory}
    add("no_mask", {}, source=x)
    add("causal", {}, source=x, attn_mask=causal(queries))
    mask = dropped(queries, keys)
    add("boolean", {**crossing, "mask": mask}, attn_mask=mask)
    mask = tokens(queries, keys).masked_fill(dropped(queries, keys), -torch.inf)
    add("additive", {**crossing, "mask": mask}, attn_mask=mask)
    add("padding", {**crossing, "padding": holes}, key_padding_mask=holes)
    mask = dropped(queries, keys, valid=4)
    add("both", {**crossing, "mask": mask, "lengths": lengths}, attn_mask=mask,
        key_padding_mask=padding(lengths, keys))  # fmt: skip
    mask = dropped(batch * heads, queries, keys)
    add("per_head", {**crossing, "mask": mask}, attn_mask=mask, per_head=True)
    mask = tokens(batch * heads, queries, keys)
    add("per_head_additive", {**crossing, "mask": mask, "padding": holes}, attn_mask=mask,
        key_padding_mask=holes, per_head=True)  # fmt: skip

    bare = make(bias=False)
    bare.load_state_dict(layer.state_dict(), strict=False)
    add("no_bias", crossing, layer=bare)

    zero = make(add_zero_attn=True)
    zero.load_state_dict(layer.state_dict())
    add("zero_key", {**crossing, "padding": holes}, layer=zero, key_padding_mask=holes)

    extended = randomize(make(add_bias_kv=True))
    extended.load_state_dict(layer.state_dict(), strict=False)
    topic.add_parameters("", extended)
    mask = dropped(queries, keys)
    add("bias_key", {**crossing, "mask": mask}, layer=extended, attn_mask=mask)
    both = make(add_bias_kv=True, add_zero_attn=True)
    both.load_state_dict(extended.state_dict())
    add("bias_and_zero_key", {**crossing, "padding": holes}, layer=both, key_padding_mask=holes)

    wide = randomize(make(kdim=20, vdim=12))
    topic.add_parameters("widths.", wide)
    k, v = tokens(batch, keys, 20), tokens(batch, keys, 12)
    add("widths", {"k": k, "v": v, "padding": holes}, layer=wide, source=k, value=v,
        key_padding_mask=holes)  # fmt: skip
    topic.write_parameters()


def transformer_layers():
    topic = Topic("transformer-layers")
    width, heads, hidden, batch, length, source = 24, 3, 40, 3, 6, 9
    x, memory = tokens(batch, length, width), tokens(batch, source, width)
    lengths = lengths_of(4, length, 1)
    memory_lengths = lengths_of(source, 2, 5)
    memory_mask = dropped(length, source, valid=2)
    parameters = {}

    def make(kind, prefix, **options):
        """All layers of a kind have the same parameters."""
        layer = kind(width, heads, hidden, batch_first=True, **options).eval()
        if prefix not in parameters:
            parameters[prefix] = randomize(layer).state_dict()
            topic.add_parameters(prefix, layer)
        layer.load_state_dict(parameters[prefix])
        return layer

    for norm_first in False, True:
        for activation in "relu", "gelu":
            name = f"{'pre' if norm_first else 'post'}_{activation}"
            options = {"norm_first": norm_first, "activation": activation}
            layer = make(nn.TransformerEncoderLayer, "encoder_layer.", **options)
            y = layer(x, src_mask=causal(length), src_key_padding_mask=padding(lengths, length))
            topic.add_case(f"encoder_{name}", {"x": x, "lengths": lengths}, {"y": y})

            layer = make(nn.TransformerDecoderLayer, "decoder_layer.", **options)
            y = layer(
                x, memory, tgt_mask=causal(length), tgt_key_padding_mask=padding(lengths, length),
                memory_mask=memory_mask,
                memory_key_padding_mask=padding(memory_lengths, source))  # fmt: skip
            inputs = {"x": x, "memory": memory, "lengths": lengths, "memory_mask": memory_mask,
                      "memory_lengths": memory_lengths}  # fmt: skip
            topic.add_case(f"decoder_{name}", inputs, {"y": y})
    topic.write_parameters()


def transformer():
    topic = Topic("transformer")
    width, heads, hidden, batch, length, source = 16, 2, 36, 2, 7, 5
    x, s = tokens(batch, length, width), tokens(batch, source, width)
    lengths, source_lengths = lengths_of(length, 3), lengths_of(2, source)
    whole = nn.Transformer(width, heads, 2, 2, hidden, batch_first=True, activation="gelu",
                           norm_first=True)  # fmt: skip
    randomize(whole)
    topic.add_parameters("", whole)

    y = whole.encoder(s, src_key_padding_mask=padding(source_lengths, source))
    topic.add_case("encoder", {"x": s, "lengths": source_lengths}, {"y": y})
    y = whole.decoder(x, s, tgt_mask=causal(length))
    topic.add_case("decoder", {"x": x, "memory": s}, {"y": y})

    inputs = {"src": s, "tgt": x, "source_lengths": source_lengths, "lengths": lengths}
    for norm_first in False, True:
        layers = [*whole.encoder.layers, *whole.decoder.layers]
        for layer in layers:
            layer.norm_first = norm_first
        y = whole(
            s, x, tgt_mask=whole.generate_square_subsequent_mask(length),
            src_key_padding_mask=padding(source_lengths, source),
            tgt_key_padding_mask=padding(lengths, length),
            memory_key_padding_mask=padding(source_lengths, source))  # fmt: skip
        topic.add_case("whole_pre" if norm_first else "whole_post", inputs, {"y": y})
    topic.write_parameters()


class AdditiveAttention(nn.Module):
    """Weights of w_v^T tanh(W_q q + W_k k) (Bahdanau et al., arXiv:1409.0473)."""

    def __init__(self, width, hidden):
        super().__init__()
        self.query = nn.Linear(width, hidden, bias=False)
        self.key = nn.Linear(width, hidden, bias=False)
        self.value = nn.Linear(hidden, 1, bias=False)

    def forward(self, query, states, is_dropped):
        features = torch.tanh(self.query(query)[:, None, :] + self.key(states))
        scores = self.value(features)[:, :, 0]
        weights = scores.masked_fill(is_dropped, -torch.inf).softmax(-1)
        return (weights[:, :, None] * states).sum(1), weights


class Translator(nn.Module):
    """A GRU that reads, and one that writes and looks at what was read."""

    def __init__(self, vocabulary, channels, hidden):
        super().__init__()
        self.source_embedding = nn.Embedding(vocabulary, channels)
        self.target_embedding = nn.Embedding(vocabulary, channels)
        self.encoder = nn.GRU(channels, hidden, batch_first=True)
        self.attention = AdditiveAttention(hidden, hidden)
        self.decoder = nn.GRUCell(hidden + channels, hidden)
        self.output = nn.Linear(hidden, vocabulary)

    def forward(self, source, lengths, target):
        states, last = read(self.encoder, self.source_embedding(source), lengths)
        is_dropped = padding(lengths, source.shape[1])
        state, logits, all_weights = last[0], [], []
        for token in self.target_embedding(target).unbind(1):
            context, weights = self.attention(state, states, is_dropped)
            state = self.decoder(torch.cat((context, token), -1), state)
            logits.append(self.output(state))
            all_weights.append(weights)
        return torch.stack(logits, 1), torch.stack(all_weights, 1)


def read(layer, x, lengths):
    """A recurrent layer over sequences that have these lengths: states past the end are 0."""
    packed = nn.utils.rnn.pack_padded_sequence(
        x, lengths.long(), batch_first=True, enforce_sorted=False)  # fmt: skip
    states, last = layer(packed)
    states, _ = nn.utils.rnn.pad_packed_sequence(
        states, batch_first=True, total_length=x.shape[1])  # fmt: skip
    return states, last


def recurrent():
    topic = Topic("recurrent")
    vocabulary, channels, hidden, batch, source, length = 11, 12, 16, 3, 8, 5
    lengths = lengths_of(5, source, 2)

    translator = randomize(Translator(vocabulary, channels, hidden))
    topic.add_parameters("translator.", translator)
    ids = torch.randint(vocabulary, (batch, source), dtype=torch.int32)
    target = torch.randint(vocabulary, (batch, length), dtype=torch.int32)
    logits, weights = translator(ids, lengths, target)
    inputs = {"src": ids, "lengths": lengths, "tgt": target}
    topic.add_case("translator", inputs, {"logits": logits, "attention": weights})

    x = tokens(batch, source, channels)
    gru = randomize(nn.GRU(channels, hidden, batch_first=True, bidirectional=True))
    topic.add_parameters("gru.", gru)
    states, last = read(gru, x, lengths)
    results = {"states": states, "last": last[0], "first": last[1]}
    topic.add_case("gru_both_ways", {"x": x, "lengths": lengths}, results)

    lstm = randomize(nn.LSTM(channels, hidden, num_layers=2, batch_first=True))
    topic.add_parameters("lstm.", lstm)
    states, (last, cell) = lstm(x)
    topic.add_case("lstm_two_layers", {"x": x}, {"states": states, "last": last, "cell": cell})
    topic.write_parameters()


# Autograd stays on: without it, encoders take another way, which sets the results of padding to 0.
torch.set_default_dtype(torch.float64)
for seed, write in enumerate((multi_head_attention, transformer_layers, transformer, recurrent)):
    torch.manual_seed(seed)
    write()
