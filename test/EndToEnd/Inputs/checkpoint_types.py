# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A checkpoint with a tensor of each element type that safetensors has, and a model that gives
them: whether they are the same bits.

    checkpoint_types.py write | compare
"""
import json
import pathlib
import struct
import subprocess
import sys

import numpy

# How safetensors and NumPy call a type, where NumPy has it, and otherwise one of as many bits.
TYPES = {
    "ui8": ("U8", "u1"), "ui16": ("U16", "<u2"), "ui32": ("U32", "<u4"), "ui64": ("U64", "<u8"),
    "i8": ("I8", "i1"), "i16": ("I16", "<i2"), "i32": ("I32", "<i4"), "i64": ("I64", "<i8"),
    "f64": ("F64", "<f8"), "f32": ("F32", "<f4"), "f16": ("F16", "<f2"), "bf16": ("BF16", "<u2"),
    "f8E4M3FN": ("F8_E4M3", "u1"), "f8E5M2": ("F8_E5M2", "u1"), "i1": ("BOOL", "?"),
}  # fmt: skip
SHAPE = (6, 5)
FUNCTION = """
heddle.weight @w_{0} from "{0}" : tensor<6x5x{0}>
func.func @of_{0}() -> (tensor<6x5x{0}> {{heddle.name = "y"}}) {{
  %w = heddle.weight_ref @w_{0} : tensor<6x5x{0}>
  return %w : tensor<6x5x{0}>
}}
"""


def write():
    random = numpy.random.default_rng()
    header, data = {}, b""
    for name, (dtype, numpy_type) in TYPES.items():
        width = numpy.dtype(numpy_type).itemsize
        bits = random.bytes(width * SHAPE[0] * SHAPE[1])
        if numpy_type == "?":
            bits = bytes(b & 1 for b in bits)
        header[name] = {"dtype": dtype, "shape": SHAPE,
                        "data_offsets": [len(data), len(data) + len(bits)]}  # fmt: skip
        data += bits
        pathlib.Path(name + ".bits").write_bytes(bits)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path("types.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    pathlib.Path("types.mlir").write_text("".join(map(FUNCTION.format, TYPES)), encoding="utf-8")


def compare():
    for name in TYPES:
        subprocess.run(["heddle-run", "run", "types.so", f"--entry=of_{name}", "--output=y=y.npy"],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        is_same = numpy.load("y.npy").tobytes() == pathlib.Path(name + ".bits").read_bytes()
        print(f"{name}:", "the same bits" if is_same else "other bits")


{"write": write, "compare": compare}[sys.argv[1]]()
