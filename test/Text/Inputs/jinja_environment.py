# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jinja2 as Hugging Face transformers sets it up for chat templates
(transformers/utils/chat_template_utils.py). Needs python3-jinja2.
"""

import datetime
import json

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

# As JinjaTest.cpp has it: 2023-11-14 22:13:20 UTC.
NOW = 1_700_000_000


class Raised(Exception):
    """What a template itself refuses."""


class Generation(Extension):
    """The block that marks the assistant's words, which changes no text."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_support"), [], [], body).set_lineno(line)

    def _support(self, caller):
        return caller()


def _raise_exception(message):
    raise Raised(str(message))


def _tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators,
                      sort_keys=sort_keys)


def environment():
    """An environment in which it is always NOW."""
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])
    env.filters["tojson"] = _tojson
    env.globals["raise_exception"] = _raise_exception
    env.globals["strftime_now"] = lambda form: datetime.datetime.fromtimestamp(NOW).strftime(form)
    return env
