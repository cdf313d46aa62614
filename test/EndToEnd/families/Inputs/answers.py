# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers of random encoder-decoders, id by id and by a search, with each rule of
generation_config.json: heddle-run generate, programs and Python, against NumPy.

    answers.py COUNT   # rules of each family, some of them drawn; all of them where there are fewer
"""
import json
import pathlib
import random
import subprocess
import sys

import numpy as np

import heddle
from encoder_decoder_folders import config_of
from folders import Folder
from seq2seq import Seq2Seq
from tensors import Tensors

LIMIT = 9


class Answers:
    """What transformers' generate does, with its logits processors in their order."""

    def __init__(self, config, tensors, source, generation, start=None):
        self.model, self.generation = Seq2Seq(config, tensors), generation
        self.encoded = self.model.encode(source)
        self.start = start or [config["decoder_start_token_id"]]
        self.ends = [config["eos_token_id"]]
        self.longest = generation.get("max_length", len(self.start) + LIMIT)

    def logits(self, ids):
        return self.model.decode(self.encoded, ids)[-1]

    def process(self, ids, scores, log=False):
        scores, says = scores.copy(), self.generation.get
        penalty = says("repetition_penalty", 1)
        for i in set(ids):
            scores[i] = scores[i] / penalty if scores[i] > 0 else scores[i] * penalty
        if n := says("no_repeat_ngram_size", 0):
            for first in range(len(ids) - n + 1):
                if ids[first:first + n - 1] == ids[len(ids) - n + 1:]:
                    scores[ids[first + n - 1]] = -np.inf
        bad = [word for word, in says("bad_words_ids", []) if word not in self.ends]
        scores[bad] = -np.inf
        new = len(ids) - len(self.start)
        if len(ids) < says("min_length", 0) or new < says("min_new_tokens", 0):
            scores[self.ends] = -np.inf
        for position, forced in ((1, says("forced_bos_token_id")),
                                 (self.longest - 1, says("forced_eos_token_id"))):
            if len(ids) == position and forced is not None:
                scores[:] = -np.inf
                scores[forced] = 0
        scores[says("suppress_tokens", [])] = -np.inf
        shifts = says("forced_bos_token_id") is not None and len(self.start) == 1
        if len(ids) == len(self.start) + shifts:
            scores[says("begin_suppress_tokens", [])] = -np.inf
        if log and says("renormalize_logits", False):
            scores = scores - np.log(np.exp(scores).sum())
        return scores

    def greedy(self):
        ids = list(self.start)
        while len(ids) < self.longest:
            best = int(np.argmax(self.process(ids, self.logits(ids))))
            if best in self.ends:
                break
            ids.append(best)
        return ids[len(self.start):]

    def search(self, width):
        """As heddle.h has it, which is transformers' with early_stopping "never"."""
        beams, found = [(0.0, list(self.start))], []
        penalty = self.generation.get("length_penalty", 1.0)
        for length in range(1, self.longest):
            extensions = []
            for sum_, ids in beams:
                x = self.logits(ids)
                x = self.process(ids, x - x.max() - np.log(np.exp(x - x.max()).sum()), log=True)
                extensions += [(sum_ + x[i], ids + [i]) for i in range(len(x)) if x[i] > -np.inf]
            extensions.sort(key=lambda e: -e[0])
            beams, is_last = [], length == self.longest - 1
            for place, (sum_, ids) in enumerate(extensions):
                if len(beams) == width:
                    break
                ends = ids[-1] in self.ends
                if not ends:
                    beams.append((sum_, ids))
                if place < width if ends else is_last:
                    found.append((sum_ / length ** penalty, ids))
            if not beams:
                break
        best = max(found, key=lambda hypothesis: hypothesis[0])[1]
        return best[1:-1] if best[-1] in self.ends else best[1:]


