#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles broken copies of a model: bad_checkpoints.py MODEL_FOLDER WORK_FOLDER

Prints for each what heddlec says, its exit status and which files it left behind.
"""

import json
import pathlib
import struct
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
work = pathlib.Path(sys.argv[2])
config = json.loads((source / "config.json").read_text(encoding="utf-8"))
weights = (source / "model.safetensors").read_bytes()
header_size = struct.unpack("<Q", weights[:8])[0]
header = json.loads(weights[8 : 8 + header_size])
data = weights[8 + header_size :]

DOWN = "model.layers.1.mlp.down_proj.weight"
UP = "model.layers.1.mlp.up_proj.weight"


def compiled(name, folder=None, output=None):
    """Compiles and prints the outcome; names of folders are left out."""
    out = work / (name + ".out")
    out.mkdir()
    result = subprocess.run(
        ["heddlec", "--quiet", str(folder or work / name), "-o", str(output or out / "dates.o")],
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"== {name}")
    print((result.stdout + result.stderr).replace(str(work) + "/", "").rstrip())
    print(f"status {result.returncode}")
    print("left:", *(sorted(path.name for path in out.iterdir()) or ["nothing"]))


def case(name, config_text=None, tensors=None, raw=None):
    """A model with one file other than it should be."""
    folder = work / name
    folder.mkdir()
    (folder / "config.json").write_text(config_text or json.dumps(config))
    if raw is None:
        text = json.dumps(tensors or header).encode()
        raw = struct.pack("<Q", len(text)) + text + data
    (folder / "model.safetensors").write_bytes(raw)
    compiled(name)


def changed(original, **fields):
    """A copy with some fields replaced; None removes one."""
    copy = {**original, **fields}
    return {key: value for key, value in copy.items() if value is not None}


def changed_tensor(name, **fields):
    return {**header, name: {**header[name], **fields}}


# ---- The folder and config.json.

case("unharmed")
compiled("missing folder")
(work / "no config").mkdir()
compiled("no config")
(work / "folder for a file" / "config.json").mkdir(parents=True)
compiled("folder for a file")
case("half a config", json.dumps(config)[:60])
case("unknown architecture", json.dumps(changed(config, model_type="perceptron")))
case("unknown field", json.dumps(changed(config, hidden_sizes=3)))
case("missing field", json.dumps(changed(config, hidden_size=None)))
case("wrong kind of field", json.dumps(changed(config, hidden_size="64")))
case("impossible field", json.dumps(changed(config, num_key_value_heads=3)))
case("two billion layers", json.dumps(changed(config, num_hidden_layers=2**31 - 1)))

# ---- Tensors.

(work / "no weights").mkdir()
(work / "no weights" / "config.json").write_text(json.dumps(config))
compiled("no weights")
begin, end = header[UP]["data_offsets"]
case("missing tensor", tensors={(k if k != UP else "spare"): v for k, v in header.items()})
extra = {"dtype": "F32", "shape": [1], "data_offsets": [len(data), len(data) + 4]}
text = json.dumps({**header, "bonus": extra}).encode()
case("extra tensor", raw=struct.pack("<Q", len(text)) + text + data + bytes(4))
case("other shape", tensors=changed_tensor(DOWN, shape=header[DOWN]["shape"][::-1]))
case("other type", tensors=changed_tensor(DOWN, dtype="I32"))

# ---- A file that lies about itself.

case("short file", raw=weights[:4])
case("long header", raw=struct.pack("<Q", 1 << 40) + weights[8:])
case("header to the end", raw=struct.pack("<Q", len(weights)) + weights[8:])
case("no header", raw=struct.pack("<Q", 8) + b"\0" * 16)
case("size and shape", tensors=changed_tensor(UP, data_offsets=[begin, end - 4]))
case("overlap", tensors=changed_tensor(UP, data_offsets=header[DOWN]["data_offsets"]))
case("outside", tensors=changed_tensor(
    UP, data_offsets=[len(data), len(data) + end - begin]))
case("cut off", raw=weights[:-1])

# ---- The output.

compiled("no output folder", source, work / "missing" / "dates.o")
