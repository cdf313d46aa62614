# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small modules of PyTorch, written as models of these families are, for exports to ONNX."""

import math

import torch
from torch import nn
from torch.nn import functional

CHANNELS, HEADS, WORDS, POSITIONS = 32, 4, 50, 64


def linear(inputs, outputs, bias=False):
    return nn.Linear(inputs, outputs, bias=bias)


def split_heads(x, heads=HEADS):
    return x.view(x.shape[0], x.shape[1], heads, CHANNELS // HEADS).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], CHANNELS)


def root_mean_square(x, weight):
    wide = x.to(torch.float32)
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
    return weight * wide.to(x.dtype)


def weights(count):
    return nn.ParameterList([nn.Parameter(torch.randn(CHANNELS)) for _ in range(count)])


class Encoder(nn.Module):
    def __init__(self, norm_first, activation):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            CHANNELS, HEADS, 64, batch_first=True, norm_first=norm_first, activation=activation, dropout=0.0
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x, padding=None):
        return self.encoder(x, src_key_padding_mask=padding)


class EncoderDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(CHANNELS, HEADS, 2, 2, 64, batch_first=True, dropout=0.0)

    def forward(self, source, target):
        length = target.shape[1]
        mask = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
        return self.transformer(source, target, tgt_mask=mask)


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(WORDS, CHANNELS), nn.Embedding(POSITIONS, CHANNELS)
        self.layers = nn.ModuleList([self.layer() for _ in range(2)])
        self.norm = nn.LayerNorm(CHANNELS)
        causal = torch.tril(torch.ones(POSITIONS, POSITIONS, dtype=torch.bool))
        self.register_buffer("causal", causal.view(1, 1, POSITIONS, POSITIONS))

    def layer(self):
        return nn.ModuleDict(
            {
                "norm1": nn.LayerNorm(CHANNELS),
                "qkv": linear(CHANNELS, 3 * CHANNELS, True),
                "out": linear(CHANNELS, CHANNELS, True),
                "norm2": nn.LayerNorm(CHANNELS),
                "up": linear(CHANNELS, 4 * CHANNELS, True),
                "down": linear(4 * CHANNELS, CHANNELS, True),
            }
        )

    def attend(self, layer, x):
        query, key, value = (split_heads(part) for part in layer["qkv"](x).split(CHANNELS, dim=2))
        scores = torch.matmul(query, key.transpose(-1, -2)) / (value.size(-1) ** 0.5)
        queries, keys = query.size(-2), key.size(-2)
        kept = self.causal[:, :, keys - queries : keys, :keys]
        scores = torch.where(kept, scores, torch.full([], torch.finfo(scores.dtype).min))
        return layer["out"](join_heads(torch.matmul(functional.softmax(scores, dim=-1), value)))

    def forward(self, ids):
        positions = torch.arange(0, ids.shape[1], dtype=torch.long).unsqueeze(0)
        x = self.words(ids) + self.positions(positions)
        for layer in self.layers:
            x = x + self.attend(layer, layer["norm1"](x))
            y = layer["up"](layer["norm2"](x))
            y = 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * torch.pow(y, 3))))
            x = x + layer["down"](y)
        return torch.matmul(self.norm(x), self.words.weight.t())


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(WORDS, CHANNELS), nn.Embedding(POSITIONS, CHANNELS)
        self.types, self.norm = nn.Embedding(2, CHANNELS), nn.LayerNorm(CHANNELS, eps=1e-12)
        self.register_buffer("position_ids", torch.arange(POSITIONS).expand((1, -1)))
        self.layers = nn.ModuleList([self.layer() for _ in range(2)])
        self.pooler = linear(CHANNELS, CHANNELS, True)

    def layer(self):
        parts = {name: linear(CHANNELS, CHANNELS, True) for name in ("query", "key", "value", "out")}
        parts.update(up=linear(CHANNELS, 4 * CHANNELS, True), down=linear(4 * CHANNELS, CHANNELS, True))
        parts.update({name: nn.LayerNorm(CHANNELS, eps=1e-12) for name in ("norm1", "norm2")})
        return nn.ModuleDict(parts)

    def forward(self, input_ids, attention_mask, token_type_ids):
        length = input_ids.shape[1]
        mask = attention_mask[:, None, None, :].to(torch.float32)
        mask = (1.0 - mask) * torch.finfo(torch.float32).min
        x = self.words(input_ids) + self.types(token_type_ids) + self.positions(self.position_ids[:, :length])
        x = self.norm(x)
        for layer in self.layers:
            query, key, value = (split_heads(layer[name](x)) for name in ("query", "key", "value"))
            scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(CHANNELS // HEADS) + mask
            context = join_heads(torch.matmul(functional.softmax(scores, dim=-1), value))
            x = layer["norm1"](layer["out"](context) + x)
            x = layer["norm2"](layer["down"](functional.gelu(layer["up"](x))) + x)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Llama(nn.Module):
    """With past and present, as Optimum's exports have them."""

    KV_HEADS = 2

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, CHANNELS)
        self.layers = nn.ModuleList([self.layer() for _ in range(2)])
        self.norms = weights(5)
        self.register_buffer("frequencies", 1.0 / (10000 ** (torch.arange(0, 8, 2).float() / 8)))
        self.head = linear(CHANNELS, WORDS)

    def layer(self):
        keys = self.KV_HEADS * CHANNELS // HEADS
        return nn.ModuleDict(
            {
                "query": linear(CHANNELS, CHANNELS),
                "key": linear(CHANNELS, keys),
                "value": linear(CHANNELS, keys),
                "out": linear(CHANNELS, CHANNELS),
                "gate": linear(CHANNELS, 64),
                "up": linear(CHANNELS, 64),
                "down": linear(64, CHANNELS),
            }
        )

    def angles(self, position_ids):
        frequencies = self.frequencies[None, :, None].float().expand(position_ids.shape[0], -1, 1)
        angles = (frequencies @ position_ids[:, None, :].float()).transpose(1, 2)
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos()[:, None], angles.sin()[:, None]

    def mask(self, attention_mask, batch, length, past):
        lowest, total = torch.finfo(torch.float32).min, past + length
        mask = torch.full((length, total), lowest)
        mask = mask * (torch.arange(total) > (torch.arange(length) + past).reshape(-1, 1))
        mask = mask[None, None].expand(batch, 1, -1, -1).clone()
        padding = mask + attention_mask[:, None, None, :].to(mask.dtype)
        return mask.masked_fill(padding == 0, lowest)

    def repeated(self, x):
        batch, heads, length, channels = x.shape
        x = x[:, :, None, :, :].expand(batch, heads, HEADS // heads, length, channels)
        return x.reshape(batch, HEADS, length, channels)

    def forward(self, input_ids, attention_mask, position_ids, past):
        batch, length = input_ids.shape
        cosines, sines = self.angles(position_ids)
        mask = self.mask(attention_mask, batch, length, past[0].shape[2])

        def rotated(x):
            low, high = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
            return x * cosines + torch.cat((-high, low), dim=-1) * sines

        x, present = self.words(input_ids), []
        for number, layer in enumerate(self.layers):
            y = root_mean_square(x, self.norms[2 * number])
            query = rotated(split_heads(layer["query"](y)))
            key = rotated(split_heads(layer["key"](y), self.KV_HEADS))
            value = split_heads(layer["value"](y), self.KV_HEADS)
            key = torch.cat([past[2 * number], key], dim=2)
            value = torch.cat([past[2 * number + 1], value], dim=2)
            present += [key, value]
            scores = torch.matmul(query, self.repeated(key).transpose(2, 3)) / math.sqrt(8) + mask
            shares = functional.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
            x = x + layer["out"](join_heads(torch.matmul(shares, self.repeated(value))))
            y = root_mean_square(x, self.norms[2 * number + 1])
            x = x + layer["down"](functional.silu(layer["gate"](y)) * layer["up"](y))
        return (self.head(root_mean_square(x, self.norms[4])), *present)


class T5(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.buckets = nn.Embedding(WORDS, CHANNELS), nn.Embedding(8, HEADS)
        self.query, self.key, self.value, self.out = (linear(CHANNELS, CHANNELS) for _ in range(4))
        self.up, self.down, self.norms = linear(CHANNELS, 64), linear(64, CHANNELS), weights(3)

    def bias(self, length):
        positions = torch.arange(length, dtype=torch.long)
        distance = positions[None, :] - positions[:, None]
        buckets = (distance > 0).to(torch.long) * 4
        distance = torch.abs(distance)
        large = 2 + (torch.log(distance.float() / 2) / math.log(16 / 2) * (4 - 2)).to(torch.long)
        large = torch.min(large, torch.full_like(large, 3))
        buckets = buckets + torch.where(distance < 2, distance, large)
        return self.buckets(buckets).permute([2, 0, 1]).unsqueeze(0)

    def forward(self, ids, mask):
        x = self.words(ids)
        dropped = (1.0 - mask[:, None, None, :].to(torch.float32)) * torch.finfo(torch.float32).min
        y = root_mean_square(x, self.norms[0])
        query, key, value = (split_heads(layer(y)) for layer in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(3, 2)) + (self.bias(ids.shape[1]) + dropped)
        shares = functional.softmax(scores.float(), dim=-1).type_as(scores)
        x = x + self.out(join_heads(torch.matmul(shares, value)))
        x = x + self.down(functional.relu(self.up(root_mean_square(x, self.norms[1]))))
        return root_mean_square(x, self.norms[2])


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.first = nn.Conv2d(3, CHANNELS, 8, 8), nn.Parameter(torch.randn(1, 1, CHANNELS))
        self.positions, self.encoder = nn.Parameter(torch.randn(1, 17, CHANNELS)), Encoder(True, "gelu")
        self.norm, self.head = nn.LayerNorm(CHANNELS), linear(CHANNELS, 10, True)

    def forward(self, x):
        y = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.first.expand(x.shape[0], -1, -1), y], dim=1) + self.positions
        return self.head(self.norm(self.encoder(y))[:, 0])


class WhisperEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(8, CHANNELS, 3, padding=1)
        self.second = nn.Conv1d(CHANNELS, CHANNELS, 3, stride=2, padding=1)
        self.positions, self.encoder = nn.Embedding(20, CHANNELS), Encoder(True, "gelu")

    def forward(self, x):
        y = functional.gelu(self.second(functional.gelu(self.first(x))))
        return self.encoder(y.permute(0, 2, 1) + self.positions.weight)


class Recurrent(nn.Module):
    """An encoder and a decoder of gated recurrent units, the latter with attention."""

    def __init__(self, layer):
        super().__init__()
        self.words, self.encoder = nn.Embedding(WORDS, 16), layer(16, 16, batch_first=True)
        self.decoder, self.head = layer(32, 16, batch_first=True), linear(16, WORDS, True)

    def forward(self, source, target):
        states, last = self.encoder(self.words(source))
        query = self.words(target)
        shares = torch.softmax(torch.bmm(query, states.transpose(1, 2)), -1)
        y, _ = self.decoder(torch.cat([query, torch.bmm(shares, states)], -1), last)
        return self.head(y)
