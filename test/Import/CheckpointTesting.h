// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_IMPORT_CHECKPOINTTESTING_H
#define HEDDLE_TEST_IMPORT_CHECKPOINTTESTING_H

#include "test/Import/ImportTesting.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace heddle {

/// The tensors of a safetensors file that a test makes.
struct Checkpoint {
  struct Entry {
    std::string dtype;
    llvm::SmallVector<int64_t> shape;
    std::string data;
  };
  std::map<std::string, Entry> tensors;

  /// Adds or replaces a tensor; its bytes differ from those of other names.
  void set(const std::string &name, llvm::ArrayRef<int64_t> shape,
           const std::string &dtype = "F32") {
    int64_t bytes = dtype == "I8" ? 1 : dtype == "F32" ? 4 : 2;
    for (int64_t extent : shape)
      bytes *= extent;
    std::string data(bytes, '\0');
    unsigned seed = llvm::hash_value(name) & 0x3f;
    // Small positive numbers in each of the types.
    for (int64_t i = 0; i < bytes; ++i)
      data[i] = (seed + i) & 0x3f;
    tensors[name] = {dtype, llvm::SmallVector<int64_t>(shape), data};
  }

  std::string bytes() const {
    std::string header = "{", data;
    for (const auto &[name, entry] : tensors) {
      if (header.size() > 1)
        header += ",";
      header += llvm::formatv(
          R"("{0}":{{"dtype":"{1}","shape":[{2:$[,]}],"data_offsets":[{3},{4}]})",
          name, entry.dtype,
          llvm::make_range(entry.shape.begin(), entry.shape.end()), data.size(),
          data.size() + entry.data.size());
      data += entry.data;
    }
    header += "}";
    std::string length(8, '\0');
    llvm::support::endian::write64le(length.data(), header.size());
    return length + header + data;
  }
};

} // namespace heddle

#endif // HEDDLE_TEST_IMPORT_CHECKPOINTTESTING_H
