# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training and checkpoints, as three examples share them: the loop of AdamW, files of safetensors, and the command line.

Needs Debian's python3-torch and python3-numpy.
"""
import argparse
import json
import math
import struct
import time

import torch
from torch import nn

TYPES = {"F32": torch.float32, "BF16": torch.bfloat16}


def fit(model, loss_of, batches, steps, peak_rate, warmup=200):
    """Trains for so many steps of AdamW. The rate rises to its peak and falls along a cosine.

    `loss_of` gives the loss of one of the `batches`."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak_rate, betas=(0.9, 0.98), weight_decay=0.05)
    start = time.time()
    for step in range(steps):
        rate = peak_rate * min((step + 1) / warmup, 0.5 + 0.5 * math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(next(batches))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 100 == 0:
            print(f"step {step + 1}: loss {loss.item():.5f}, {time.time() - start:.0f} s", flush=True)


def write_safetensors(path, tensors):
    """The safetensors format: a 64-bit length, that many bytes of JSON padded with spaces to 8, then the data."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in sorted(tensors.items()):
        bits = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
        begin, data = len(data), data + bits.numpy().tobytes()
        kind = next(kind for kind, dtype in TYPES.items() if dtype == tensor.dtype)
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """The tensors of a safetensors file, by name, all of them as f32."""
    contents = bytearray(path.read_bytes())
    start = 8 + struct.unpack("<Q", contents[:8])[0]
    header = json.loads(contents[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = TYPES[entry["dtype"]]
        tensor = torch.frombuffer(contents, dtype=dtype, offset=start + begin,
                                  count=(end - begin) // torch.finfo(dtype).bits * 8)
        tensors[name] = tensor.view(entry["shape"]).float()
    return tensors


def run(description, train, evaluate, ask, export=None, **question):
    """Does what the command line wants: `train` and `evaluate`, or one of the latter, or `ask` what is given, or
    `export` to a file.

    `question` describes the argument of --ask as argparse does."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluate", action="store_true", help="only print the accuracy of model/")
    parser.add_argument("--ask", **question)
    if export:
        parser.add_argument("--onnx", metavar="FILE", help="only write model/ as an ONNX file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.ask is not None:
        ask(options.ask)
        return
    if export and options.onnx:
        export(options.onnx)
        return
    if not options.evaluate:
        train()
    evaluate()
