#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes FOLDER/model.safetensors of the model in gpt-nano-sort-model.json.

usage: weights.py gpt-nano-sort-model.json FOLDER
"""
import base64
import json
import pathlib
import struct
import sys

source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
header, data = {}, b""
for name, tensor in json.loads(pathlib.Path(source).read_text()).items():
    if name == "config":
        continue
    elements = base64.b64decode(tensor["data"])
    header[name] = {
        "dtype": "F32", "shape": tensor["shape"],
        "data_offsets": [len(data), len(data) + len(elements)],
    }  # fmt: skip
    data += elements
text = json.dumps(header).encode()
folder.mkdir(parents=True, exist_ok=True)
(folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
