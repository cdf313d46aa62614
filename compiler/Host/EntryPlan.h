// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller of an entry point sees, read from what its function declares.

#ifndef HEDDLE_COMPILER_HOST_ENTRYPLAN_H
#define HEDDLE_COMPILER_HOST_ENTRYPLAN_H

#include "compiler/Host/WeightPlan.h"
#include "compiler/Support/UsualSizes.h"
#include "dialect/Heddle/GenerationDefaults.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/SizeRange.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace heddle {

struct ArgumentPlan {
  std::string name;
  heddle_argument_kind kind;
  heddle_type type;
  ArgumentRole role = ArgumentRole::Other;
  /// Of a cache: batch, capacity and the bytes of a position.
  Sizes extents;
  SizeAttr bytes;    ///< of the whole buffer
  ValuesAttr values; ///< null where any value is right
  /// The argument with the lengths that say what is padding.
  std::optional<unsigned> padding;
  CacheType cache; ///< for caches
  /// For outputs: the number of the function's result.
  unsigned result = 0;

  /// The argument whose values are added to this one's.
  std::optional<unsigned> lengths() const;
  /// Of a cache: the arrays of sequences that it is, with the bytes that a
  /// position takes in each. None of any other argument.
  llvm::SmallVector<int64_t> parts() const;
  /// heddle_argument's of a cache; 0 of any other argument.
  uint32_t layout() const;
};

struct EntryPlan {
  std::string name;
  std::vector<SymbolAttr> symbols;
  std::vector<BroadcastAttr> broadcasts; ///< what calls check of sizes
  std::vector<SizeAttr> counts;          ///< what they check to be at least 0
  /// First those of the function, then an output for each tensor that it
  /// returns.
  std::vector<ArgumentPlan> arguments;
  unsigned kernels = 0; ///< how many launches there are

  std::optional<unsigned> symbol(llvm::StringRef name) const;
  /// The symbols, for usualSizes.
  llvm::SmallVector<ChosenSize> chosenSizes() const;
  /// Between which numbers `size` is, given what its symbols may be.
  SizeRange rangeOf(SizeAttr size) const;
  /// The value of `size` in a call with these sizes of the symbols.
  int64_t evaluate(SizeAttr size, llvm::ArrayRef<int64_t> sizes) const;
  llvm::SmallVector<int64_t> evaluate(llvm::ArrayRef<SizeAttr> list,
                                      llvm::ArrayRef<int64_t> sizes) const;
  /// The first symbol with that role.
  std::optional<unsigned> symbol(SymbolRole role) const;
  /// Whether an argument is a cache.
  bool hasCaches() const;
};

/// The whole object.
struct ModelPlan {
  std::vector<EntryPlan> entries;
  WeightPlan weights;
  /// The ids that begin a sequence and end an answer, and how answers are made,
  /// if the module says so.
  std::vector<int64_t> startIds, endIds;
  std::optional<GenerationDefaults> generation;
};

/// Names of an argument and of a result of `function`: heddle.name, or
/// "argument0", "result0".
std::string argumentName(mlir::func::FuncOp function, unsigned index);
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// The elements of a tensor, or what `type` is, in C.
heddle_type typeOf(mlir::Type type);

/// How many positions of sequences a cache has room for.
SizeAttr positionsOf(CacheType cache);
/// How much memory a tensor or a cache takes.
SizeAttr bytesOf(mlir::Type type);

/// Of a function that has been through --heddle-declare-roles.
EntryPlan planEntry(mlir::func::FuncOp function);

/// Of every func.func of `module`, whose kernels have been formed.
ModelPlan planModel(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_ENTRYPLAN_H
