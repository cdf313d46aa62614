# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random texts that tokenizers may disagree about."""

from random import Random

SPACES = [" ", " ", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u00A0",
          "\u1680", "\u2003", "\u2028", "\u2029", "\u202F", "\u3000", "\u180E", "\u200B", "\uFEFF", " \n ", " " * 20]  # fmt: skip
WORDS = ["the", "The", "THE", "don't", "DON'T", "we'll", "I'M", "it's", "IT'S", "'\u017F", "you’re", "naïve",
         "Straße", "STRASSE", "ẞ", "café", "cafe\u0301", "x_1", "camelCase", "HTTPServer", "getURL2", "ﬁn", "ŉ",
         "İstanbul", "ısı", "Σίσυφος", "ΌΣΟΣ", "привет", "Ёж", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "你好", "漢字かな",
         "カタカナ", "한국어", "\u1112\u1161\u11AB", "ǆ", "ǅ", "Ǆ", "ꙮ", "ა", "Ა", "ꮳ", "Ꮳ"]  # fmt: skip
NUMBERS = ["0", "7", "12", "123", "1234", "3.14", "1,000", "1e9", "0x1F", "m²", "x³", "1½", "¼¾", "a¹b", "²", "⁴", "₂", "①",
           "Ⅷ", "ⅷ", "٣", "๓", "〇", "十", "𝟙", "²³", "ª", "º", "µ", "·"]  # fmt: skip
SIGNS = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + [
    "...", "->", "=>", "&&", "||", "//", "/*", "*/", "::", "!!", "—", "–", "“", "”", "’", "…", "«", "»", "¿", "、",
    "。", "！", "€", "£", "±", "×", "√", "∑", "°", "™", "\u00AD", "\u200D", "\u200C", "\u0000", "\u0007"]  # fmt: skip
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧", "🏳️‍🌈", "🇩🇪", "❤️", "☺", "1️⃣", "🫠", "🦙", "🫩"]
CODE = ["def f(x):\n    return x + 1\n", "int main(void) {\n\treturn 0;\n}\n", "<div class=\"a\">&nbsp;</div>",
        "SELECT * FROM t WHERE a = 'b';", "https://example.org/a?b=c&d=%20", "a@b.example", "{\"k\": [1, null]}",
        "$x^2_{i}$", "```py\nprint('hi')\n```", "#!/bin/sh\r\nset -e\r\n"]  # fmt: skip
TOKENS = ["<0x41>", "<0xE2>", "▁", "▁the", "Ġ", "ĠĠ", "Ċ", "<s>", "</s>", "<|im_start|>", "<|", "|>", "[INST]"]
MARKS = ["\u0301", "\u0323", "\u0308", "\u093C", "\u3099", "\u20E3", "\uFE0F", "\u1ACB", "\u1DF6", "\u07FD", "\u0345", "\u05BC", "\U0001E8D0"]
# Assigned after Unicode 12, 14, 15 and 16, at the ends of ranges.
NEW = ["\u32FF", "\uA7F2", "\U00010781", "\u1ACE", "\U0002EBF0", "\U0002EE5D", "\u1C89", "\u1C8A", "\U00010D50",
       "\U00010D70", "\U00010D40", "\uA7CB", "\U000113D0", "\U0001CCF0", "\u2FFC", "\U0001FAE9", "\U00016EA0",
       "\U00016EBB", "\U00011DE0", "\u0378", "\U0010FFFD"]  # fmt: skip
BLOCKS = [(0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x8FF),
          (0x900, 0x109F), (0x10A0, 0x1CFF), (0x1D00, 0x20CF), (0x20D0, 0x2FFF), (0x3000, 0x33FF), (0x4E00, 0x9FFF),
          (0xA000, 0xABFF), (0xAC00, 0xD7A3), (0xE000, 0xFFFD), (0x10000, 0x14FFF), (0x16000, 0x1BFFF),
          (0x1D000, 0x1FFFF), (0x20000, 0x323AF), (0xE0000, 0x10FFFF)]  # fmt: skip


def any_characters(random: Random) -> str:
    low, high = random.choice(BLOCKS)
    return "".join(chr(random.randint(low, high)) for _ in range(random.randint(1, 6)))


def fragment(random: Random, tokens: list[str]) -> str:
    """A piece of text; `tokens` are those of the tokenizer, of which it may be one."""
    kinds = [WORDS, WORDS, NUMBERS, SIGNS, SPACES, SPACES, SPACES, EMOJI, CODE, TOKENS, MARKS, NEW]
    kind = random.randrange(len(kinds) + 4)
    if kind < len(kinds):
        return random.choice(kinds[kind])
    if kind == len(kinds):
        return random.choice(random.choice([WORDS, SIGNS, SPACES, NUMBERS])) * random.randint(2, 9)
    if kind == len(kinds) + 1 or not tokens:
        return any_characters(random)
    token = random.choice(tokens)
    return token[: random.randint(0, len(token))] if random.random() < 0.1 else token


def random_text(random: Random, tokens: list[str]) -> str:
    return "".join(fragment(random, tokens) for _ in range(random.choice([1, 2, 3, 5, 8, 13])))
