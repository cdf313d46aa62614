# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws templates over all of the language, with what Jinja2 makes of each:

    random_templates.py CASES.json [--count=N] [--seed=N]

CASES.json is what JinjaTest.cpp reads. Needs python3-jinja2.
"""

import argparse
import json
import pathlib
import random

import jinja_environment

VARIABLES = {
    "s": "Hello, wörld! it's", "t": " a-b c\n\tDE  f\u00a0", "e": "", "u": "ǅ ß ﬁ İ Σας ²½ 日本 🙂",
    "i": 7, "k": -3, "z": 0, "f": 2.5, "g": -0.125, "h": 1e17, "n": None, "y": True, "o": False,
    "l": [3, 1, 2, 2], "w": ["b", "A", "a", "c", "B"], "v": [], "m": [[1, "x"], [2, "y"]],
    "d": {"b": 1, "a": [1, 2], "items": "k", "C": None}, "q": {},
    "messages": [{"role": "system", "content": " Be kind. "}, {"role": "user", "content": "Hi <b>"},
                 {"role": "assistant", "content": "", "n": 3}, {"role": "user", "content": "x\ny"}],
}


class Drawer:
    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.macros = []

    def pick(self, *options):
        option = self.rng.choice(options)
        return option() if callable(option) else option

    # ---- expressions, each by the type that it mostly has

    def any(self, depth):
        return self.pick(*(lambda make=make: make(depth) for make in (
            self.text, self.text, self.number, self.truth, self.list, self.dict, self.thing)))

    def thing(self, depth):
        return self.pick("n", "none", "undef", "messages[0]", "messages[-1].n", "d.a", "d['items']",
                         "d.missing", "l[9]", "(1, 's')", "()", "(i,)", "range(3)", "e or s",
                         "loop.index", "True", "d.items()")

    def text(self, depth):
        if depth <= 0:
            return self.pick("s", "t", "e", "u", "'x'", "'a,b,,c'", "\"it's\"", "messages[1].role",
                             "'\\n\\\\d\\x41'", "'<&>'", "'%s'", "'{}'", "'12.5'", "' 42 '")
        t, n, l, b = (lambda m=m: m(depth - 1) for m in (
            self.text, self.number, self.list, self.any))
        i = self.rng.randint
        return self.pick(
            lambda: f"({t()} ~ {b()})", lambda: f"({t()} + {t()})", lambda: f"({t()} * {i(-1, 3)})",
            lambda: f"{t()}[{self.slice()}]", lambda: f"{t()}[{i(-4, 4)}]",
            lambda: f"({b()}|{self.pick('string', 'upper', 'lower', 'title', 'capitalize', 'trim')})",
            lambda: f"({t()}|{self.pick('e', 'safe', 'forceescape', 'urlencode', 'reverse')}|string)",
            lambda: f"({t()}|replace({t()}, {t()}{self.pick('', ', 1', ', count=2')}))",
            lambda: f"({t()}|center({i(0, 12)}))",
            lambda: f"({t()}|indent({i(0, 3)}, {self.bool()}, {self.bool()}))",
            lambda: f"({t()}|truncate({i(3, 9)}, {self.bool()}, '..', {i(0, 3)}))",
            lambda: f"({t()}|wordwrap({i(1, 9)}, {self.bool()}, '/', {self.bool()}))",
            lambda: f"({l()}|join({self.pick('', t)}))", lambda: f"({b()}|tojson)",
            lambda: f"({b()}|tojson(indent={self.pick('1', '0', 'none')}, ensure_ascii={self.bool()}, sort_keys={self.bool()}))",
            lambda: f"({b()}|tojson(separators=('-', '=')))", lambda: f"({self.pick('l', 'w', 'q', 'f', 's')}|pprint)",
            lambda: f"('%s|%5r|%-6s|'|format({b()}, {b()}, {b()}))",
            lambda: f"('%{self.pick('', '0', '-', '+', ' ', '#')}{self.pick('', 4, 9)}{self.pick('', '.0', '.2')}{self.pick('d', 'i', 'x', 'X', 'o', 'f', 'e', 'g', 's')}' % {n()})",
            lambda: f"'{{:{self.pick('', '*')}{self.pick('<', '>', '^')}{self.pick('', '8')}}}'.format({t()})",
            lambda: f"'{{:{self.pick('', '+')}{self.pick('', '#')}{self.pick('', '0')}{self.pick('', 9)}{self.pick('', ',')}{self.pick('', '.1')}{self.pick('', 'd', 'f', 'g', 'e', 'x', '%')}}}'.format({n()})",
            lambda: f"'{{0}} {{a!r}} {{1}}'.format({b()}, {b()}, a={t()})",
            lambda: f"{t()}.{self.pick('upper', 'lower', 'title', 'capitalize', 'swapcase', 'casefold', 'strip', 'lstrip', 'rstrip', 'expandtabs')}()",
            lambda: f"{t()}.{self.pick('strip', 'lstrip', 'rstrip', 'removeprefix', 'removesuffix', 'join')}({t()})",
            lambda: f"{t()}.replace({t()}, {t()}{self.pick('', ', 1', ', -1')})",
            lambda: f"{t()}.{self.pick('center', 'ljust', 'rjust')}({i(0, 9)}{self.pick('', ', chr'.replace('chr', repr('*')))})",
            lambda: f"{t()}.zfill({i(0, 9)})", lambda: f"({t()} if {b()} else {t()})",
            lambda: f"({b()}|default({t()}, {self.bool()}))", lambda: f"({n()}|filesizeformat)",
            lambda: f"({t()}|striptags)", lambda: f"({l()}|first|string)",
            lambda: f"({self.dict(depth - 1)}|xmlattr)")

    def bool(self):
        return self.pick("true", "false")

    def slice(self):
        bound = lambda: self.pick("", "", "0", "1", "2", "-1", "-2", "5", "none")
        return f"{bound()}:{bound()}" + self.pick("", ":2", ":-1", ":-2", ":")

    def number(self, depth):
        if depth <= 0:
            return self.pick("i", "k", "z", "f", "g", "h", "y", "3", "0", "-2", "1.5", "1e3", "0x1F", "1_0")
        t, n, l, b = (lambda m=m: m(depth - 1) for m in (
            self.text, self.number, self.list, self.any))
        i = self.rng.randint
        return self.pick(
            lambda: f"({n()} {self.pick('+', '-', '*', '/', '//', '%')} {n()})",
            lambda: f"({self.pick('2', '-3', '1.5', 'k', 'i')} ** {i(-2, 4)})", lambda: f"(-{n()})",
            lambda: f"({b()}|length)", lambda: f"({b()}|{self.pick('int', 'float')})",
            lambda: f"({b()}|int({i(0, 9)}, {self.pick(0, 2, 8, 16)}))",
            lambda: f"({n()}|{self.pick('abs', 'round', 'int', 'float')})",
            lambda: f"({n()}|round({i(-2, 3)}{self.pick('', ', method=' + repr(self.pick('common', 'ceil', 'floor')))}))",
            lambda: f"({l()}|{self.pick('sum', 'min', 'max', 'first', 'last')})",
            lambda: f"({t()}|wordcount)", lambda: f"{t()}.{self.pick('find', 'rfind', 'count')}({t()}{self.pick('', ', 1', ', -4, 9')})",
            lambda: f"{l()}.{self.pick('count', 'index')}({b()})", lambda: f"{l()}[{i(-2, 2)}]")

    def truth(self, depth):
        if depth <= 0:
            return self.pick("true", "false", "y", "o", "s is defined", "undef is defined", "n is none")
        t, n, l, b = (lambda m=m: m(depth - 1) for m in (
            self.text, self.number, self.list, self.any))
        compare = ("==", "!=", "<", "<=", ">", ">=")
        return self.pick(
            lambda: f"({n()} {self.pick(*compare)} {n()})",
            lambda: f"({n()} {self.pick(*compare)} {n()} {self.pick(*compare)} {n()})",
            lambda: f"({t()} {self.pick(*compare)} {t()})", lambda: f"({b()} {self.pick('==', '!=')} {b()})",
            lambda: f"({b()} {self.pick('in', 'not in')} {self.pick(l, t, 'd')})",
            lambda: f"({b()} {self.pick('and', 'or')} {b()})", lambda: f"(not {b()})",
            lambda: f"({b()} is {self.pick('', 'not ')}{self.pick('string', 'number', 'integer', 'float', 'boolean', 'none', 'defined', 'undefined', 'mapping', 'sequence', 'iterable', 'callable', 'true', 'false', 'lower', 'upper', 'escaped')})",
            lambda: f"({n()} is {self.pick('odd', 'even', 'divisibleby 2', 'divisibleby(3)')})",
            lambda: f"({b()} is {self.pick('eq', 'ne', 'equalto', '==')} {self.pick('3', 's', 'n')})".replace("is ==", "is eq"),
            lambda: f"({n()} is {self.pick('gt', 'lt', 'ge', 'le', 'lessthan', 'greaterthan')}({n()}))",
            lambda: f"({b()} is in({l()}))", lambda: f"({b()} is sameas {self.pick('true', 'none', 'l')})",
            lambda: f"({self.pick(repr('upper'), repr('nope'))} is {self.pick('filter', 'test')})",
            lambda: f"{t()}.{self.pick('startswith', 'endswith')}({self.pick(t, lambda: '(' + t() + ', ' + t() + ')')})",
            lambda: f"{t()}.{self.pick('isdigit', 'isalpha', 'isalnum', 'isupper', 'islower', 'istitle', 'isspace', 'isnumeric', 'isdecimal', 'isascii', 'isidentifier', 'isprintable')}()")

    def list(self, depth):
        if depth <= 0:
            return self.pick("l", "w", "v", "m", "[1, 'a', none]", "range(5)", "(messages|map(attribute='role')|list)")
        t, n, l, b = (lambda m=m: m(depth - 1) for m in (
            self.text, self.number, self.list, self.any))
        i = self.rng.randint
        return self.pick(
            lambda: f"[{b()}, {b()}]", lambda: f"({b()}, {b()})", lambda: f"({l()} + {l()})",
            lambda: f"({l()} * {i(0, 2)})", lambda: f"{l()}[{self.slice()}]",
            lambda: f"({b()}|list)", lambda: f"({l()}|reverse|list)",
            lambda: f"({l()}|sort({self.pick('', 'true', 'reverse=true', 'case_sensitive=true')}))",
            lambda: f"({l()}|unique({self.pick('', 'true')})|list)",
            lambda: f"({l()}|batch({i(1, 3)}{self.pick('', ', 0')})|list)",
            lambda: f"({l()}|slice({i(1, 3)}{self.pick('', ', 0')})|list)",
            lambda: f"({l()}|map({self.pick(repr('string'), repr('upper'), repr('length'), repr('int'), repr('default') + ', 3', repr('replace') + ', 1, 2')})|list)",
            lambda: f"({l()}|{self.pick('select', 'reject')}({self.pick('', repr('string'), repr('odd'), repr('in') + ', l', repr('gt') + ', 1')})|list)",
            lambda: f"(messages|{self.pick('selectattr', 'rejectattr')}({self.pick(repr('n'), repr('role') + ', ' + repr('equalto') + ', ' + repr('user'), repr('content') + ', ' + repr('in') + ', ' + t())})|list)",
            lambda: f"(messages|map(attribute={self.pick(repr('role'), repr('n'), repr('content.0'))}{self.pick('', ', default=5')})|list)",
            lambda: f"(messages|groupby({self.pick(repr('role'), repr('n') + ', default=9')}))",
            lambda: f"(messages|sort(attribute={self.pick(repr('role'), repr('role,content'))}))",
            lambda: f"({self.dict(depth - 1)}|{self.pick('dictsort', 'items|list', 'list', 'dictsort(true)', 'dictsort(reverse=true)')})",
            lambda: f"{t()}.split({self.pick('', t, lambda: t() + ', 1', 'none, 1')})",
            lambda: f"{t()}.rsplit({self.pick('', t, lambda: t() + ', 1', 'none, 1')})",
            lambda: f"{t()}.{self.pick('partition', 'rpartition')}({t()})",
            lambda: f"{t()}.splitlines({self.pick('', 'true')})", lambda: f"(range({i(-2, 4)}, {i(0, 9)}, {self.pick(1, 2, -1)})|list)",
            lambda: f"{self.dict(depth - 1)}.{self.pick('items', 'keys', 'values')}()")

    def dict(self, depth):
        if depth <= 0:
            return self.pick("d", "q", "messages[1]", "{}", "{'a': 1}")
        b, t = lambda: self.any(depth - 1), lambda: self.text(depth - 1)
        return self.pick(
            lambda: f"{{'p': {b()}, {t()}: {b()}}}", lambda: f"dict(a={b()}, b={b()})",
            lambda: f"dict({self.dict(depth - 1)}, x={b()})", lambda: f"{{1: {b()}, none: 2, true: {b()}}}")

    # ---- statements

    def name(self):
        self.names += 1
        return f"x{self.names % 4}"

    def sign(self):
        return self.pick("", "", "", "-", "+")

    def tag(self, inside):
        return "{%" + self.sign() + " " + inside + " " + self.sign() + "%}"

    def space(self):
        return self.pick("", "", " ", "\n", "  \n", "\t", "\n  ", "\u00a0", "\r\n ", "\x0b", "a", "b ", " c\n", "{", "}")

    def body(self, depth, in_loop=False):
        return "".join(self.space() + self.statement(depth, in_loop) for _ in range(self.rng.randint(1, 3))) + self.space()

    def output(self, depth):
        inside = self.any(self.rng.randint(0, 2))
        if self.macros and self.rng.random() < 0.3:
            inside = self.call_of(self.rng.choice(self.macros))
        elif self.rng.random() < 0.2:
            inside = self.pick("x0", "x1", "x2", "x3", "ns.a", "ns.b", "x0 is defined")
        return "{{" + self.pick("", "-") + " " + inside + " " + self.pick("", "-") + "}}"

    def call_of(self, macro):
        arguments = [self.any(1) for _ in range(self.rng.randint(0, 3))]
        if self.rng.random() < 0.4:
            arguments.append(f"{self.pick('a', 'b', 'c')}={self.any(1)}")
        if self.rng.random() < 0.1:
            arguments.append("*l")
        return f"{macro}({', '.join(arguments)})"

    def statement(self, depth, in_loop):
        if depth <= 0 or self.rng.random() < 0.4:
            return self.output(depth)
        tag, body = self.tag, lambda loop=in_loop: self.body(depth - 1, loop)
        return self.pick(
            lambda: tag("if " + self.any(1)) + body() + self.pick("", lambda: tag("elif " + self.truth(1)) + body()) + self.pick("", lambda: tag("else") + body()) + tag("endif"),
            lambda: self.loop(depth), lambda: self.loop(depth),
            lambda: tag(f"set {self.name()} = {self.any(2)}"),
            lambda: tag(f"set {self.pick('x0, x1', '(x2, x3)')} = {self.any(1)}, {self.any(1)}"),
            lambda: tag(f"set ns.{self.pick('a', 'b')} = {self.any(2)}"),
            lambda: tag(f"set {self.name()}{self.pick('', ' | upper', ' | trim | length')}") + body() + tag("endset"),
            lambda: self.macro(depth), lambda: self.call_block(depth),
            lambda: tag(f"filter {self.pick('upper', 'trim', 'replace(1, 2)|title', 'indent(2)', 'length')}") + body() + tag("endfilter"),
            lambda: tag(f"with x0 = {self.any(1)}, x1 = x0") + body() + tag("endwith"),
            lambda: tag("raw") + self.pick(" {{ x }} ", "{% if %}", "\n{#\n") + tag("endraw").replace("{%+", "{%"),
            lambda: "{#" + self.sign() + " x " + self.sign() + "#}", lambda: tag("generation") + self.body(depth - 1) + tag("endgeneration"),
            lambda: tag(self.pick("break", "continue")) if in_loop else "",
            lambda: self.output(depth))

    def loop(self, depth):
        target, items = self.pick(
            lambda: ("x0", self.list(1)), lambda: ("x1", self.text(1)), lambda: ("m", "messages"),
            lambda: ("a, b", "m"), lambda: ("a, b", "d.items()"), lambda: ("x2", "l|map('string')"),
            lambda: ("x3", "undef"))
        condition = self.pick("", "", f" if {self.truth(1)}", " if ns.a != 2", f" if {target.split(',')[0]}")
        recursive = self.pick("", "", "", " recursive")
        inside = self.body(depth - 1, True) + self.pick("", *(
            "{{ loop." + name + " }}" for name in (
                "index", "index0", "revindex", "revindex0", "first", "last", "length", "depth",
                "previtem", "nextitem", "changed(x0)", "cycle('p', 'q')")))
        if recursive:
            inside += "{{ loop([]) if loop.depth < 2 }}"
        otherwise = self.pick("", "", lambda: self.tag("else") + self.body(depth - 1))
        return self.tag(f"for {target} in {items}{condition}{recursive}") + inside + otherwise + self.tag("endfor")

    def macro(self, depth):
        name = self.pick("f0", "f1")
        signature = self.pick("", "a", "a, b=2", "a, b=a, c='z'", "a=s")
        inside = self.body(depth - 1) + self.pick("", "{{ a }}", "{{ varargs }}", "{{ kwargs }}", "{{ caller() }}", "{{ caller(1) if caller }}")
        self.macros.append(name)
        return self.tag(f"macro {name}({signature})") + inside + self.tag("endmacro")

    def call_block(self, depth):
        if not self.macros:
            return self.output(depth)
        return (self.tag(f"call{self.pick('', '(a)', '(a=3)')} {self.call_of(self.rng.choice(self.macros))}")
                + self.body(depth - 1) + self.tag("endcall"))

    def template(self):
        return "{% set ns = namespace(a=1, b=[]) %}" + self.body(3)


def judge(case):
    env = jinja_environment.environment()
    try:
        case["text"] = env.from_string(case["template"]).render(**case["variables"])
    except Exception as error:  # whatever Python has for it
        case["error"] = f"{type(error).__name__}: {error}"
    # Addresses of Python's objects differ from run to run, and Heddle has none.
    if " at 0x" in case.get("text", ""):
        return False
    return len(case.get("text", "")) < 100_000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cases = []
    number = 0
    while len(cases) < options.count:
        number += 1
        rng = random.Random(f"{options.seed} {number}")
        case = {"name": f"seed {options.seed} {number}", "template": Drawer(rng).template(),
                "variables": VARIABLES}
        if judge(case):
            cases.append(case)
    pathlib.Path(options.path).write_text(json.dumps(cases), encoding="utf-8")
    print(f"{len(cases)} templates, {sum('text' in case for case in cases)} of which Jinja2 renders")


if __name__ == "__main__":
    main()
