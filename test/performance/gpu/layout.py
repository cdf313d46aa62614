# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where weights lie in the packed file: in the order of `heddlec --emit=kernels`, each at a
multiple of 64 bytes (compiler/Host/WeightPlan.cpp)."""

import re

ALIGNMENT = 64
SIZES = {"f32": 4, "bf16": 2, "f16": 2}
CONSTANT = re.compile(
    r"= heddle\.(?:weight_ref @(?P<name>\"[^\"]*\"|[\w.$-]+)|(?P<table>rotary_table[^:]*))"
    r"(?P<how>[^:]*): tensor<(?P<type>[0-9x]+x\w+)>")
PANELS = re.compile(r"layout\(<panels of (\d+) along 0>\)")


def packed_weights(kernels: str) -> list[dict]:
    """One for each packed tensor; a table of angles has no name."""
    found, known, offset = [], set(), 0
    for line in kernels.splitlines():
        if not re.search(r"= heddle\.(weight_ref|\w*table) ", line):
            continue
        match = CONSTANT.search(line)
        how = match["how"].strip() if match else ""
        panels = PANELS.fullmatch(how)
        if not match or (how and not panels):
            raise ValueError(f"expected dense weights or panels along 0, found: {line.strip()}")
        key = (match["name"] or match["table"], how, match["type"])
        if key in known:
            continue
        known.add(key)
        *shape, type = match["type"].split("x")
        shape = [int(size) for size in shape]
        panel = int(panels[1]) if panels else 0
        stored = list(shape)
        if panel:
            stored[0] = -(-stored[0] // panel) * panel
        size = SIZES[type]
        for extent in stored:
            size *= extent
        if match["name"]:
            found.append({"name": match["name"].strip('"'), "type": type, "shape": shape,
                          "panel": panel, "offset": offset})
        offset += -(-size // ALIGNMENT) * ALIGNMENT
    found.append({"name": "", "end": offset})
    return found
