# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs exports of PyTorch, and compares with what ONNX Runtime gave: exports.py FOLDER"""

import json
import sys

import heddle
import numpy

folder = sys.argv[1]
expected = json.load(open(folder + "/expected.json"))


def open_model(name):
    return heddle.load(f"./{name}.so")


def compare(name, **inputs):
    result = open_model(name).run(**inputs)
    mean = result.reshape(-1, result.shape[-1]).mean(0)[:7]
    wanted = numpy.array(expected[name + ".onnx"]["mean_over_tokens_first_7"])
    error = abs(mean - wanted).max()
    print(f"{name}: {'right' if error < 1e-5 else f'off by {error}'}")


ids = numpy.array([[1, 2, 3, 4, 5]])
compare("dummy_transformer", input_ids=ids, attention_mask=numpy.ones_like(ids), token_type_ids=numpy.zeros_like(ids))
compare("dummy_transformer_without_type_ids", input_ids=ids, attention_mask=numpy.ones_like(ids))


def pieces(path):
    """The pieces of a SentencePiece model: field 1 of its messages, whose field 1 is text."""

    def fields(data):
        place = 0

        def varint():
            nonlocal place
            number = shift = 0
            while True:
                byte = data[place]
                place += 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return number

        while place < len(data):
            tag = varint()
            size = {0: None, 1: 8, 5: 4}.get(tag & 7, -1)
            if size is None:
                yield tag >> 3, varint()
                continue
            size = varint() if size < 0 else size
            yield tag >> 3, data[place : place + size]
            place += size

    for number, piece in fields(open(path, "rb").read()):
        if number == 1:
            yield next(text for field, text in fields(piece) if field == 1).decode()


# Greedy, of one sequence, from the id 0 on; 1 would end it and is never chosen.
case = expected["encoder_decoder"]
source = numpy.array(case["source_ids"])
hidden = open_model("random_encoder").run(input_ids=source, attention_mask=numpy.ones_like(source))
decoder, mask = open_model("random_decoder"), numpy.ones(source.shape, "f4")
answer = [0]
vocabulary = list(pieces(folder + "/en.wiki.bpe.vs10000.model"))
wanted = case["result"].split()
while len(answer) < len(wanted):
    logits = decoder.run(input_ids=numpy.array([answer]), encoder_attention_mask=mask, encoder_hidden_states=hidden)
    scores = logits[0, -1]
    scores[1] = -numpy.inf
    answer.append(int(scores.argmax()))
text = "".join(vocabulary[each] for each in answer).replace("\u2581", " ").strip()
print("encoder and decoder:", "right" if text == case["result"] else f"found '{text}', expected '{case['result']}'")
