# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of attention's operands, as text and for arrays of any."""
import math


class Layout:
    """The order of dimensions, each a batch, head, length or channel."""

    def __init__(self, order):
        self.order = order
        self.batches = [axis for axis, dim in enumerate(order) if dim == "batch"]
        self.has_heads = "head" in order

    def dims(self, batches, heads, length, channels):
        """What each dimension has."""
        rest = iter(batches)
        sizes = {"head": heads, "length": length, "channel": channels}
        if not self.has_heads:
            sizes["channel"] *= heads
        return tuple(next(rest) if dim == "batch" else sizes[dim] for dim in self.order)

    def axes(self):
        names = ("head", "length", "channel") if self.has_heads else ("length", "channel")
        return self.batches + [self.order.index(name) for name in names]

    def to_heads(self, array, heads):
        """[batch, heads, length, channels], with all sequences in one dimension."""
        array = array.transpose(self.axes())
        count = len(self.batches)
        array = array.reshape(math.prod(array.shape[:count]), *array.shape[count:])
        if self.has_heads:
            return array
        batch, length, channels = array.shape
        return array.reshape(batch, length, heads, channels // heads).transpose(0, 2, 1, 3)

    def from_heads(self, array, batches):
        batch, heads, length, channels = array.shape
        if not self.has_heads:
            array = array.transpose(0, 2, 1, 3).reshape(batch, length, heads * channels)
        array = array.reshape(*batches, *array.shape[1:])
        order = self.axes()
        return array.transpose([order.index(axis) for axis in range(len(order))])

    def text(self):
        return ", ".join(self.order)


PLAIN = Layout(["batch", "length", "channel"])
OUTSIDE = Layout(["batch", "head", "length", "channel"])


def draw_layouts(random):
    """The text of the layouts, that of each operand and of the output, and the sizes of the
    dimensions that count sequences: numbers, or names of sizes."""
    if random.random() < 0.6:
        operands = [random.choice((PLAIN, OUTSIDE)) for _ in range(3)]
        text, batches, output = "", ["batch"], operands[0]
    else:
        batches = random.choice(([], ["batch"], ["batch"], [2, "many"], ["many", 3]))
        order = ["batch"] * len(batches) + ["length", "channel"]
        if random.random() < 0.7:
            order.insert(random.choice((len(batches), -1)), "head")
        if random.random() < 0.3:
            random.shuffle(order)
        operands = [Layout(order)] * 3
        text, output = f" layout({operands[0].text()})", operands[0]
    if random.random() < 0.3:
        order = ["batch"] * len(batches) + ["length", "channel"]
        if random.random() < 0.7:
            order.append("head")
        random.shuffle(order)
        output = Layout(order)
        text += f" output_layout({output.text()})"
    return text, operands, output, batches
