// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX file, to a module that is verified.

#include "compiler/Import/OnnxModel.h"
#include "test/Fuzz/ImportedFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  heddle::test::importFile(
      data, size, [](llvm::StringRef path, mlir::MLIRContext &context) {
        return heddle::importOnnx(path, {}, context);
      });
  return 0;
}
