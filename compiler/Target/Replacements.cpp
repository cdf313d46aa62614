// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Target/Replacements.h"

#include "compiler/Support/ModuleFile.h"

using namespace mlir;
using namespace heddle;

FailureOr<Replacements> Replacements::read(MLIRContext *context,
                                           StringRef file) {
  Replacements replacements;
  if (file.empty())
    return replacements;
  replacements.source = parseModuleFile(file, context);
  if (!replacements.source)
    return failure();
  SmallVector<ConfigureOp> ops;
  replacements.source->walk([&](ConfigureOp op) { ops.push_back(op); });
  for (ConfigureOp op : ops) {
    bool isLayout = isa<LayoutAttr>(op.getConfiguration());
    ByName &list = isLayout ? replacements.weights : replacements.kernels;
    auto [earlier, isFirst] = list.try_emplace(op.getNameAttr().getAttr(), op);
    if (isFirst)
      continue;
    InFlightDiagnostic error = op.emitOpError("a second configuration of ")
                               << op.getNameAttr();
    error.attachNote(earlier->second.getLoc()) << "the first one is here";
    return failure();
  }
  return replacements;
}