RULES = [
    {"suppress_tokens": [0, 1, 3]}, {"bad_words_ids": [[0], [5]]},
    {"begin_suppress_tokens": [0, 1, 2]}, {"no_repeat_ngram_size": 2}, {"no_repeat_ngram_size": 1},
    {"forced_bos_token_id": 11}, {"forced_eos_token_id": 2}, {"min_length": 6},
    {"min_new_tokens": 5}, {"max_length": 5},
    {"forced_bos_token_id": 11, "begin_suppress_tokens": list(range(20)), "max_length": 6,
     "forced_eos_token_id": 4, "no_repeat_ngram_size": 2, "suppress_tokens": [7],
     "renormalize_logits": True},
]  # fmt: skip


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def draw_model(name, rules, draw):
    """A model, a source and an end with which the rules change what is answered."""
    config = config_of(name, {"tie_word_embeddings": False})  # tied ones repeat what they read
    for seed in range(200):
        tensors = Tensors(int(draw.integers(1 << 30)))
        source = draw.integers(0, config["vocab_size"], int(draw.integers(3, 12)))
        plain = Answers(config, tensors, source, {}).greedy()
        if plain and seed % 2:
            config["eos_token_id"] = plain[len(plain) // 2]
        plain = Answers(config, tensors, source, {}).greedy()
        generation = {"eos_token_id": config["eos_token_id"], **rules}
        generation |= {} if "max_length" in rules else {"max_new_tokens": LIMIT}
        if "bad_words_ids" in rules:  # an end is none
            generation["bad_words_ids"] = [*rules["bad_words_ids"], [config["eos_token_id"]]]
        expected = Answers(config, tensors, source, generation)
        greedy = expected.greedy()
        if greedy != plain:
            return config, tensors, source, expected, greedy
    raise AssertionError(f"{name}: {rules} change nothing")


def check(name, number, draw):
    config, tensors, source, expected, greedy = draw_model(name, RULES[number], draw)
    generation = expected.generation
    folder = Folder(f"{name}{number}", config, tensors)
    path = pathlib.Path(folder.path / "generation_config.json")
    path.write_text(json.dumps(generation))
    model = folder.load()
    given = [int(i) for i in source]
    found = list(model.generate(given))
    assert found == greedy, (name, generation, found, greedy)
    library, ids = f"./{folder.path}.so", ",".join(map(str, given))
    shown = run("heddle-run", "generate", library, f"--ids={ids}")
    assert shown == ",".join(map(str, greedy)), (shown, greedy)
    for width in (2, 3):
        searched = expected.search(width)
        found = list(model.generate(given, beams=width, temperature=None))
        assert found == searched, (name, generation, width, found, searched)
    if number % 4 == 2:
        run("heddlec", str(folder.path), "--quiet", "--embed-weights", "--emit=exe", "--ids", "-o",
            f"./{folder.path}.exe")
        shown = run(f"./{folder.path}.exe", *map(str, given))
        assert shown == " ".join(map(str, greedy)), (shown, greedy)


def check_starts():
    """What answers begin with may be the program's; behind several ids none is forced."""
    config, tensors = config_of("t5", {"tie_word_embeddings": False}), Tensors(100)
    source, start = [5, 6, 7], [0, 9]
    generation = {"forced_bos_token_id": 40, "max_length": len(start) + 4,
                  "begin_suppress_tokens": list(range(20)), "eos_token_id": config["eos_token_id"]}
    right = Answers(config, tensors, source, generation, start).greedy()
    folder = Folder("starts", config, tensors)
    (folder.path / "generation_config.json").write_text(json.dumps(generation))
    found = list(folder.load().generate(source, start_ids=start))
    assert found == right and found[0] != 40, (found, right)
    shown = run("heddle-run", "generate", "./starts.so", "--ids=5,6,7", "--start=0,9")
    assert shown.split(",") == list(map(str, right)), (shown, right)


def main():
    draw, count = np.random.default_rng(), 0
    for name in ("t5", "bart", "marian"):
        drawn = random.sample(range(len(RULES) - 1), min(int(sys.argv[1]), len(RULES)) - 1)
        for number in [*drawn, len(RULES) - 1]:
            check(name, number, draw)
            count += 1
    check_starts()
    print(f"{count} folders answer as NumPy does")


main()
