// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a module at the level of the heddle dialect, before or after fusion, in
// double precision: what compiled code is compared with. It is plain rather
// than fast. Only weights are rounded, to the type of their heddle.weight.

#ifndef HEDDLE_COMPILER_REFERENCE_EVALUATOR_H
#define HEDDLE_COMPILER_REFERENCE_EVALUATOR_H

#include "compiler/Reference/Values.h"
#include "compiler/Reference/WeightSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::reference {

class Environment;

/// Not for use by many threads at once; it uses several itself.
class Evaluator {
public:
  using Results = llvm::SmallVector<Value>;
  /// Told of each op with the values of its operands and results after it has
  /// run, and may replace the results by others of the same types. Of a launch,
  /// the kernel's ops come first. Caches among the operands have been changed
  /// already.
  using Observer = std::function<void(
      mlir::Operation *op, llvm::ArrayRef<Value> operands,
      llvm::MutableArrayRef<Value> results, const Environment &environment)>;

  /// Both must outlive this, and the module must not change. A module that
  /// holds the values of its weights needs no source.
  explicit Evaluator(mlir::ModuleOp module,
                     const WeightSource *source = nullptr)
      : module(module), source(source) {}

  void setObserver(Observer newObserver) { observer = std::move(newObserver); }

  /// Runs the func.func of that name. Caches among the arguments are changed:
  /// go on with those among the results. `symbols` are those of sizes that
  /// shapes of arguments do not tell.
  llvm::Expected<Results> run(llvm::StringRef function,
                              llvm::ArrayRef<Value> arguments,
                              const llvm::StringMap<int64_t> &symbols = {});

  /// Runs one kernel. Its caches have one layer. Weights that are arguments are
  /// taken as they are, rounded or not.
  llvm::Expected<Results>
  evaluateKernel(KernelOp kernel, llvm::ArrayRef<Value> arguments,
                 const llvm::StringMap<int64_t> &symbols = {});

  /// The value of a weight, rounded to its type.
  llvm::Expected<Value> weight(WeightOp op);

private:
  llvm::Expected<Results> runBody(mlir::FunctionOpInterface function,
                                  llvm::ArrayRef<Value> arguments,
                                  const llvm::StringMap<int64_t> &symbols);
  llvm::Expected<Results> runBlock(mlir::Block &block, Environment &values);
  llvm::Expected<Results> runOp(mlir::Operation *op, const Environment &values);
  llvm::Expected<Results> runLaunch(LaunchOp op, const Environment &values);
  llvm::Expected<Results> runWeightRef(WeightRefOp op);

  // EvaluateControlFlow.cpp
  static bool isControlFlow(mlir::Operation *op);
  llvm::Expected<Results> runControlFlow(mlir::Operation *op,
                                         Environment &values);
  llvm::Expected<Results> run(mlir::scf::ForOp op, Environment &values);
  llvm::Expected<Results> run(mlir::scf::WhileOp op, Environment &values);
  llvm::Expected<Results> run(mlir::scf::IfOp op, Environment &values);
  llvm::Expected<Results> run(mlir::func::CallOp op, Environment &values);

  mlir::ModuleOp module;
  const WeightSource *source;
  Observer observer;
  llvm::DenseMap<mlir::Operation *, Value> weights;
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_EVALUATOR_H
