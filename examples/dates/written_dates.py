#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dates of three examples: what days there are, how people write them, and the ids of the characters.

Imported by the train.py of dates, date_translator and date_aligner. Run by itself, it prints the held-out set as
heldout.txt has its beginning. Needs Python alone.
"""
import datetime
import random

SEED = 2021
HELD_OUT, HELD_OUT_FILE = 6000, 200  # examples in the held-out set, and how many of them heldout.txt lists

# The written dates. All of them are unambiguous: a month that is only a number stands after the year, or after the
# day and dots (03.04.2021 is the 3rd of April), never between slashes or hyphens with the year last. Years have
# four digits, 1900 to 2099.

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ONES = ("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth").split()
DAY_WORDS = ONES + ["twentieth"] + ["twenty-" + word for word in ONES[:9]] + ["thirtieth", "thirty-first"]

# {month} is a full name or an abbreviation with or without its dot, {mon} an abbreviation without dot,
# {nth} is 3rd and {word} is third; {dd} and {mm} have two digits.
WORDED = (
    "{d} {month} {y}", "{d} {month}, {y}", "{dd} {month} {y}", "{d}. {month} {y}", "{d} of {month} {y}",
    "{nth} {month} {y}", "{nth} {month}, {y}", "{nth} of {month} {y}", "{nth} of {month}, {y}",
    "the {nth} of {month} {y}", "the {nth} of {month}, {y}", "the {word} of {month} {y}",
    "the {word} of {month}, {y}", "{word} of {month}, {y}", "{word} {month} {y}",
    "{month} {d}, {y}", "{month} {d} {y}", "{month} {dd}, {y}", "{month} {nth}, {y}", "{month} {nth} {y}",
    "{month} the {nth}, {y}", "{month} the {word}, {y}", "{d}-{mon}-{y}", "{dd}-{mon}-{y}", "{d}/{mon}/{y}",
    "{mon}-{dd}-{y}", "{y} {month} {d}", "{y}, {month} {d}", "{y} {month} {nth}", "{y}-{mon}-{dd}")
NUMERIC = (
    "{y}-{mm}-{dd}", "{y}/{mm}/{dd}", "{y}.{mm}.{dd}", "{y} {mm} {dd}", "{y}{mm}{dd}", "{y}/{m}/{d}", "{y}-{m}-{d}",
    "{dd}.{mm}.{y}", "{d}.{m}.{y}", "{d}. {m}. {y}")
WEEKDAY_PREFIXES = ("{weekday}, ", "{weekday} ", "on {weekday}, ", "{short}, ", "{short} ", "{short}. ")


def write_date(date, rng):
    """One written form of `date`, drawn from `rng`: a style, an optional weekday, and upper or lower case."""
    name = MONTHS[date.month - 1]
    short = "Sept" if name == "September" and rng.random() < 0.5 else name[:3]
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(0 if 11 <= date.day <= 13 else date.day % 10, "th")
    weekday = WEEKDAYS[date.weekday()]
    style = rng.choice(WORDED if rng.random() < 0.8 else NUMERIC)
    if style in WORDED and rng.random() < 0.3:
        style = rng.choice(WEEKDAY_PREFIXES) + style
    text = style.format(
        d=date.day, dd=f"{date.day:02}", nth=f"{date.day}{suffix}", word=DAY_WORDS[date.day - 1],
        m=date.month, mm=f"{date.month:02}", mon=short, y=date.year, weekday=weekday, short=weekday[:3],
        month=rng.choice((name, name, short, short + "." if short != name else name)))
    case = rng.random()
    return text.lower() if case < 0.2 else text.upper() if case < 0.3 else text


def split_dates():
    """All days from 1900 to 2099 in two lists, 9 to 1: to train on, and held out in every written form."""
    first, end = (datetime.date(year, 1, 1).toordinal() for year in (1900, 2100))
    days = [datetime.date.fromordinal(day) for day in range(first, end)]
    random.Random(SEED).shuffle(days)
    return days[len(days) // 10:], days[:len(days) // 10]


def held_out_set():
    """HELD_OUT distinct pairs (written date, ISO date), always the same."""
    rng, days, pairs = random.Random(SEED + 1), split_dates()[1], {}
    while len(pairs) < HELD_OUT:
        date = rng.choice(days)
        pairs[write_date(date, rng)] = date.isoformat()
    return list(pairs.items())


def read_held_out_file(path):
    """The pairs (written date, ISO date) that heldout.txt lists."""
    return [tuple(line.split("\t")) for line in path.read_text().splitlines()]


def batches(rng, size):
    """Endless batches of training pairs. Each holds dates of similar length, so that little of it is padding."""
    days = split_dates()[0]
    while True:
        dates = [rng.choice(days) for _ in range(16 * size)]
        pairs = sorted(((write_date(date, rng), date.isoformat()) for date in dates), key=lambda pair: len(pair[0]))
        chunks = [pairs[i:i + size] for i in range(0, len(pairs), size)]
        rng.shuffle(chunks)
        yield from chunks


# The vocabulary: three special tokens, then one token per character.

CHARACTERS = "\n ',-./" + "0123456789" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = {token: index for index, token in enumerate(["<unk>", "<s>", "</s>", *CHARACTERS])}
UNKNOWN, BEGIN, END = 0, 1, 2
ANSWER = len("2021-03-03") + 1  # tokens of an answer, </s> included


if __name__ == "__main__":
    for pair in held_out_set():
        print(*pair, sep="\t")
