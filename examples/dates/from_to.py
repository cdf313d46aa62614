# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the train.py of date_translator and of date_aligner share: training, evaluation and the command line.

Their models take a written date and, character by character, the ISO date so far. Shapes: B batch, S source characters,
T target characters, V characters that there are.

    train.py                       train, then write the weights next to the script
    train.py --evaluate            load the weights and print their accuracy on held-out dates
    train.py --ask "3 March 2021"  load the weights and print the answer

Needs Debian's python3-torch and python3-numpy.
"""
import argparse
import random
import time

import torch
import torch.nn.functional as F

from training import fit, read_safetensors, write_safetensors
from written_dates import (ANSWER, BEGIN, END, SEED, UNKNOWN, VOCABULARY, batches, held_out_set, read_held_out_file)

BATCH = 192


def encode(text):
    return [VOCABULARY.get(character, UNKNOWN) for character in text]


def make_source(texts):
    """Ids [B, S], padded on the right, and lengths [B]."""
    lengths = [len(text) for text in texts]
    ids = [encode(text) + [UNKNOWN] * (max(lengths) - len(text)) for text in texts]
    return torch.tensor(ids), torch.tensor(lengths)


def answer_logits(model, pairs):
    """Logits [B, ANSWER, V] of the answers, given their earlier characters; the right ids [B, ANSWER]."""
    source, lengths = make_source([written for written, _ in pairs])
    answers = torch.tensor([[BEGIN, *encode(iso), END] for _, iso in pairs])
    return model(source, lengths, answers[:, :-1]), answers[:, 1:]


def train(model, steps, peak_rate):
    start = time.time()

    def loss_of(pairs):
        logits, answers = answer_logits(model, pairs)
        return F.cross_entropy(logits.flatten(0, 1), answers.flatten())

    fit(model, loss_of, batches(random.Random(SEED + 2), BATCH), steps, peak_rate)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, trained in {time.time() - start:.0f} s")


@torch.no_grad()
def ask(model, written):
    """The answer by greedy decoding, character after character."""
    source, lengths = make_source([written])
    answer, characters = [BEGIN], list(VOCABULARY)
    while len(answer) <= ANSWER:
        best = model(source, lengths, torch.tensor([answer]))[0, -1].argmax().item()
        if best == END:
            break
        answer.append(best)
    return "".join(characters[i] for i in answer[1:])


@torch.no_grad()
def evaluate(model, held_out_file):
    """Prints how many answers of greedy decoding are right, on the held-out set and on the lines of heldout.txt.

    Greedy decoding gives exactly the right answer if and only if each of its characters is the best one after the
    right ones before it. So one pass decides for the large set; the small one is decoded."""
    pairs, right = held_out_set(), 0
    for i in range(0, len(pairs), BATCH):
        logits, answers = answer_logits(model, pairs[i:i + BATCH])
        is_right = (logits.argmax(-1) == answers).all(-1).tolist()
        right += sum(is_right)
        for (written, iso), good in zip(pairs[i:i + BATCH], is_right):
            if not good:
                print(f"  {written!r} should be {iso}, is {ask(model, written)}")
    print(f"held-out set: {right} of {len(pairs)} right ({100 * right / len(pairs):.2f}%)")
    lines = read_held_out_file(held_out_file)
    right = sum(ask(model, written) == iso for written, iso in lines)
    print(f"heldout.txt: {right} of {len(lines)} right")


def main(make_model, folder, steps, peak_rate, stored=lambda tensor: tensor):
    """The command line of a train.py. `stored` rounds each tensor to what the weights' file has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluate", action="store_true", help="only print the accuracy")
    parser.add_argument("--ask", metavar="DATE", help="only print the answer to one written date")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model, weights = make_model(), folder / "model.safetensors"
    if options.ask is None and not options.evaluate:
        train(model, steps, peak_rate)
        write_safetensors(weights, {name: stored(tensor) for name, tensor in model.state_dict().items()})
    model.load_state_dict(read_safetensors(weights))
    if options.ask is not None:
        print(ask(model, options.ask))
    else:
        evaluate(model, folder.parent / "dates" / "heldout.txt")
