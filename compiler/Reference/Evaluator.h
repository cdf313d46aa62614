// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a module at the level of the heddle dialect, before or after fusion, in
// double precision: what compiled code is compared with. It is plain rather
// than fast. Weights are rounded, to the type of their heddle.weight; results
// of f32 are not, but infinite where rounding would make them so
// (FloatRange.h).

#ifndef HEDDLE_COMPILER_REFERENCE_EVALUATOR_H
#define HEDDLE_COMPILER_REFERENCE_EVALUATOR_H

#include "compiler/Import/TensorSource.h"
#include "compiler/Reference/Values.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::reference {

class Environment;

/// Registers what the reference knows of each op; without it, it knows none.
void registerReferenceModels(mlir::DialectRegistry &registry);

/// Not for use by many threads at once; it uses several itself.
class Evaluator {
public:
  using Results = llvm::SmallVector<Value>;
  /// Told of each op with the values of its operands and results after it has
  /// run, and may replace the results by others of the same types. Results that
  /// overflow become infinite after that. Ops that another one runs, as a
  /// launch runs those of its kernel, come before it. Caches among the operands
  /// have been changed already.
  using Observer = std::function<void(
      mlir::Operation *op, llvm::ArrayRef<Value> operands,
      llvm::MutableArrayRef<Value> results, const Environment &environment)>;

  /// Both must outlive this, and the module must not change. A module that
  /// holds the values of its weights needs no source.
  explicit Evaluator(mlir::ModuleOp module,
                     const TensorSource *source = nullptr)
      : module(module), source(source) {}

  void setObserver(Observer newObserver) { observer = std::move(newObserver); }

  /// Runs the func.func of that name. Caches among the arguments are changed:
  /// go on with those among the results. `symbols` are those of sizes that
  /// shapes of arguments do not tell.
  llvm::Expected<Results> run(llvm::StringRef function,
                              llvm::ArrayRef<Value> arguments,
                              const llvm::StringMap<int64_t> &symbols = {});

  /// Runs a func.func or a kernel. Caches of a kernel have one layer. Weights
  /// that are arguments are taken as they are, rounded or not.
  llvm::Expected<Results> run(mlir::FunctionOpInterface function,
                              llvm::ArrayRef<Value> arguments,
                              const llvm::StringMap<int64_t> &symbols = {});

  /// Runs a block, whose arguments have values already, up to its terminator.
  /// The results are the terminator's operands.
  llvm::Expected<Results> runBlock(mlir::Block &block, Environment &values);

  /// The value of a weight, rounded to its type.
  llvm::Expected<Value> weight(WeightOp op);
  /// That of the part which `reference` reads of it.
  llvm::Expected<Value> weight(WeightOp op, WeightRefOp reference);

private:
  llvm::Expected<Value> derivedWeight(WeightOp op);

  mlir::ModuleOp module;
  const TensorSource *source;
  Observer observer;
  llvm::DenseMap<mlir::Operation *, Value> weights;
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_EVALUATOR_H
