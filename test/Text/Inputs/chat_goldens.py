# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes chat_goldens.json: what Jinja2 3.1 makes of templates, with the options and
functions that transformers gives it. Needs python3-jinja2.

The templates are those that models of these names come with, and some that try one thing
after the other.
"""

import json
import pathlib

from jinja2.sandbox import ImmutableSandboxedEnvironment

TEMPLATES = {
"chatml": "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
"zephyr": "{% for message in messages %}\n{% if message['role'] == 'user' %}\n{{ '<|user|>\n' + message['content'] + eos_token }}\n{% elif message['role'] == 'system' %}\n{{ '<|system|>\n' + message['content'] + eos_token }}\n{% elif message['role'] == 'assistant' %}\n{{ '<|assistant|>\n'  + message['content'] + eos_token }}\n{% endif %}\n{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}",
"llama2": "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}{% set system_message = false %}{% endif %}{% for message in loop_messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% if loop.index0 == 0 and system_message != false %}{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}",
"llama3": "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
"gemma": "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}",
"mistral": "{%- if messages[0][\"role\"] == \"system\" %}\n    {%- set system_message = messages[0][\"content\"] %}\n    {%- set loop_messages = messages[1:] %}\n{%- else %}\n    {%- set loop_messages = messages %}\n{%- endif %}\n{%- if not tools is defined %}\n    {%- set tools = none %}\n{%- endif %}\n{%- set user_messages = loop_messages | selectattr(\"role\", \"equalto\", \"user\") | list %}\n{{- bos_token }}",
"qwen": "{%- if tools %}\n    {{- 'tools' }}\n{%- else %}\n    {%- if messages[0]['role'] == 'system' %}\n        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\n    {%- else %}\n        {{- '<|im_start|>system\\nYou are Qwen.<|im_end|>\\n' }}\n    {%- endif %}\n{%- endif %}\n{%- for message in messages %}\n    {%- if (message.role == \"user\") or (message.role == \"system\" and not loop.first) or (message.role == \"assistant\" and not message.tool_calls) %}\n        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\n    {%- elif message.role == \"tool\" %}\n        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != \"tool\") %}\n            {{- '<|im_start|>user' }}\n        {%- endif %}\n    {%- endif %}\n{%- endfor %}\n{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n",
"phi3": "{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}{{'<|system|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'user' %}{{'<|user|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'assistant' %}{{'<|assistant|>\n' + message['content'] + '<|end|>\n'}}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}",
"smol": "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}",
"misc": "  {% set ns = namespace(n=0, t='') %}\n{%- for m in messages if m.role != 'system' %}\n  {% set ns.n = ns.n + 1 %}\n{{ loop.index }}/{{ loop.length }}:{{ m.content[:3] }}|{{ m.content[-2:] }}|{{ m.content[::-1] }} {{- ' x' ~ ns.n }}\n{% else %}none{% endfor %}\n{# comment #}\n{{ ns.n }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 1.5 + 2 }} {{ true }} {{ none }} {{ [1,2,3]|length }} {{ 'a,b,c'.split(',')|join('-') }} {{ 'x' if undefined_thing else 'y' }} {{ undefined_thing }} {{ (1,2)[1] }} {{ {'a': 5}['a'] }} {{ 'A'|lower }} {{ '  q '|trim }}{% if 'a' in 'cat' and 3 not in [1,2] %}yes{% endif %} {{ 'abc'.replace('b','--') }} {{ range(3)|list|tojson }} {{ messages|length > 2 }} {{ 'é\u00e9'|tojson }}",
"space": "a\n  {% if true %}  \n  b {%- if true -%}  c\n {%- endif %}\n  {% endif %}\n\td {{ 1 }}\n  {{ 2 }}\n{#- x -#}  e\n",
"prec": "{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ not false and true }} {{ 1 < 2 and 2 >= 2 }} {{ 'a' ~ 1 * 2 ~ 3 }} {{ 1 + 2 }} {{ - 2 * 3 }} {{ 2 == 2 and 3 != 4 }} {{ 'abc'[1] }} {{ messages[-1].content }} {{ messages[0]['content'] is string }} {{ foo is not defined }} {{ (foo or 'z') }} {{ 4 / 2 }}",
}
MESSAGES = [
 [{"role":"user","content":"Hi there"}],
 [{"role":"system","content":"Be kind. "},{"role":"user","content":" Hällo 日本 \n"},{"role":"assistant","content":"Yes\n"},{"role":"user","content":"ok"}],
 [{"role":"assistant","content":"x"}],
]


class Raised(Exception):
    pass


def raise_exception(message):
    raise Raised(message)


env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
env.globals["raise_exception"] = raise_exception
env.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)

cases = []
for name, template in TEMPLATES.items():
    for messages in MESSAGES:
        for prompt in (True, False):
            variables = {
                "messages": messages,
                "add_generation_prompt": prompt,
                "bos_token": "<s>",
                "eos_token": "</s>",
            }
            case = {"name": name, "template": template, "variables": variables}
            try:
                case["text"] = env.from_string(template).render(**variables)
            except Raised as error:
                case["refusal"] = str(error)
            cases.append(case)
path = pathlib.Path(__file__).with_name("chat_goldens.json")
path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
