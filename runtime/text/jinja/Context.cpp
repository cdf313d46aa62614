// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Context.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

Context::~Context() {
  for (const auto &object : objects)
    object->clear();
}

void Context::step() {
  if (++steps > kMostSteps)
    throw Refusal{"the template takes more than a million steps"};
}

void Context::addWork(size_t bytes) {
  work += bytes;
  if (bytes > kMostWork || work > kMostWork)
    throw Refusal{"the template works on more than 256 MiB"};
}

void TextBuilder::add(std::string_view part) {
  if (result.size() + part.size() > kMostBytes)
    throw Refusal{"a text has more than 16 MiB"};
  context.addWork(part.size());
  result += part;
}

void TextBuilder::add(size_t count, std::string_view part) {
  if (part.empty())
    return;
  if (count > kMostBytes)
    throw Refusal{"a text has more than 16 MiB"};
  context.addWork(count);
  for (size_t i = 0; i < count; ++i)
    add(part);
}

void ListBuilder::add(Value value) {
  if (elements.size() >= kMostElements)
    throw Refusal{"a list has more than " + std::to_string(kMostElements) +
                  " elements"};
  context.addWork(sizeof(Value));
  elements.push_back(std::move(value));
}
