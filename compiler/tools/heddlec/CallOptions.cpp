// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/CallOptions.h"

#include "compiler/tools/common/NamedValue.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

llvm::Expected<std::map<std::string, int64_t>>
CallOptions::parseSizes(const ModelPlan &plan, StringRef model) const {
  SmallVector<StringRef> names;
  for (const EntryPlan &known : plan.entries)
    names.push_back(known.name);
  if (!entry.empty() && !llvm::is_contained(names, entry))
    return llvm::createStringError(
        "model '" + model + "' has no entry point '" + entry +
        "', expected one of: " + llvm::join(names, ", "));
  SmallVector<StringRef> known;
  for (const EntryPlan &entry : plan.entries)
    for (SymbolAttr symbol : entry.symbols)
      known.push_back(symbol.getName());
  return heddle::parseSizes(sizes, model, known);
}
