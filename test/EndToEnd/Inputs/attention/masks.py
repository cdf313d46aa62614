# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks as text and as booleans, [batch, heads, queries, keys]."""
import numpy

DIMS = ("batch", "head", "query", "key")
SYMBOLS = {"batch": "batch", "query": "queries", "key": "keys"}


class Mask:
    """`lines` define `name`; `keep(space, arrays)` says which pairs are kept."""

    def __init__(self, name, lines, keep):
        self.name, self.lines, self.keep = name, lines, keep


def index(space, dim):
    """The number of each element along a dimension of scores."""
    axis = DIMS.index(dim)
    shape = [1] * 4
    shape[axis] = -1
    return numpy.arange(space[axis]).reshape(shape)


def per_sequence(array):
    return array.astype(numpy.int64).reshape(-1, 1, 1, 1)


class Masks:
    """Draws masks for a function, whose arguments they add to."""

    def __init__(self, function, random):
        self.function, self.random, self.count = function, random, 0

    def new(self, text, keep, before=()):
        self.count += 1
        name = f"%m{self.count}"
        return Mask(name, [*before, f"  {name} = heddle.mask.{text}"], keep)

    def numbers(self, low, high):
        """An argument with an integer for each sequence."""
        element = self.random.choice(("i32", "i64"))

        def fill(generator, space):
            array = generator.integers(low(space), high(space) + 1, space[0])
            # Any integers may say where.
            extreme = generator.random(space[0]) < 0.15
            limit = 2**31 - 1 if element == "i32" else 2**62
            return numpy.where(extreme, generator.choice((-limit, limit), space[0]), array)

        return self.function.argument(("batch",), element, fill)

    def alignment(self):
        """The text of where the diagonal is, and the key at which each query stands."""
        plus = self.random.choice((0, 0, -1, 3, -40))
        suffix = f" plus({plus})" if plus else ""
        kind = self.random.choice(("top_left", "bottom_right", "offset"))
        if kind != "offset" and self.random.random() < 0.4:
            return self.shifted(kind)
        if kind == "offset":
            name, type_ = self.numbers(lambda s: -s[2], lambda s: s[3])

            def at(space, arrays):
                return index(space, "query") + per_sequence(arrays[name]) + plus

            return f"offset({name} : {type_}){suffix}", at

        def aligned(space, _):
            shift = space[3] - space[2] if kind == "bottom_right" else 0
            return index(space, "query") + shift + plus

        return f"align({kind}){suffix}", aligned

    def shifted(self, kind):
        """The same where `plus` is a size."""
        text, size = self.random.choice((
            ("keys", lambda q, k: k), ("-2 * queries", lambda q, k: -2 * q),
            ("keys - queries", lambda q, k: k - q), ("100000 * keys", lambda q, k: 100000 * k),
            ("floordiv(keys, 2) - 1", lambda q, k: k // 2 - 1),
            ("min(queries, 7) - keys", lambda q, k: min(q, 7) - k),
        ))  # fmt: skip

        def at(space, _):
            shift = space[3] - space[2] if kind == "bottom_right" else 0
            return index(space, "query") + shift + size(*space[2:])

        return f'align({kind}) plus("{text}")', at

    def causal(self):
        text, at = self.alignment()
        return self.new(f"causal {text}", lambda s, a: index(s, "key") <= at(s, a))

    def window(self):
        text, at = self.alignment()
        left, right = (self.random.choice((None, 0, 5, 31, 70)) for _ in range(2))
        if left is None and right is None:
            left = 9
        limits = "".join(
            f"{name}({limit}) " for name, limit in (("left", left), ("right", right))
            if limit is not None
        )  # fmt: skip

        def keep(space, arrays):
            key, place = index(space, "key"), at(space, arrays)
            kept = numpy.ones_like(key <= place)
            if left is not None:
                kept &= key >= place - left
            if right is not None:
                kept &= key <= place + right
            return kept

        return self.new(f"window {limits}{text}", keep)

    def lengths(self):
        of = self.random.choice(("key", "key", "query"))
        axis = DIMS.index(of)
        name, type_ = self.numbers(lambda s: 0, lambda s: s[axis])
        suffix = " of(query)" if of == "query" else ""
        return self.new(
            f"lengths {name}{suffix} : {type_}",
            lambda s, a: index(s, of) < per_sequence(a[name]),
        )

    def documents(self):
        element = self.random.choice(("i32", "i64"))
        is_sorted = self.random.random() < 0.6

        def fill(axis):
            def numbers(generator, space):
                most = self.random.choice((2, 4, 9))
                array = generator.integers(-1, most, (space[0], space[axis]))
                return numpy.sort(array, axis=1) if is_sorted else array

            return numbers

        queries, type_ = self.function.argument(("batch", "query"), element, fill(2))
        keys, key_type = self.function.argument(("batch", "key"), element, fill(3))

        def keep(space, arrays):
            return arrays[queries][:, None, :, None] == arrays[keys][:, None, None, :]

        return self.new(f"documents {queries}, {keys} : {type_}, {key_type}", keep)

    def dense(self):
        over = [dim for dim in DIMS if self.random.random() < 0.6] or ["key"]
        self.random.shuffle(over)
        blocks = {dim: 1 for dim in DIMS}
        suffix = ""
        if self.random.random() < 0.4:
            blocks["query"], blocks["key"] = (
                self.random.choice((1, 5, 16, 32, 48, 64)) for _ in range(2)
            )
            suffix = f" blocks({blocks['query']}, {blocks['key']})"
        density = self.random.choice((0.1, 0.5, 0.9))

        def fill(generator, space):
            shape = [-(-space[DIMS.index(dim)] // blocks[dim]) for dim in over]
            return generator.random(shape) < density

        name, type_ = self.function.argument(tuple(over), "i1", fill, blocks)

        def keep(space, arrays):
            array = arrays[name]
            places = numpy.ix_(*(numpy.arange(space[DIMS.index(d)]) // blocks[d] for d in over))
            array = numpy.transpose(array[places], numpy.argsort([DIMS.index(d) for d in over]))
            shape = [space[axis] if dim in over else 1 for axis, dim in enumerate(DIMS)]
            return array.reshape(shape)

        return self.new(f"dense {name} over({', '.join(over)}){suffix} : {type_}", keep)

    def formula(self, depth):
        if depth == 0 or self.random.random() < 0.3:
            kinds = (self.causal, self.window, self.lengths, self.documents, self.dense)
            return self.random.choice(kinds)()
        kind = self.random.choice(("and", "and", "or", "not"))
        x = self.formula(depth - 1)
        if kind == "not":
            return self.new(f"not {x.name}", lambda s, a: ~x.keep(s, a), x.lines)
        y = self.formula(depth - 1)
        combine = numpy.logical_and if kind == "and" else numpy.logical_or
        return self.new(
            f"{kind} {x.name}, {y.name}",
            lambda s, a: combine(x.keep(s, a), y.keep(s, a)),
            [*x.lines, *y.lines],
        )
