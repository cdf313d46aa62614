// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_IMPORT_SAFETENSORSTESTING_H
#define HEDDLE_TEST_IMPORT_SAFETENSORSTESTING_H

#include "compiler/Import/SafeTensors.h"

#include "test/Import/ImportTesting.h"

#include "llvm/Support/Endian.h"

#include "gtest/gtest.h"

namespace safetensors_testing {

using heddle::openSafeTensorsFolder;
using heddle::TemporaryFolder;
using heddle::TensorSource;

/// The bytes of a safetensors file.
inline std::string fileOf(llvm::StringRef header, llvm::StringRef data) {
  std::string bytes(8, '\0');
  llvm::support::endian::write64le(bytes.data(), header.size());
  return bytes + header.str() + data.str();
}

/// The same with `dataSize` bytes of letters.
inline std::string fileOf(llvm::StringRef header, size_t dataSize) {
  std::string data;
  for (size_t i = 0; i < dataSize; ++i)
    data += char('a' + i % 26);
  return fileOf(header, data);
}

/// Opens the folder, which must fail with a message that holds each of `parts`.
inline void expectError(const TemporaryFolder &folder,
                        std::initializer_list<llvm::StringRef> parts) {
  llvm::Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
  ASSERT_FALSE(bool(tensors)) << "expected an error";
  std::string message = llvm::toString(tensors.takeError());
  for (llvm::StringRef part : parts)
    EXPECT_NE(message.find(part.str()), std::string::npos)
        << "expected: " << part.str() << "\nmessage:  " << message;
}

/// The same with `bytes` as the folder's only file.
inline void expectFileError(llvm::StringRef bytes,
                            std::initializer_list<llvm::StringRef> parts) {
  TemporaryFolder folder;
  folder.write("model.safetensors", bytes);
  expectError(folder, parts);
  expectError(folder, {"model.safetensors: "});
}

} // namespace safetensors_testing

#endif // HEDDLE_TEST_IMPORT_SAFETENSORSTESTING_H
