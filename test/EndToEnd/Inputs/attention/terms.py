# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands for the product of a channel: as text, and as arrays of [batch, heads,
queries, keys, channels]."""
import numpy


class Term:
    """Draws a term for a function: of additive attention, or of a distance."""

    def __init__(self, function, random):
        batch = function.all_batches
        size = batch if batch.isdigit() else "?"
        depth = function.depth
        self.type = f"tensor<{size}x{function.heads}x?x?x{depth}x{function.wide}>"
        self.is_additive = random.random() < 0.6
        first = f"arith.{'addf' if self.is_additive else 'subf'} %q0, %k0 : {self.type}"
        self.weights = None
        if not self.is_additive:
            self.lines = [f"%t0 = {first}", f"%t1 = arith.mulf %t0, %t0 : {self.type}",
                          f"%t2 = arith.negf %t1 : {self.type}"]  # fmt: skip
            self.operands = ""
            return
        per_head = random.random() < 0.5
        dims = ("head", depth) if per_head else (depth,)
        self.weights, type_ = function.argument(
            dims, function.wide, lambda g, space: g.standard_normal(function.shape_of(dims, space))
        )
        self.operands = f"({self.weights} : {type_})"
        at = "d1, d4" if per_head else "d4"
        over = batch if batch.isdigit() else f'"{batch}"'
        self.lines = [
            f"%t0 = {first}",
            f"%t1 = math.tanh %t0 : {self.type}",
            f'%t2 = heddle.generic over [{over}, {function.heads}, "queries", "keys", {depth}]'
            f" ins(%t1, %w0 : {self.type}, {type_}) maps [affine_map<(d0, d1, d2, d3, d4)"
            f" -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> ({at})>] {{",
            f"^bb0(%x: {function.wide}, %y: {function.wide}):",
            f"%p = arith.mulf %x, %y : {function.wide}",
            f"heddle.yield %p : {function.wide}",
            f"}} : {self.type}",
        ]
        self.inside = f", %w0: {type_}"

    def text(self):
        lines = "\n".join("      " + line for line in self.lines)
        inside = self.inside if self.weights else ""
        return (
            f"term{self.operands} {{\n    ^bb0(%q0: {self.type}, %k0: {self.type}{inside}):\n"
            f"{lines}\n      heddle.yield %t2 : {self.type}\n    }}"
        )

    def apply(self, q, k, arrays):
        """The sums over the channels, and how far they may be off in units of the rounding."""
        count = q.shape[-1] + 8
        pairs = numpy.empty((*q.shape[:3], k.shape[2]))
        errors = numpy.empty_like(pairs)
        for i in range(q.shape[2]):
            one, other = q[:, :, i, None, :], k
            if self.is_additive:
                w = arrays[self.weights]
                w = w[None, :, None, :] if w.ndim == 2 else w
                terms = w * numpy.tanh(one + other)
                moved = numpy.abs(w) * (numpy.abs(one) + numpy.abs(other) + 8)
            else:
                terms = -((one - other) ** 2)
                moved = 4 * (numpy.abs(one) + numpy.abs(other)) ** 2
            pairs[:, :, i] = terms.sum(axis=-1)
            errors[:, :, i] = count * numpy.abs(terms).sum(axis=-1) + moved.sum(axis=-1)
        return pairs, errors
