// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/Verify.h"

#include "compiler/CodeGen/AbiTypes.h"

using namespace heddle;

static llvm::Error differs(const llvm::Twine &what, const llvm::Twine &found,
                           const llvm::Twine &expected) {
  return llvm::createStringError(what + " is " + found + ", but would be " +
                                 expected +
                                 " if it were compiled from this model");
}

static llvm::Error compare(const std::string &where,
                           const heddle_argument &found,
                           const ArgumentPlan &expected) {
  if (found.name != expected.name)
    return differs("an argument of " + where, found.name, expected.name);
  std::string what = "argument '" + expected.name + "' of " + where;
  ValuesAttr values = expected.values;
  bool isSame = found.kind == uint32_t(expected.kind) &&
                found.type == uint32_t(expected.type) &&
                found.role == uint32_t(roleCode(expected.role)) &&
                (found.maximum != nullptr) == bool(values) &&
                (!values || (found.minimum == values.getMinimum() &&
                             found.maximum == values.getMaximum().str()));
  if (!isSame)
    return llvm::createStringError(
        what + " differs from that of this model in its kind, type or limits");
  if (found.rank != expected.extents.size())
    return differs("the rank of " + what, llvm::Twine(found.rank),
                   llvm::Twine(expected.extents.size()));
  for (auto [axis, extent] : llvm::enumerate(expected.extents))
    if (found.extent[axis] != extent.str())
      return differs("dimension " + llvm::Twine(axis) + " of " + what,
                     found.extent[axis], extent.str());
  return llvm::Error::success();
}

static llvm::Error compare(const heddle_entry &found,
                           const EntryPlan &expected) {
  if (found.name != expected.name)
    return differs("an entry point", found.name, expected.name);
  std::string where = "entry point '" + expected.name + "'";
  if (found.argument_count != expected.arguments.size())
    return differs("the number of arguments of " + where,
                   llvm::Twine(found.argument_count),
                   llvm::Twine(expected.arguments.size()));
  for (auto [index, argument] : llvm::enumerate(expected.arguments))
    if (llvm::Error error = compare(where, found.arguments[index], argument))
      return error;
  if (found.symbol_count != expected.symbols.size())
    return differs("the number of sizes of " + where,
                   llvm::Twine(found.symbol_count),
                   llvm::Twine(expected.symbols.size()));
  for (auto [index, symbol] : llvm::enumerate(expected.symbols))
    if (found.symbols[index].maximum != symbol.getMaximum())
      return differs("the largest " + symbol.getName().getValue() + " of " +
                         where,
                     llvm::Twine(found.symbols[index].maximum),
                     llvm::Twine(symbol.getMaximum()));
  if (found.kernel_count != expected.kernels)
    return differs("the number of kernels of " + where,
                   llvm::Twine(found.kernel_count),
                   llvm::Twine(expected.kernels));
  return llvm::Error::success();
}

llvm::Error heddle::checkCompiledFrom(const ModelPlan &plan,
                                      const heddle_model &model) {
  if (model.entry_count != plan.entries.size())
    return differs("the number of entry points", llvm::Twine(model.entry_count),
                   llvm::Twine(plan.entries.size()));
  for (auto [index, entry] : llvm::enumerate(plan.entries))
    if (llvm::Error error = compare(*model.entries[index], entry))
      return error;
  if (model.weights_size != uint64_t(plan.weights.size()))
    return differs("the size of the packed weights",
                   llvm::Twine(model.weights_size),
                   llvm::Twine(plan.weights.size()));
  return llvm::Error::success();
}
