// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of a model that is one file.

#ifndef HEDDLE_TEST_FUZZ_IMPORTEDFILE_H
#define HEDDLE_TEST_FUZZ_IMPORTEDFILE_H

#include "compiler/Pipeline.h"
#include "test/Fuzz/MemoryFile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

namespace heddle::test {

/// Calls `import` with the path of a file of `data` and a context; aborts where
/// it gives a module that does not verify.
template <typename Import>
void importFile(const uint8_t *data, size_t size, Import import) {
  MemoryFile file(data, size);
  // Each has a context of its own, as attributes live as long as theirs.
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto imported = import(file.path(), context);
  if (!imported)
    llvm::consumeError(imported.takeError());
  else if (failed(mlir::verify(*imported->module)))
    abort();
}

} // namespace heddle::test

#endif // HEDDLE_TEST_FUZZ_IMPORTEDFILE_H
