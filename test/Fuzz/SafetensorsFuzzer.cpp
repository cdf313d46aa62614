// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a .safetensors file, which begins with its length.

#include "compiler/Import/SafeTensorsHeader.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) // which is refused before
    return 0;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto entries = readSafeTensorsHeader(bytes, "fuzz.safetensors");
  if (!entries) {
    llvm::consumeError(entries.takeError());
    return 0;
  }
  // What passes has all of its data.
  for (const TensorEntry &entry : *entries)
    if (entry.data.begin() < data || entry.data.end() > data + size)
      abort();
  return 0;
}
