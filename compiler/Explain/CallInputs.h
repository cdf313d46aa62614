// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes and inputs of a call that is explained: as the user gives them, or
// as follows from what masks make of them.

#ifndef HEDDLE_COMPILER_EXPLAIN_CALLINPUTS_H
#define HEDDLE_COMPILER_EXPLAIN_CALLINPUTS_H

#include "compiler/Explain/ExplainMasks.h"
#include "compiler/Explain/KnownValues.h"

#include "llvm/ADT/SetVector.h"

namespace heddle {

class CallInputs {
public:
  /// Of a call of `function`, which `entry` describes and must outlive this.
  static llvm::Expected<CallInputs> create(mlir::ModuleOp module,
                                           mlir::func::FuncOp function,
                                           const EntryPlan &entry,
                                           reference::Evaluator &evaluator,
                                           const ExplainedCall &call);

  KnownValues &values() { return known; }

  /// Gives the integers that masks of `attention` read, and that nobody gave:
  /// lengths are the longest, and the last query stands at the last key.
  llvm::Error assume(LaunchOp launch, AttentionOp attention);

  /// What a value of the kernel is called: "ids", or "from ids, starts" where
  /// it is computed.
  std::string nameOf(LaunchOp launch, mlir::Value value);
  /// The inputs that the mask of `attention` reads, and whence they are known;
  /// may be empty.
  std::string describe(LaunchOp launch, AttentionOp attention);

private:
  CallInputs(mlir::func::FuncOp function, const EntryPlan &entry,
             KnownValues known)
      : function(function), entry(entry), known(std::move(known)),
        notes(entry.arguments.size()) {}

  llvm::Error readInputs(const ExplainedCall &call);
  /// What a value of the kernel is made of: arguments of the function, weights
  /// and what loops carry round.
  llvm::SetVector<mlir::Value> sourcesOf(LaunchOp launch, mlir::Value value);
  /// The number of an argument of the function.
  std::optional<unsigned> numberOf(mlir::Value value);
  /// The argument of the function that a value of the kernel is, if it is one.
  std::optional<unsigned> argumentOf(LaunchOp launch, mlir::Value value);
  std::optional<llvm::SmallVector<int64_t>> shapeOf(unsigned argument);
  /// Gives an argument of i32 or i64, of which nobody gave anything, the
  /// largest number that it may be for each sequence, or `otherwise`.
  llvm::Error assume(unsigned argument, int64_t otherwise);

  mlir::func::FuncOp function;
  const EntryPlan &entry;
  KnownValues known;
  /// Of each argument: whence its value is; empty where it is not known.
  std::vector<std::string> notes;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_EXPLAIN_CALLINPUTS_H
