// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddlec --import-report: what became of the nodes of a graph.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_IMPORTREPORT_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_IMPORTREPORT_H

#include "compiler/Import/ImportedModel.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

class ImportReport {
public:
  /// Of a model that has just been imported, and has node counts.
  explicit ImportReport(const ImportedModel &model);

  /// Takes what a pass remarks. What stood in the way of attention is part of
  /// the report.
  void addRemark(const mlir::Diagnostic &remark);

  /// Takes whether there is a decoder of a cache now, or what stands in its
  /// way, if anything does; or an encoder.
  void setTextEntries(mlir::ModuleOp module,
                      const std::optional<std::string> &obstacle);

  /// The report as text, of the module with its kernels. `path` is the file's.
  std::string write(mlir::ModuleOp kernels, llvm::StringRef path) const;

private:
  NodeCounts nodes;
  int64_t ops = 0;
  std::string entries; ///< a line, or nothing
  /// Places of attention that was an op at once, and of what looks like it.
  std::vector<std::string> stated, refused;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_IMPORTREPORT_H
