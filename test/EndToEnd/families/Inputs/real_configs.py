# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles real config.json files, with two layers and weights of zeros, which take no room: each is
compiled, in less memory than 2 GB beside its files, or refused with a reason.

    real_configs.py FOLDER"""
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time

from shapes import shapes_of

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers")
# Architectures that are none of heddlec's.
UNKNOWN = ("OpenAIGPTLMHeadModel",)


def write(folder, config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    header, end = {}, 0
    for name, shape in shapes_of({"architectures": ["BertModel"], **config}).items():
        begin, end = end, end + 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(path, 8 + len(text) + end)


def compile_folder(folder):
    """What the compiler says, or nothing, and its own memory at most, in MB."""
    process = subprocess.Popen(["heddlec", "--quiet", folder, "-o", folder / "model.o"],
                               stderr=subprocess.PIPE, text=True)
    most = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            continue
        lines = [line.split() for line in status.splitlines()]
        most = max([most, *(int(line[1]) >> 10 for line in lines if line[0] == "RssAnon:")])
        time.sleep(0.02)
    return process.stderr.read().strip(), most


def main():
    failures = 0
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.json"))
    for file in files:
        config = json.loads(file.read_text())
        config.update((name, 2) for name in LAYERS if name in config)
        folder = pathlib.Path(file.stem)
        if config.get("architectures", [""])[0] in UNKNOWN:
            folder.mkdir()
            (folder / "config.json").write_text(json.dumps(config))
            message, memory = compile_folder(folder)
            is_right = "field 'architectures': expected one of the architectures" in message
        else:
            write(folder, config)
            message, memory = compile_folder(folder)
            is_right = not message and memory < 2000
        shutil.rmtree(folder)
        if not is_right:
            failures += 1
            print(f"{file.stem}: {memory} MB, {message or 'compiled'}")
    print(f"{len(files)} configs, {failures} failed")
    sys.exit(failures > 0)


main()
