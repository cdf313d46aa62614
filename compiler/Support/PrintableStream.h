// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text from files on its way to a terminal, which would obey it.

#ifndef HEDDLE_COMPILER_SUPPORT_PRINTABLESTREAM_H
#define HEDDLE_COMPILER_SUPPORT_PRINTABLESTREAM_H

#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Hands text on to another stream, with control characters spelt out ("\x1B")
/// except for newlines and tabs. Colours that are asked for remain.
class PrintableStream : public llvm::raw_ostream {
public:
  explicit PrintableStream(llvm::raw_ostream &target)
      : raw_ostream(/*unbuffered=*/true), target(target) {}

  raw_ostream &changeColor(Colors color, bool bold, bool background) override {
    target.changeColor(color, bold, background);
    return *this;
  }
  raw_ostream &resetColor() override {
    target.resetColor();
    return *this;
  }
  bool is_displayed() const override { return target.is_displayed(); }
  bool has_colors() const override { return target.has_colors(); }

private:
  void write_impl(const char *text, size_t size) override;
  uint64_t current_pos() const override { return target.tell(); }

  llvm::raw_ostream &target;
  bool hasLead = false; ///< the last byte began a character of U+0080 to U+00BF
};

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_PRINTABLESTREAM_H
