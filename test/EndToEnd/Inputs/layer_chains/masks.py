# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks of attention, and whether they keep a key."""
MASKS = ("causal", "lengths", "total", "top_left", "bottom_right")


class Masks:
    def emit_mask(self, text):
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def leaf_mask(self, kind):
        """A mask's name, and keep(call, sequence, query, key, keys)."""
        if kind == "causal":
            name = self.emit_mask("heddle.mask.causal offset(%starts : tensor<?xi32>)")
            return name, lambda call, b, q, k, n: k <= q + call.starts[b]
        if kind == "lengths":
            name = self.emit_mask("heddle.mask.lengths %lengths : tensor<?xi32>")
            return name, lambda call, b, q, k, n: k < call.lengths[b]
        if kind == "total":
            total = self.emit_mask("arith.addi %starts, %lengths : tensor<?xi32>")
            name = self.emit_mask(f"heddle.mask.lengths {total} : tensor<?xi32>")
            return name, lambda call, b, q, k, n: k < call.starts[b] + call.lengths[b]
        name = self.emit_mask(f"heddle.mask.causal align({kind})")
        if kind == "top_left":
            return name, lambda call, b, q, k, n: k <= q
        return name, lambda call, b, q, k, n: k <= q + n - call.length

    def mask(self, depth):
        if depth == 0 or self.random.random() < 0.3:
            return self.leaf_mask(self.random.choice(MASKS))
        kind = self.random.choice(["and", "or", "not"])
        left, f = self.mask(depth - 1)
        if kind == "not":
            return self.emit_mask(f"heddle.mask.not {left}"), lambda *at: not f(*at)
        right, g = self.mask(depth - 1)
        name = self.emit_mask(f"heddle.mask.{kind} {left}, {right}")
        if kind == "and":
            return name, lambda *at: f(*at) and g(*at)
        return name, lambda *at: f(*at) or g(*at)
