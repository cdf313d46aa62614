// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in a .npy file, of the type that the first byte chooses; or, of a
// last one, tensors in a .npz file.

#include "compiler/tools/common/Npz.h"

#include "test/Fuzz/MemoryFile.h"

using namespace heddle;
using heddle::test::MemoryFile;

static constexpr heddle_type kTypes[] = {
    HEDDLE_TYPE_F32, HEDDLE_TYPE_BF16,  HEDDLE_TYPE_F16, HEDDLE_TYPE_I32,
    HEDDLE_TYPE_I8,  HEDDLE_TYPE_I64,   HEDDLE_TYPE_I1,  HEDDLE_TYPE_F64,
    HEDDLE_TYPE_U8,  HEDDLE_TYPE_F8E4M3};

static void check(llvm::Expected<NpyArray> array) {
  if (!array) {
    llvm::consumeError(array.takeError());
    return;
  }
  if (npyDataSize(array->type, array->shape) != array->data.size())
    abort();
  // What is read is written in one way, which is read as the same.
  auto again = parseNpy(formatNpy(*array), "again.npy", array->type);
  if (!again || again->shape != array->shape || again->data != array->data)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  size_t choice = data[0] % (std::size(kTypes) + 1);
  if (choice < std::size(kTypes)) {
    llvm::StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
    check(parseNpy(bytes, "fuzz.npy", kTypes[choice]));
    return 0;
  }
  MemoryFile file(data + 1, size - 1);
  auto archive = NpzFile::open(file.path());
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return 0;
  }
  for (const std::string &name : archive->names())
    check(archive->read(name, HEDDLE_TYPE_F32));
  return 0;
}
