# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives heddlec files that are no models of its own, under names that say nothing.

    foreign_files.py OBJECT LIBRARY WEIGHTS MODEL

OBJECT, LIBRARY and WEIGHTS are files of heddlec's, MODEL is a folder of Hugging Face's.
Prints what heddlec says of each, behind the kind of file.
"""

import gzip
import io
import json
import pathlib
import pickle
import subprocess
import sys
import tarfile
import zipfile


def zipped(*members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    return stream.getvalue()


def tar():
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("model_weights.ckpt"))
    return stream.getvalue()


code, library, weights, model = map(pathlib.Path, sys.argv[1:])
config = (model / "config.json").read_bytes()
PICKLE = pickle.dumps({"weight": [1.0]}, protocol=2)
FILES = {
    "onnx": b"\x08\x08\x12\x07pytorch\x1a\x052.0.1:\x80\x01" + bytes(100),
    "onnx without a producer": b"\x08\x09:\x80\x01" + bytes(100),
    "gguf": b"GGUF\3\0\0\0" + bytes(100),
    "safetensors": (model / "model.safetensors").read_bytes(),
    "pytorch": zipped(("archive/data.pkl", PICKLE), ("archive/version", "3")),
    "pytorch, old": b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19." + PICKLE,
    "pickle": PICKLE,
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "keras": zipped(("metadata.json", '{"keras_version": "3.0"}'), ("config.json", "{}")),
    "saved model": b"\x08\x01\x12\xb0\x0f" + bytes(100),
    "tflite": b"\x1c\0\0\0TFL3" + bytes(100),
    "flax": b"\x82\xa6params\x81\xa5dense\xc0",
    "npz": zipped(("weight.npy", "\x93NUMPY")),
    "npy": b"\x93NUMPY\1\0" + bytes(100),
    "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "object": code.read_bytes(),
    "library": library.read_bytes(),
    "weights": weights.read_bytes(),
    "mlir bytecode": b"ML\xefR\6MLIR22\0",
    "bitcode": b"BC\xc0\xde" + bytes(100),
    "config": config,
    "tokenizer": (model / "tokenizer.json").read_bytes(),
    "index": json.dumps({"metadata": {}, "weight_map": {"a": "b"}}).encode(),
    "json": b'\n{ "a": 1}',
    "sentencepiece": b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\2\n",
    "html": b"<!DOCTYPE html><html>",
    "xml": b'<?xml version="1.0"?><net name="m">',
    "zip": zipped(("readme.txt", "text")),
    "gzip": gzip.compress(b"module {}"),
    "tar": tar(),
    "binary": b"abc\0def",
}


def say(kind, *options):
    done = subprocess.run(
        ["heddlec", *options, "--emit=heddle", "--quiet"], capture_output=True, text=True
    )
    lines = (done.stdout + done.stderr).splitlines()
    assert done.returncode == 1 and len(lines) == 1, (kind, lines)
    print(f"{kind}: {lines[0].removeprefix('heddlec: error: ')}")


for kind, contents in FILES.items():
    pathlib.Path("file").write_bytes(contents)
    say(kind, "file")

# Nothing but its size keeps a text from being read.
with open("file", "wb") as file:
    file.write(FILES["gguf"])
    file.truncate(3 << 30)
say("large gguf", "file")

# Folders.
folder = pathlib.Path("folder")
folder.mkdir()
(folder / "README.md").write_text("text")
say("no model", folder)
(folder / "model.gguf").write_bytes(FILES["gguf"])
say("gguf in a folder", folder)
(folder / "model.gguf").unlink()
(folder / "config.json").write_bytes(config)
say("config alone", folder)
(folder / "pytorch_model.bin").write_bytes(FILES["pytorch"])
say("pytorch in a folder", folder)
(folder / "model.safetensors").write_bytes(FILES["lfs"])
say("lfs in a folder", folder)
