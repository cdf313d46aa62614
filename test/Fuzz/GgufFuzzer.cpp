// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GGUF file, to a module that is verified.

#include "compiler/Import/GgufModel.h"
#include "compiler/Pipeline.h"
#include "test/Fuzz/MemoryFile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test::MemoryFile file(data, size);
  // Each has a context of its own, as attributes live as long as theirs.
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto imported = importGguf(file.path(), {}, context);
  if (!imported) {
    llvm::consumeError(imported.takeError());
    return 0;
  }
  if (failed(mlir::verify(*imported->module)))
    abort();
  return 0;
}
