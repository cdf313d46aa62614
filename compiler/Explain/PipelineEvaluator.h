// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of funcs of a pipeline at single points, computed from the same
// ops that Halide compiles. What depends on something unknown is unknown,
// unless it is the same whatever that is.

#ifndef HEDDLE_COMPILER_EXPLAIN_PIPELINEEVALUATOR_H
#define HEDDLE_COMPILER_EXPLAIN_PIPELINEEVALUATOR_H

#include "compiler/Reference/ScalarMath.h"
#include "dialect/Halide/HalideDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle {

class PipelineEvaluator {
public:
  /// None where it is not known.
  using Number = std::optional<reference::Scalar>;
  using SizeOf = std::function<std::optional<int64_t>(SizeAttr)>;
  /// The elements of an argument of the kernel; null where they are unknown.
  using ArgumentOf =
      std::function<std::shared_ptr<const reference::Tensor>(unsigned)>;

  PipelineEvaluator(halide::PipelineOp pipeline, SizeOf sizeOf,
                    ArgumentOf argumentOf);

  /// Goes on with another task.
  void setTask(int64_t number);

  /// Whether there is a func of that name.
  bool has(llvm::StringRef func) {
    return bool(pipeline.lookupSymbol<halide::FuncOp>(func));
  }
  /// The integer that a func has at these coordinates.
  std::optional<int64_t> evaluate(llvm::StringRef func,
                                  llvm::ArrayRef<int64_t> coordinates);

  /// Takes this for a func without coordinates, for the rest of the task.
  void assume(llvm::StringRef func, int64_t value);

private:
  using Numbers = llvm::SmallVector<Number, 4>;

  /// An op, with the registers of its operands and its result.
  struct Step {
    mlir::Operation *op;
    /// Of arithmetic; none where it is something else, or not understood.
    std::optional<reference::ScalarOp> scalar;
    llvm::SmallVector<unsigned, 4> operands;
    unsigned result = 0;
    mlir::Operation *source = nullptr; ///< what an access reads
  };
  using Steps = std::vector<Step>;

  /// A func while its updates run.
  struct Partial {
    mlir::Operation *func;
    Numbers coordinates, values;
  };

  unsigned registerOf(mlir::Value value);
  Step makeStep(mlir::Operation &op);
  const Steps &stepsOf(mlir::Block &block);
  std::optional<int64_t> integerOf(mlir::Value value);
  /// Runs a block with these arguments, and returns what it yields.
  Numbers run(mlir::Block &block, llvm::ArrayRef<Number> arguments);
  void run(const Step &step);
  Number compute(const Step &step, llvm::ArrayRef<Number> operands);
  Number access(const Step &step, llvm::ArrayRef<Number> coordinates);
  Number readInput(halide::InputOp input, llvm::ArrayRef<Number> coordinates);
  Numbers valuesOf(halide::FuncOp func, llvm::ArrayRef<Number> coordinates);
  /// Runs an update at the point of `partial`; false where it cannot.
  bool update(halide::UpdateOp op, Partial &partial);

  halide::PipelineOp pipeline;
  SizeOf sizeOf;
  ArgumentOf argumentOf;
  int64_t task = 0;
  llvm::DenseMap<mlir::Value, unsigned> registers;
  std::vector<Number> numbers;
  Steps top; ///< what stands outside of funcs
  llvm::DenseMap<mlir::Block *, std::unique_ptr<Steps>> steps;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<halide::UpdateOp, 1>>
      updates;
  llvm::SmallVector<Partial *> partials;
  /// Of this task: funcs without coordinates.
  llvm::DenseMap<mlir::Operation *, Numbers> known;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_EXPLAIN_PIPELINEEVALUATOR_H
