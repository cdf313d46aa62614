# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks each sentence of dialect/Attention.md, or COUNT of them: attention_meaning.py PAGE [COUNT]

A check is a function whose docstring is a sentence of the page. All of them use one compiled
attention, with 5 queries and 40 keys of 2 heads, whose mask and bias they choose.
"""
import random
import sys

from attention_sentences import CHECKS


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        sentences = {line[2:].strip() for line in page if line.startswith("- ")}
    checks = {function.__doc__: function for function in CHECKS}
    status = 0
    for text in sorted(sentences ^ checks.keys()):
        print(f"on one side only, the page or the checks: {text}")
        status = 1
    drawn = random.sample(sorted(checks), int(sys.argv[2]) if sys.argv[2:] else len(checks))
    for text in drawn:
        try:
            checks[text]()
        except AssertionError:
            print(f"does not hold: {text}")
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
