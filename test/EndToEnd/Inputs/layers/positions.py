# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of positions, and tokens to which they are added."""
import numpy

from .function import Argument, Function, type_of, weight
from .sizes import BATCHES, ELEMENTS, INTEGERS, some_lengths

CALLS = ({"batch": 1, "length": 1}, {"batch": 3, "length": 17}, {"batch": 2, "length": 300})
ROWS = 300
BOUNDED = f'attributes {{heddle.symbols = [#heddle.symbol<"length", 1 to {ROWS}>]}}'


def sinusoidal(positions, channels, base=10000.0):
    """Vaswani et al., section 3.5."""
    angles = numpy.arange(positions)[:, None] / base ** (numpy.arange(0, channels, 2) / channels)
    table = numpy.zeros((positions, channels))
    table[:, 0::2], table[:, 1::2] = numpy.sin(angles), numpy.cos(angles)
    return table


def halves(positions, channels, base=10000.0):
    """Whisper's sinusoids."""
    increment = numpy.log(base) / (channels // 2 - 1)
    frequencies = numpy.exp(-increment * numpy.arange(channels // 2))
    angles = numpy.arange(positions)[:, None] * frequencies
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1)


def split(positions, channels, base=10000.0):
    """Marian's: sines of Vaswani et al.'s frequencies, and then cosines."""
    table = sinusoidal(positions, channels, base)
    return numpy.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def add(x, table, starts=None, ids=None):
    starts = numpy.zeros(len(x), int) if starts is None else starts
    return x + table[starts[:, None] + numpy.arange(x.shape[1]) if ids is None else ids]


def table_of(name, clause, table):
    result = Argument(*table.shape)
    body = f"%y = heddle.sinusoidal_positions {clause} : {result}"
    # Elements are rounded once.
    return Function(name, {}, {"y": result}, body, lambda: table, tolerance=2.0**-24)


def added(name, make, table, place, calls=CALLS, element="i32"):
    """`place` says which positions there are: `starts` of sequences, `ids` of tokens, or none."""
    x = Argument("batch", "length", table.shape[1])
    positions = {
        "starts": Argument(
            "batch", element=element,
            fill=lambda rng, shape, sizes: rng.integers(0, ROWS - sizes["length"] + 1, shape),
        ),
        "ids": Argument("batch", "length", element=element,
                        fill=lambda rng, shape, sizes: rng.integers(0, ROWS, shape)),
    }  # fmt: skip
    arguments, clause = {"x": x}, ""
    if place:
        arguments[place] = positions[place]
        word = {"starts": "at", "ids": "position_ids"}[place]
        clause = f" {word}(%{place} : {positions[place]})"
    type_ = f"tensor<{ROWS}x{table.shape[1]}xf32>" if make else type_of(table)
    body = f"{make}\n" if make else ""
    body += f"%y = heddle.add_positions %x, %table{clause} : {x}, {type_}"
    return Function(
        name, arguments, {"y": x}, body,
        lambda x, starts=None, ids=None, table=table: add(x, table, starts, ids), calls,
        {} if make else {"table": table}, "" if place else BOUNDED, tolerance=1e-6,
    )  # fmt: skip


MAKE = f"%table = heddle.sinusoidal_positions halves base(10000.0) : tensor<{ROWS}x20xf32>"
FUNCTIONS = [
    table_of("sinusoids", "base(10000.0)", sinusoidal(1000, 24)),
    table_of("sinusoids_one_pair", "base(100.0)", sinusoidal(7, 2, 100.0)),
    table_of("sinusoids_in_halves", "halves base(10000.0)", halves(1500, 64)),
    table_of("sinusoids_split", "split base(10000.0)", split(512, 22)),
    added("learned", None, weight(ROWS, 33, scale=1), "starts"),
    added("learned_ids", None, weight(ROWS, 24, scale=1), "ids", element="i64"),
    added("learned_from_0", None, weight(ROWS, 64, scale=1), None),
    added("sinusoidal", MAKE, halves(ROWS, 20), "starts"),
    added("sinusoidal_from_0", MAKE, halves(ROWS, 20), None),
]


def draw(name, random):
    """Positions that are added, of each kind of table."""
    calls = [{"batch": b, "length": n} for b, n in zip(BATCHES, some_lengths(random))]
    place, element = random.choice(("starts", "ids", None)), random.choice(INTEGERS)
    kind = random.choice(("learned", "", "halves ", "split "))
    if kind == "learned":
        channels = random.choice((1, 7, 48, 64, 80, 96))
        table = weight(ROWS, channels, scale=1, element=random.choice(ELEMENTS))
        return added(name, None, table, place, calls, element)
    channels, base = random.choice((4, 6, 48, 64, 80, 96)), random.choice((100.0, 10000.0))
    table = {"": sinusoidal, "halves ": halves, "split ": split}[kind](ROWS, channels, base)
    make = (f"%table = heddle.sinusoidal_positions {kind}base({base}) "
            f": tensor<{ROWS}x{channels}xf32>")
    return added(name, make, table, place, calls, element)


DRAWN = {"add_positions": draw}
