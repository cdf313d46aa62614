// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX file, to a module with what the library of text calls, which is
// verified.

#include "compiler/Import/OnnxModel.h"
#include "compiler/TextEntries/TextEntries.h"
#include "test/Fuzz/ImportedFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  heddle::test::importFile(
      data, size, [](llvm::StringRef path, mlir::MLIRContext &context) {
        auto imported = heddle::importOnnx(path, {}, context);
        if (imported)
          heddle::addTextEntries(*imported->module, imported->tensors.get());
        return imported;
      });
  return 0;
}
