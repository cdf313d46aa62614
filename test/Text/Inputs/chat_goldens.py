# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes chat_goldens.json: what Jinja2 3.1 makes of templates, with the options and
functions that transformers gives it. Needs python3-jinja2.

The templates are those that models of these names come with, and some that try one thing
after the other.
"""

import json
import pathlib

import jinja_environment

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
"macros": "{% macro card(m, mark='*', end=mark ~ '\n') -%}\n{{ mark }}{{ m.role|title }}{{ varargs|join('/') }}{{ kwargs|tojson }}{{ caller(m.content) if caller is defined else '' }}{{ end }}\n{%- endmacro %}{% for m in messages %}{{ card(m) }}{{ card(m, '#', '.', 1, 2, k='v') }}{% call(c) card(m, mark='+') %}[{{ c|trim }}]{% endcall %}{% endfor %}{{ card.name }}{{ card.arguments }}{{ card.catch_kwargs }}{{ card }}",
"blocks": "{% filter upper|replace('I', 'i') %}a{{ messages[0].content }}{% endfilter %}{% set t | trim %}  {{ bos_token }}\n {% endset %}[{{ t }}]{% with a = 1, b = t %}{{ a ~ b }}{% endwith %}{{ a }}{% raw %}{{ not {% this %}{% endraw %}{% generation %}g{% set t = 1 %}{% endgeneration %}{{ t }}{% print 1, 'b' %}",
"loops": "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{{ loop.previtem.role }}<{{ m.role }}<{{ loop.nextitem.role if loop.nextitem is defined else '-' }}{{ loop.changed(m.role) }}{{ loop.cycle('a', 'b') }}{{ loop.revindex }}{% if loop.index > 2 %}{% break %}{% endif %}{% else %}none{% endfor %}{% for x in [1, [2, [3]]] recursive %}{{ loop.depth }}:{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}{% endif %}{% endfor %}{% for (a, b), c in [((1, 2), 3)] if c %}{{ a + b + c }}{% endfor %}{% for k, v in {'z': 1, 'a': 2}.items() %}{{ k }}{{ v }}{% endfor %}",
"filters": "{{ messages|map(attribute='role')|join(',') }} {{ messages|map('length')|list }} {{ messages|selectattr('role', 'in', ['user'])|list|length }} {{ messages|rejectattr('content')|list }} {{ [3, 1, 2]|sort(reverse=true) }} {{ ['b', 'A', 'a']|sort }} {{ ['b', 'A', 'a']|unique|list }} {{ {'b': 2, 'a': 1}|dictsort }} {{ messages|groupby('role')|map('first')|list }} {{ range(7)|batch(3, 'x')|list }} {{ range(7)|slice(3)|list }} {{ [1, 2.5]|sum }} {{ ['x', 'y']|last }} {{ 2.5|round }} {{ 2.675|round(2) }} {{ 42.55|round(1, 'floor') }} {{ '3.7'|int }} {{ 'x'|float(1.5) }} {{ -3|abs }} {{ 'a b-c'|title }} {{ 'hELLO é'|capitalize }} {{ 'abc def ghi jkl'|truncate(9) }} {{ 'a\nb'|indent(2, true) }} {{ 'aaa bbb cccc'|wordwrap(7) }} {{ '%s is %05.1f'|format('x', 2.25) }} {{ 'a b/c?'|urlencode }} {{ {'a': '<'}|xmlattr }} {{ '<a>&'|e }} {{ '<p>x</p> y'|striptags }} {{ 'one two'|wordcount }} {{ 'x'|center(5) }}| {{ 1500|filesizeformat }} {{ [1, [2, {'a': none}]]|tojson }} {{ {'b': 'é', 'a': [1]}|tojson(indent=2, sort_keys=true, ensure_ascii=true) }} {{ [1, 5]|max }} {{ 'abc'|reverse }} {{ ''|default('d', true) }} {{ {'a': 1}|items|list }} {{ [[1, 2], (3,), 'it\\'s', 1e20, 1.0, none] }}",
"strings": "{{ 'a,b,,c'.split(',', 2) }} {{ ' a  b '.split() }} {{ 'a b c'.rsplit(' ', 1) }} {{ 'xxhixx'.strip('x') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'aXbX'.replace('X', '-', 1) }} {{ \"they're bill's\".title() }} {{ 'straße'.upper() }} {{ 'abcabc'.find('c', 3) }} {{ 'abc'.rfind('z') }} {{ '-'.join(['a', 'b']) }} {{ 'a\nb\r\nc'.splitlines() }} {{ '²3'.isdigit() }} {{ 'prefix-x'.removeprefix('prefix-') }} {{ '{0}-{b!r:>5}-{:.2f}'.format(1, b='x') if false else '{}-{b!r:>5}'.format(1, b='x') }} {{ 'a=b=c'.partition('=') }} {{ '7'.zfill(3) }} {{ 'ab'.center(5, '*') }} {{ 'Ab'.swapcase() }} {{ 'aa'.count('a') }} {{ '%d%% %s' % (5, 'x') }} {{ 'a' 'b' * 2 }} {{ 'x' in 'xyz' }} {{ '\\x41\\u00e9\\101' }}",
"values": "{{ 7 / 2 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ 1e16 }} {{ 1e-5 }} {{ 0.1 + 0.2 }} {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 in [1] in [[1]] }} {{ [1, 2, 3, 4][::-2] }} {{ 'abcdef'[-4:-1:2] }} {{ (1, 2) + (3,) }} {{ [0] * 3 }} {{ 1_000 + 0x1f }} {{ true + 1 }} {{ 1 == 1.0 }} {{ none is none }} {{ 5 is divisibleby 5 }} {{ 5 is odd }} {{ 'x' is in ['x'] }} {{ 3 is gt 2 }} {{ [] is sameas [] }} {{ {'a': 1} is mapping }} {{ 1.5 is float }} {{ 'A' is upper }} {{ range(2, 9, 3)|list }} {{ range(3) }} {{ dict(a=1, b='c') }} {{ {'items': 5}['items'] }} {{ {'a': 1}.get('b', 'x') }} {{ {'a': 1}.keys()|list }} {% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }} {% set j = joiner('|') %}{{ j() }}{{ j() }} {% set n = namespace({'a': 1}, b=[]) %}{% set n.b = n.b + [n.a] %}{{ n.b }} {{ x is defined }} {{ 'a' if false }} {{ strftime_now('%Y-%m-%d') }} {{ 1, 2 }} {{ not 1 == 2 }} {{ (1 if x else 2) }}",
"unicode space": "a\u00a0{{- 'b' -}}\u3000c\x0b{%- if true -%}\u2003\x1cd\u2028{#- x -#}\x85e\n\u00a0\t{% endif %}\nf\u200b{{-\u3000'g'\x0c}}\n\x0b{% if true %}\r\nh\r{% endif %}\ri{%+ if true: +%}\n {#+ y +#}\n{% endif %}\n",
"prec": "{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ not false and true }} {{ 1 < 2 and 2 >= 2 }} {{ 'a' ~ 1 * 2 ~ 3 }} {{ 1 + 2 }} {{ - 2 * 3 }} {{ 2 == 2 and 3 != 4 }} {{ 'abc'[1] }} {{ messages[-1].content }} {{ messages[0]['content'] is string }} {{ foo is not defined }} {{ (foo or 'z') }} {{ 4 / 2 }}",
}
MESSAGES = [
 [{"role":"user","content":"Hi there"}],
 [{"role":"system","content":"Be kind. "},{"role":"user","content":" Hällo 日本 \n"},{"role":"assistant","content":"Yes\n"},{"role":"user","content":"ok"}],
 [{"role":"assistant","content":"x"}],
]


env = jinja_environment.environment()

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
            except jinja_environment.Raised as error:
                case["refusal"] = str(error)
            cases.append(case)
path = pathlib.Path(__file__).with_name("chat_goldens.json")
path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
