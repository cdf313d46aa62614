// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One function for each op, which reads like the op's formula in its .td. For
// the evaluator's own use. To add an op: a function here, defined in the file
// that is named like the op's .td, and a line in Evaluator::runOp.

#ifndef HEDDLE_COMPILER_REFERENCE_EVALUATE_H
#define HEDDLE_COMPILER_REFERENCE_EVALUATE_H

#include "compiler/Reference/Values.h"
#include "compiler/Reference/WeightSource.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::reference {

/// The values of a block's SSA values.
class Environment {
public:
  void set(mlir::Value name, Value value) {
    values.insert_or_assign(name, std::move(value));
  }
  void drop(mlir::Value name) { values.erase(name); }

  const Value &operator[](mlir::Value name) const {
    return values.find(name)->second;
  }
  std::shared_ptr<const Tensor> tensor(mlir::Value name) const {
    return (*this)[name].tensor();
  }

  /// Says what the symbols of sizes are.
  void bind(llvm::StringRef symbol, int64_t value) { symbols[symbol] = value; }
  std::optional<int64_t> symbol(llvm::StringRef name) const {
    auto found = symbols.find(name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  }
  const llvm::StringMap<int64_t> &allSymbols() const { return symbols; }
  /// The value of a size that `op` needs.
  llvm::Expected<int64_t> evaluate(mlir::Operation *op, SizeAttr size) const;

private:
  llvm::DenseMap<mlir::Value, Value> values;
  llvm::StringMap<int64_t> symbols;
};

/// An error at `op`: "LOCATION: 'heddle.linear': MESSAGE".
llvm::Error fail(mlir::Operation *op, const llvm::Twine &message);

/// Demands that `found` is `expected`, both sizes of `what`.
llvm::Error expectSize(mlir::Operation *op, const llvm::Twine &what,
                       int64_t expected, int64_t found);

// EvaluateWeights.cpp
llvm::Expected<Value> evaluate(WeightOp op, const WeightSource *source);
llvm::Expected<Value> evaluate(RotaryTableOp op, const Environment &values);
/// The elements of a constant tensor.
llvm::Expected<Value> evaluateElements(mlir::Operation *op,
                                       mlir::ElementsAttr elements);

// EvaluateLayers.cpp
llvm::Expected<Value> evaluate(EmbeddingOp op, const Environment &values);
llvm::Expected<Value> evaluate(RMSNormOp op, const Environment &values);
llvm::Expected<Value> evaluate(LinearOp op, const Environment &values);
llvm::Expected<Value> evaluate(ActivationOp op, const Environment &values);
llvm::Expected<Value> evaluate(GatedFeedForwardOp op,
                               const Environment &values);
llvm::Expected<Value> evaluate(RotaryOp op, const Environment &values);
llvm::Expected<Value> evaluate(LastTokenOp op, const Environment &values);
/// x W^T + b, where `bias` is not null.
Tensor linear(const Tensor &x, const Value &weight, const Value *bias);
void activate(ActivationKind kind, Tensor &x);
/// The sum of x[i] * y[i].
double dot(llvm::ArrayRef<double> x, llvm::ArrayRef<double> y);

// EvaluateMasks.cpp
llvm::Expected<Value> evaluate(CausalMaskOp op, const Environment &values);
llvm::Expected<Value> evaluate(LengthsMaskOp op, const Environment &values);
llvm::Expected<Value> evaluate(AndMaskOp op, const Environment &values);
llvm::Expected<Value> evaluate(OrMaskOp op, const Environment &values);
llvm::Expected<Value> evaluate(NotMaskOp op, const Environment &values);

// EvaluateAttention.cpp
llvm::Expected<Value> evaluate(AttentionOp op, const Environment &values);
llvm::Expected<Value> evaluate(CacheAppendOp op, const Environment &values);
/// The keys and the values.
llvm::Expected<std::pair<Value, Value>> evaluate(CacheReadOp op,
                                                 const Environment &values);

/// EvaluateControlFlow.cpp: one element, as a tensor without dimensions.
llvm::Expected<Value> evaluate(mlir::tensor::ExtractOp op,
                               const Environment &values);

/// EvaluateElementwise.cpp: ops of arith and math, on tensors.
llvm::Expected<Value> evaluateElementwise(mlir::Operation *op,
                                          const Environment &values);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_EVALUATE_H
