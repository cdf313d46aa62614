# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention to a call and to a cache."""
import math

from .formulas import dot
from .module import Tensor


class Attention:
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

    def layer(self, x):
        """Attention and what goes around it, as models have it."""
        attended = self.attention(self.norm(x) if self.random.random() < 0.8 else x)
        return self.binary(x, self.linear(attended, x.channels))
