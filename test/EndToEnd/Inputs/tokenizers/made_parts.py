# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random parts of the tokenizer.json files of encoders: WordPiece, Unigram, replacements and what is around texts."""

import base64
import struct
from random import Random

PIECES = ["a", "b", "ab", "ba", "aba", "abab", "x", "é", "e", "\u0301", "1", "12", "_", ".", ",", "!", "'", "字", "▁", "▁a", "▁ab", "▁字", "fi",
          "s", "ss", "A", "Ab", "[", "]", "x]", "[x]", "²", "😀", "  ", " "]  # fmt: skip
# What replacements take and give; some begin with others, and some are parts of a grapheme.
REPLACED = ["a", "ab", "aba", "b", "é", "e\u0301", "\u0301", "ﬁ", "²", "\r\n", "\r", "\n", "A", "ＡＢ", "Ａ", "字", "\U00010D50", "x\u0301", "👍🏽", "👍"]
REPLACEMENTS = ["", "b", "ab", " ", "é", "fi", "2", "字字", "▁"]


def double_array(values: dict[bytes, int]) -> list[int]:
    """The units of Darts-clone that find `values` by their keys, none of them empty."""
    tree: dict = {}
    for key, value in values.items():
        node = tree
        for byte in key:
            node = node.setdefault(byte, {})
        node[-1] = value
    units, used = [0] * 256, {0}

    def place(node: dict, at: int) -> None:
        labels = [max(label, 0) for label in node]
        offset = next(offset for offset in range(1, 1 << 20) if all((at ^ offset ^ label) not in used for label in labels))
        used.update(at ^ offset ^ label for label in labels)
        units.extend([0] * ((max(used) | 255) + 1 - len(units)))
        units[at] |= offset << 10 | (-1 in node) << 8
        for label, child in node.items():
            below = at ^ offset ^ max(label, 0)
            if label < 0:
                units[below] = child | 1 << 31
            else:
                units[below] = label
                place(child, below)

    place(tree, 0)
    return units


def precompiled(random: Random) -> dict:
    texts, values = b"", {}
    for key in random.sample(REPLACED, random.randint(1, len(REPLACED))):
        values[key.encode()] = len(texts)
        texts += random.choice(REPLACEMENTS).encode() + b"\0"
    units = double_array(values)
    data = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}


def bert_normalizer(random: Random) -> dict:
    flags = {name: random.random() < 0.6 for name in ["clean_text", "handle_chinese_chars", "lowercase"]}
    return {"type": "BertNormalizer", "strip_accents": random.choice([None, True, False])} | flags


def wordpiece(random: Random) -> dict:
    prefix = random.choice(["##", "##", "##", "", "▁", "a"])
    tokens = ["[UNK]", "[CLS]", "[SEP]"] + random.sample(PIECES, 24) + [prefix + piece for piece in random.sample(PIECES, 24)]
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": random.choice([100, 100, 3, 8]),
            "vocab": {token: i for i, token in enumerate(dict.fromkeys(tokens))}}  # fmt: skip


def unigram(random: Random) -> dict:
    fallback = random.random() < 0.4
    tokens = ["<unk>", "<s>", "</s>"] + random.sample(PIECES, random.randint(5, len(PIECES)))
    if fallback:
        tokens += [f"<0x{byte:02X}>" for byte in range(256) if random.random() < 0.97]
    # Few scores, so that paths are as good as others.
    vocab = [[token, random.choice([-1.0, -2.0, -3.0, -3.5, 0.0, -20.0])] for token in tokens]
    return {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": fallback}


def post_processor(random: Random, vocabulary: list[str]) -> dict | None:
    """With the second and the third token around texts."""
    start, end = vocabulary[1:3]
    kind = random.randrange(4)
    if kind == 0:
        return None
    if kind == 1:
        return {"type": "BertProcessing", "sep": [end, 2], "cls": [start, 1]}
    if kind == 2:
        return {"type": "RobertaProcessing", "sep": [end, 2], "cls": [start, 1],
                "trim_offsets": random.random() < 0.5, "add_prefix_space": random.random() < 0.5}  # fmt: skip

    def part(kind: str, name: str) -> dict:
        return {kind: {"id": name, "type_id": random.choice([0, 0, 1, 2])}}

    single = [part("Sequence", "A")] + [part("SpecialToken", random.choice([start, end])) for _ in range(random.randrange(3))]
    pair = [part("Sequence", "A"), part("Sequence", "B")] + [part("SpecialToken", random.choice([start, end])) for _ in range(random.randrange(5))]
    random.shuffle(single)
    random.shuffle(pair)
    tokens = {start: {"id": start, "ids": [1], "tokens": [start]}, end: {"id": end, "ids": [2, 1], "tokens": [end, start]}}
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens}
