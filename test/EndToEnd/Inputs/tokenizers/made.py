# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tokenizer.json files, with texts that their parts are about."""

from random import Random

from made_parts import bert_normalizer, post_processor, precompiled, unigram, wordpiece

PATTERNS = [
    r"\w+|[^\w\s]+", r"\w", r"\W+", r"\b", r"\B", r" ?\w+", r"[\w.]+", r"[^\w]", r"\d+", r"\D", r"\s+(?!\S)|\s+", r"\h+",
    r"\p{L}+", r"\p{^N}", r"[\p{Lu}\p{Lt}]+", r"[^\r\n\p{L}\p{N}]?\p{L}+", r"\p{Han}+", r"[\p{Greek}a-f]+", r"\p{Alnum}+",
    r"[[:alpha:]]+", r"[[:^punct:]]", r"[[:upper:][:digit:]]+", r"[^[:space:]]+", r"[[:print:]&&[^a-f]]+", r"\p{Punct}",
    r"(?i)\p{Lu}", r"(?i)[\p{Lu}]+", r"(?i)\p{Ll}+", r"(?i:[A-C])", r"(?i:a\p{Lu})", r"(?i)[^a-c]", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"(?i)ss", r"(?i)[ß]x?", r"(?i)k+", r"(?i)[[:lower:]]{2,3}", r"(?<!\w)a|b(?=\W)", r"\w{1,3}+", r"^.|.$", r"\p{Word}+x?",
]  # fmt: skip
# Of these, other patterns are made.
SETS = [
    r"\w", r"\W", r"\d", r"\s", r"\S", r"\h", r"\p{L}", r"\P{N}", r"\p{Lu}", r"\p{Ll}", r"\p{M}", r"\p{S}", r"\p{Han}", r"\p{Word}",
    r"\p{^Alpha}", "[:alpha:]", "[:^punct:]", "[:word:]", "[:lower:]", "a", "b", "x", "é", "A", "²", "ß", "s", "'", "1", "字", "a-c",
    "A-É", r"\n", r"\x{1F600}-\x{1F64F}", "[ab]", "[^a]", r"[^\p{L}]", "_",
]  # fmt: skip
ATOMS = [*(set for set in SETS if "-" not in set and ":" not in set), ".", " ", "ab", "ss", "'s", "\\."]
QUANTIFIERS = ["", "", "", "", "?", "*", "+", "+?", "*?", "++", "{2}", "{1,3}", "{1,2}+", "{2,}"]
NORMALIZERS = [
    None, None, {"type": "NFC"}, {"type": "NFD"}, {"type": "NFKC"}, {"type": "NFKD"}, {"type": "Lowercase"},
    {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    {"type": "Replace", "pattern": {"String": "b"}, "content": ""},
    {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
    {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
]  # fmt: skip
PLAIN_NORMALIZERS = [{"type": "StripAccents"}, {"type": "Nmt"}, {"type": "NFD"}, {"type": "NFKC"}, {"type": "Lowercase"}, {"type": "ByteLevel"}]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
# Of these, added tokens and texts are made.
PARTS = ["a", "b", "ab", "ba", "aba", "A", "Ab", "é", "e\u0301", "ﬁ", "²", "x", "[x]", "_", " ", "  ", "\n", " a", "a ", "a b", "<a>", "字",
         "\u200D", "'", "1", "\U00010D50", "▁"]  # fmt: skip
FLAGS = ["single_word", "lstrip", "rstrip", "normalized", "special"]


def byte_alphabet() -> dict[str, int]:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    characters = [chr(byte) for byte in printable] + [chr(256 + i) for i in range(len(others))]
    return {character: i for i, character in enumerate(characters)}


def byte_fallback() -> dict[str, int]:
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁ abcx_é'"]
    return {token: i for i, token in enumerate(tokens)}


def character_class(random: Random) -> str:
    operands = ["".join(random.choices(SETS, k=random.randint(1, 3))) for _ in range(random.choice([1, 1, 1, 2]))]
    return random.choice(["[", "[", "[^"]) + "&&".join(operands) + "]"


def term(random: Random, depth: int) -> str:
    kind = random.randrange(12)
    if kind < 5:
        return random.choice(ATOMS) + random.choice(QUANTIFIERS)
    if kind < 8:
        return character_class(random) + random.choice(QUANTIFIERS)
    if kind == 8:
        return random.choice([r"\b", r"\B", "^", "$", "(?<!" + random.choice(ATOMS) + ")", "(?<=" + character_class(random) + ")"])
    if depth == 0:
        return random.choice(ATOMS)
    begin = random.choice(["(", "(?:", "(?i:", "(?-i:", "(?=", "(?!", "(?>"])
    quantifiers = [""] if begin in ["(?=", "(?!"] else ["", "", "?", "+", "{1,2}"]
    return begin + pattern(random, depth - 1) + ")" + random.choice(quantifiers)


def pattern(random: Random, depth: int = 2) -> str:
    """A random expression that Oniguruma and Heddle both take."""
    branches = ["".join(term(random, depth) for _ in range(random.choice([1, 1, 2, 3]))) for _ in range(random.choice([1, 1, 2]))]
    return "|".join(branches)


def normalizer(random: Random) -> dict | None:
    kind = random.randrange(6)
    if kind == 0:
        return bert_normalizer(random)
    if kind == 1:
        return precompiled(random)
    if kind == 2:
        return {"type": "Sequence", "normalizers": [
            *random.sample(PLAIN_NORMALIZERS, random.randint(1, 2)), precompiled(random),
            {"type": "Strip", "strip_left": random.random() < 0.5, "strip_right": random.random() < 0.5}]}  # fmt: skip
    return random.choice(NORMALIZERS)


def pre_tokenizer(random: Random, first: bool) -> dict:
    kind = random.randrange(11)
    if kind == 8:
        return {"type": random.choice(["BertPreTokenizer", "Whitespace", "WhitespaceSplit"])}
    if kind == 9:
        return {"type": "Punctuation", "behavior": random.choice(BEHAVIORS)}
    if kind == 10:
        return {"type": "CharDelimiterSplit", "delimiter": random.choice([" ", "a", "字"])}
    if kind == 0:
        return {"type": "Digits", "individual_digits": random.random() < 0.5}
    if kind == 1:
        return {"type": "Metaspace", "replacement": "▁", "split": random.random() < 0.5,
                "prepend_scheme": random.choice(["always", "never", "first"] if first else ["always", "never"])}  # fmt: skip
    if kind == 2:
        cut = {"String": random.choice(PARTS)}
    elif kind < 5:
        cut = {"Regex": random.choice(PATTERNS)}
    else:
        cut = {"Regex": random.choice(["", "", "(?i)"]) + pattern(random)}
    return {"type": "Split", "pattern": cut, "behavior": random.choice(BEHAVIORS),
            "invert": random.random() < 0.3}  # fmt: skip


def added_tokens(random: Random, vocabulary: dict[str, int]) -> list[dict]:
    contents = {"".join(random.choices(PARTS, k=random.choice([1, 1, 2, 3]))) for _ in range(random.randrange(7))}
    tokens, next_id = [], len(vocabulary)
    for content in sorted(contents, key=lambda content: random.random()):
        known = vocabulary.get(content)
        token = {"id": next_id if known is None else known, "content": content}
        next_id += known is None
        tokens.append(token | {flag: random.random() < 0.4 for flag in FLAGS})
    return tokens


def finished(random: Random, model: dict, cuts: list[dict], decoder: dict | None) -> dict:
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        vocabulary = {token: i for i, (token, _) in enumerate(vocabulary)}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens(random, vocabulary),
            "normalizer": normalizer(random), "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts},
            "post_processor": post_processor(random, list(vocabulary)), "decoder": decoder, "model": model}  # fmt: skip


def random_encoder(random: Random) -> dict:
    """A tokenizer as those of BERT, T5 and CLIP."""
    kind = random.randrange(3)
    cuts = [pre_tokenizer(random, i == 0) for i in range(random.randrange(3))]
    if kind == 0:
        model = wordpiece(random)
        decoder = {"type": "WordPiece", "prefix": model["continuing_subword_prefix"], "cleanup": random.random() < 0.5}
        return finished(random, model, cuts, decoder)
    if kind == 1:
        return finished(random, unigram(random), cuts, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": random.choice(["always", "never"])})
    suffix = random.choice(["</w>", "</w>", "b"])
    prefix = random.choice(["", "", "##"])
    letters = "a", "b", "x", "é", "1", "."
    vocabulary = ["<unk>", "<s>", "</s>", *letters, *(letter + suffix for letter in letters)]
    vocabulary += [prefix + token for token in vocabulary[3:]]
    merges = []
    for left, right in [("a", "b"), ("a", "b" + suffix), ("ab", "a"), ("ab", "a" + suffix)]:
        merges.append([left, prefix + right])
        vocabulary.append(left + right)
    model = {"type": "BPE", "dropout": None, "unk_token": random.choice(["<unk>", None]), "continuing_subword_prefix": prefix or None,
             "end_of_word_suffix": suffix, "fuse_unk": random.random() < 0.5, "byte_fallback": False, "ignore_merges": random.random() < 0.2,
             "vocab": {token: i for i, token in enumerate(dict.fromkeys(vocabulary))}, "merges": merges}  # fmt: skip
    return finished(random, model, cuts, {"type": "BPEDecoder", "suffix": suffix})


def random_decoder(random: Random) -> dict:
    """A tokenizer as those of GPT-2 and Llama 2."""
    bytes_of_text = random.random() < 0.6
    vocabulary = byte_alphabet() if bytes_of_text else byte_fallback()
    merges = []
    for left, right in [("a", "b"), ("Ã", "©"), ("Ġ", "a"), ("▁", "a"), ("ab", "a")]:
        if left in vocabulary and right in vocabulary:
            vocabulary.setdefault(left + right, len(vocabulary))
            merges.append([left, right])
    cuts = [pre_tokenizer(random, i == 0) for i in range(random.randrange(3))]
    if bytes_of_text:
        decoder = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
        cuts.append(decoder | {"add_prefix_space": random.random() < 0.3, "use_regex": random.random() < 0.3})
    else:
        decoder = {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}  # fmt: skip
    model = {"type": "BPE", "dropout": None, "unk_token": None if bytes_of_text else "<unk>",
             "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": random.random() < 0.5,
             "byte_fallback": not bytes_of_text, "ignore_merges": random.random() < 0.3,
             "vocab": vocabulary, "merges": merges}  # fmt: skip
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens(random, vocabulary),
            "normalizer": random.choice(NORMALIZERS), "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts},
            "post_processor": None, "decoder": decoder, "model": model}  # fmt: skip


def random_tokenizer(random: Random) -> dict:
    return random_encoder(random) if random.random() < 0.5 else random_decoder(random)


def made_text(random: Random, tokens: list[str]) -> str:
    parts = PARTS + tokens
    return "".join(random.choice(parts) for _ in range(random.choice([1, 2, 3, 5, 8])))
