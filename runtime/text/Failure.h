// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How everything here fails: by throwing. ApiSupport.h turns it into a status.

#ifndef HEDDLE_TEXT_FAILURE_H
#define HEDDLE_TEXT_FAILURE_H

#include "heddle.h"

#include <stdexcept>
#include <string>

namespace heddle::text {

/// What a caller or a file did wrong, and what it is called in the C API.
class Failure : public std::runtime_error {
public:
  explicit Failure(const std::string &message,
                   heddle_status status = HEDDLE_INVALID_ARGUMENT)
      : std::runtime_error(message), failed(status) {}

  heddle_status status() const { return failed; }

private:
  heddle_status failed;
};

/// Throws what a function of the runtime says.
inline void check(heddle_status status, const heddle_error &error) {
  if (status != HEDDLE_OK)
    throw Failure(error.message, status);
}

} // namespace heddle::text

#endif // HEDDLE_TEXT_FAILURE_H
