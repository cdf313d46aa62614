# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Llama in plain PyTorch, with a cache: what a program without other libraries would run."""

import torch
import torch.nn.functional as F


def rms_norm(x, weight):
    if hasattr(F, "rms_norm"):  # from 2.4 on
        return F.rms_norm(x, weight.shape, weight, 1e-5)
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight


class Llama:
    def __init__(self, config: dict, capacity: int, dtype: torch.dtype, device: str):
        hidden, inner = config["hidden_size"], config["intermediate_size"]
        width = self.width = config["head_dim"]
        queries = config["num_attention_heads"] * width
        keys = config["num_key_value_heads"] * width
        self.group = queries // keys

        def matrix(rows, columns):
            return torch.randn(rows, columns, dtype=dtype, device=device) * columns**-0.5
        shapes = {"q": (queries, hidden), "k": (keys, hidden), "v": (keys, hidden),
                  "o": (hidden, queries), "gate": (inner, hidden), "up": (inner, hidden),
                  "down": (hidden, inner)}
        self.layers = [{name: matrix(*shape) for name, shape in shapes.items()}
                       for _ in range(config["num_hidden_layers"])]
        self.embedding = matrix(config["vocab_size"], hidden)
        self.norm = torch.ones(hidden, dtype=dtype, device=device)
        self.cache = [torch.zeros(2, 1, keys // width, capacity, width, dtype=dtype,
                                  device=device) for _ in self.layers]
        turns = config["rope_theta"] ** -(torch.arange(width // 2, device=device) * 2 / width)
        angles = torch.outer(torch.arange(capacity, device=device), turns).repeat(1, 2)
        self.cosines, self.sines = angles.cos().to(dtype), angles.sin().to(dtype)

    def __call__(self, ids: torch.Tensor, start: int) -> torch.Tensor:
        """The logits of what follows `ids` [1, length], which are behind `start` others."""
        end = start + ids.shape[1]
        x = F.embedding(ids, self.embedding)
        for layer, (keys, values) in zip(self.layers, self.cache):
            normed = rms_norm(x, self.norm)
            q, k, v = (self.split(F.linear(normed, layer[name])) for name in "qkv")
            keys[:, :, start:end] = self.rotate(k, start, end)
            values[:, :, start:end] = v
            y = self.attend(self.rotate(q, start, end), keys[:, :, :end], values[:, :, :end])
            x = x + F.linear(y.transpose(1, 2).flatten(2), layer["o"])
            normed = rms_norm(x, self.norm)
            inner = F.silu(F.linear(normed, layer["gate"])) * F.linear(normed, layer["up"])
            x = x + F.linear(inner, layer["down"])
        return F.linear(rms_norm(x[:, -1], self.norm), self.embedding)

    def split(self, x):
        return x.unflatten(2, (-1, self.width)).transpose(1, 2)

    def rotate(self, x, start, end):
        half = self.width // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * self.cosines[start:end] + turned * self.sines[start:end]

    def attend(self, q, k, v):
        """Queries that share a head of keys: one query of each is a matrix of theirs."""
        if q.shape[2] == 1:
            shared = q.unflatten(1, (-1, self.group)).flatten(2, 3)
            return F.scaled_dot_product_attention(shared, k, v).reshape(q.shape)
        k, v = (x.repeat_interleave(self.group, 1) for x in (k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
