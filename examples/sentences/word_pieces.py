# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT's tokenizer: words in lower case, cut into pieces of a vocabulary. "##" begins a piece inside of a word.

    "It is broken!"  ->  [CLS] it is br ##o ##ken ! [SEP]

Of Chinese and control characters it makes something else than Hugging Face's. Needs Python alone.
"""
import collections
import itertools
import json
import string
import unicodedata

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNKNOWN, BEGIN, END, _ = range(len(SPECIAL))


def is_punctuation(character):
    return character in string.punctuation or unicodedata.category(character)[0] == "P"


def words_of(text):
    """Words and punctuation marks of a text, in lower case and without accents."""
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if is_punctuation(c) else c for c in text).split()


def pieces_of(word, vocabulary):
    """The longest piece of the vocabulary that begins the word, then of its rest, and so on; None if there is none."""
    pieces, start = [], 0
    while start < len(word):
        names = (("##" if start else "") + word[start:end] for end in range(len(word), start, -1))
        piece = next((name for name in names if name in vocabulary), None)
        if piece is None:
            return None
        pieces.append(piece)
        start += len(piece.removeprefix("##"))
    return pieces


def encode(text, vocabulary, limit):
    """The ids of a text, at most `limit`, with those of [CLS] and [SEP]."""
    pieces = [pieces_of(word, vocabulary) or ["[UNK]"] for word in words_of(text)]
    return [BEGIN] + [vocabulary[piece] for piece in itertools.chain(*pieces)][:limit - 2] + [END]


def learn_vocabulary(texts, merges):
    """Pieces and their ids. `merges` times, the most frequent pair of neighbouring pieces becomes a piece. At the end,
    pieces that no word needs are left out, except for characters."""
    counts = collections.Counter(word for text in texts for word in words_of(text))
    alphabet = sorted(set(string.ascii_lowercase + string.digits).union(*counts))
    characters = alphabet + ["##" + c for c in alphabet if c.isalnum()]
    cut = {word: [word[0]] + ["##" + c for c in word[1:]] for word in counts}
    learned = set(characters)
    for _ in range(merges):
        pairs = collections.Counter()
        for word, pieces in cut.items():
            for pair in zip(pieces, pieces[1:]):
                pairs[pair] += counts[word]
        if not pairs:
            break
        first, second = best = max(pairs, key=lambda pair: (pairs[pair], pair))
        learned.add(first + second.removeprefix("##"))
        for word, pieces in cut.items():
            i = 0
            while i + 1 < len(pieces):
                if (pieces[i], pieces[i + 1]) == best:
                    pieces[i:i + 2] = [first + second.removeprefix("##")]
                i += 1
    needed = {piece for word in counts for piece in pieces_of(word, learned)} - set(characters)
    return {piece: i for i, piece in enumerate(SPECIAL + characters + sorted(needed))}


def tokenizer_json(vocabulary):
    """The contents of tokenizer.json."""
    special = [{"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                "special": True} for i, token in enumerate(SPECIAL)]
    begin, end = ({"SpecialToken": {"id": token, "type_id": 0}} for token in ("[CLS]", "[SEP]"))
    first, second = ({"Sequence": {"id": name, "type_id": i}} for i, name in enumerate("AB"))
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing", "single": [begin, first, end],
            "pair": [begin, first, end, second, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {token: {"id": token, "ids": [i], "tokens": [token]}
                               for token, i in (("[CLS]", BEGIN), ("[SEP]", END))}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocabulary}}


def tokenizer_config(limit):
    """The contents of tokenizer_config.json."""
    return {
        "added_tokens_decoder": {str(i): {"content": token, "lstrip": False, "normalized": False, "rstrip": False,
                                          "single_word": False, "special": True} for i, token in enumerate(SPECIAL)},
        "clean_up_tokenization_spaces": True, "cls_token": "[CLS]", "do_basic_tokenize": True, "do_lower_case": True,
        "mask_token": "[MASK]", "model_max_length": limit, "never_split": None, "pad_token": "[PAD]",
        "sep_token": "[SEP]", "strip_accents": None, "tokenize_chinese_chars": True,
        "tokenizer_class": "BertTokenizer", "unk_token": "[UNK]"}


def write_tokenizer(folder, vocabulary, limit):
    """tokenizer.json, vocab.txt and the two files beside them, as transformers writes them."""
    special_tokens = {name + "_token": token for name, token in zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL)}
    for name, contents in (("tokenizer.json", tokenizer_json(vocabulary)),
                           ("tokenizer_config.json", tokenizer_config(limit)),
                           ("special_tokens_map.json", special_tokens)):
        (folder / name).write_text(json.dumps(contents, indent=1) + "\n")
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary))
