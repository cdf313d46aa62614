# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python3 -m heddle LIBRARY: says what an artifact is, or continues a prompt."""

import argparse
import sys

import heddle
from heddle.values import printable


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m heddle", description=__doc__)
    parser.add_argument("library", help="from heddlec --emit=shared")
    parser.add_argument("--weights", help="packed weights (default: those inside or beside it)")
    parser.add_argument("--tokenizer", metavar="FOLDER")
    parser.add_argument("--prompt", metavar="TEXT")
    parser.add_argument("--tokens", type=int,
                        help="default: what the model's folder says, or 128")
    arguments = parser.parse_args()
    show = printable if sys.stdout.isatty() else str
    try:
        model = heddle.load(arguments.library, arguments.weights)
        if arguments.prompt is None:
            texts = [str(model), *(entry.__doc__ for entry in model.entries.values())]
            if model.generation:
                said = (f"{name}: {value}" for name, value in model.generation.items())
                texts.insert(1, "\n".join(["Answers, unless told otherwise:", "", *said]))
            print(*map(show, texts), sep="\n\n")
            return 0
        if arguments.tokenizer is None:
            parser.error("--prompt needs --tokenizer")
        tokenizer = heddle.Tokenizer(arguments.tokenizer)
        for piece in model.generate(arguments.prompt, tokenizer=tokenizer,
                                    max_tokens=arguments.tokens):
            print(show(piece), end="", flush=True)
        print()
    except (heddle.HeddleError, OSError, ValueError) as error:
        print(printable(f"heddle: error: {error}"), file=sys.stderr)
        return 1
    return 0


sys.exit(main())
