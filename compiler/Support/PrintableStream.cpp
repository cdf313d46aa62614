// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/PrintableStream.h"

#include "llvm/Support/Format.h"

void heddle::PrintableStream::write_impl(const char *text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters, too: C2 80 to C2 9F in UTF-8.
    bool isLate = hasLead && byte >= 0x80 && byte < 0xa0;
    bool isEarly =
        (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    if (isEarly || isLate)
      target << llvm::format("\\x%02X", byte);
    else
      target << text[i];
    hasLead = byte == 0xc2;
  }
}
