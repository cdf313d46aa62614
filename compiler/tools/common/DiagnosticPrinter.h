// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_DIAGNOSTICPRINTER_H
#define HEDDLE_COMPILER_TOOLS_COMMON_DIAGNOSTICPRINTER_H

#include "compiler/Support/PrintableStream.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// Text from files is quoted in diagnostics.
struct PrintableErrors {
  PrintableStream stream{llvm::errs()};
};

/// Prints what MLIR reports to standard error. What was read from text is
/// named by its place there, `model.mlir:3:5: error: ...`, and what was
/// imported by its name in the checkpoint,
/// `model.layers.0.self_attn: error: ...`.
class DiagnosticPrinter : private PrintableErrors,
                          public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context);

private:
  void print(mlir::Diagnostic &diagnostic);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_DIAGNOSTICPRINTER_H
