// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the files of the C API share: nothing is thrown out of them.

#ifndef HEDDLE_TEXT_APISUPPORT_H
#define HEDDLE_TEXT_APISUPPORT_H

#include "runtime/text/ChatTemplate.h"
#include "runtime/text/Failure.h"
#include "runtime/text/Labels.h"
#include "runtime/text/Speech.h"
#include "runtime/text/Tokenizer.h"
#include "runtime/text/heddle_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>

struct heddle_tokenizer {
  std::unique_ptr<heddle::text::Tokenizer> implementation;
  std::vector<int32_t> endIds;
  heddle::text::Labels labels;
  heddle::text::Speech speech;
  heddle::text::ChatTemplate chat;
};

namespace heddle::text {

/// An argument that must not be null.
struct Required {
  const char *name;
  const void *pointer;
};

/// Fills *error, where given, and returns `status`. A long message is cut, at a
/// whole character.
heddle_status report(heddle_error *error, heddle_status status,
                     std::string_view message);

/// Runs `body` and says how it went.
template <typename Body>
heddle_status guarded(std::initializer_list<Required> arguments,
                      heddle_error *error, const Body &body) noexcept {
  try {
    for (const Required &argument : arguments)
      if (!argument.pointer) {
        char message[64];
        snprintf(message, sizeof(message), "%s is null", argument.name);
        return report(error, HEDDLE_INVALID_ARGUMENT, message);
      }
    body();
    return report(error, HEDDLE_OK, "");
  } catch (const Failure &failure) {
    return report(error, failure.status(), failure.what());
  } catch (const std::bad_alloc &) {
    return report(error, HEDDLE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &exception) {
    return report(error, HEDDLE_INTERNAL_ERROR, exception.what());
  }
}

/// The `count` elements at `elements`, which may be null if there are none.
template <typename T>
Required required(const char *name, const T *elements, size_t count) {
  static const char none = 0;
  return {name, count == 0 ? static_cast<const void *>(&none) : elements};
}

/// A copy of `count` elements for heddle_text_free, with a zero behind them.
template <typename T> T *copyOut(const T *elements, size_t count) {
  T *copy = static_cast<T *>(calloc(count + 1, sizeof(T)));
  if (!copy)
    throw std::bad_alloc();
  std::copy(elements, elements + count, copy);
  return copy;
}

} // namespace heddle::text

#endif // HEDDLE_TEXT_APISUPPORT_H
