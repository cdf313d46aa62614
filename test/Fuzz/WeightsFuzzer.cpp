// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of packed weights. The first byte says which of its checksums are made
// right, which no fuzzer would find, and whether that of the data is compared.

#include "runtime/heddle.h"
#include "test/Fuzz/MemoryFile.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

using heddle::test::MemoryFile;

static heddle_model makeModel() {
  heddle_model model = {};
  model.abi_version = HEDDLE_ABI_VERSION;
  model.struct_size = sizeof(heddle_model);
  model.name = "fuzz";
  model.target_cpu = "x86-64";
  model.cpu_features = "";
  model.fingerprint = 7;
  model.weights_size = 64;
  return model;
}

static void repair(std::vector<uint8_t> &file, uint8_t flags) {
  heddle_weights_header header;
  if (file.size() < sizeof(header))
    return;
  std::memcpy(&header, file.data(), sizeof(header));
  bool isInside = header.data_offset <= file.size() &&
                  header.data_size <= file.size() - header.data_offset;
  if ((flags & 1) && isInside)
    header.data_checksum =
        XXH3_64bits(file.data() + header.data_offset, header.data_size);
  if (flags & 2)
    header.header_checksum =
        XXH3_64bits(&header, offsetof(heddle_weights_header, header_checksum));
  std::memcpy(file.data(), &header, sizeof(header));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static const heddle_model model = makeModel();
  std::vector<uint8_t> content(data + 1, data + size);
  if (data[0] & 8) // the zeros in front of the data
    content.insert(content.begin() +
                       std::min(content.size(), sizeof(heddle_weights_header)),
                   4096 - sizeof(heddle_weights_header), 0);
  repair(content, data[0]);
  MemoryFile file(content.data(), content.size());
  heddle_weights *weights = nullptr;
  heddle_error error = {};
  if (heddle_weights_open(&model, file.path().c_str(), (data[0] & 4) != 0,
                          nullptr, &weights, &error))
    return 0;
  // What is accepted can be read to its end.
  static volatile uint8_t last;
  size_t bytes = 0;
  auto *values =
      static_cast<const uint8_t *>(heddle_weights_data(weights, &bytes));
  for (size_t i = 0; i < bytes; ++i)
    last = values[i];
  heddle_weights_close(weights);
  return 0;
}
