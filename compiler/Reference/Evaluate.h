// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the files of formulas are made of, for the evaluator's own use. Each op
// is a function that reads like the formula in its .td, and a line in the
// registration at the end of the same file.

#ifndef HEDDLE_COMPILER_REFERENCE_EVALUATE_H
#define HEDDLE_COMPILER_REFERENCE_EVALUATE_H

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/ReferenceInterfaces.h"

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

//===-- Models ------------------------------------------------------------===//

/// What formulas return, as the interface has it.
inline llvm::Expected<Results> asResults(llvm::Expected<Value> value) {
  if (!value)
    return value.takeError();
  return Results{std::move(*value)};
}
inline llvm::Expected<Results> asResults(llvm::Expected<Results> results) {
  return results;
}

/// The reference of an op whose formula is a function of its file:
/// `evaluate(Op, const Environment &)`, which returns a Value or Results.
template <typename Op>
struct Formula : ReferenceOpInterface::ExternalModel<Formula<Op>, Op> {
  llvm::Expected<Results> run(mlir::Operation *op, Evaluator &,
                              Environment &values) const {
    return asResults(evaluate(llvm::cast<Op>(op), std::as_const(values)));
  }
};

/// Bounds of `values`, results of `type` before those that overflow become
/// infinite.
Bounds boundsInRange(mlir::Type type, const Tensor &values, Bounds bounds);

/// The bounds of an op whose one result is a tensor, by `boundOf` beside its
/// formula. It gets the errors of operands, values and the result.
template <typename Op>
struct Bounded : ErrorBoundOpInterface::ExternalModel<Bounded<Op>, Op> {
  llvm::SmallVector<Bounds> boundErrors(mlir::Operation *op,
                                        const ErrorBounds &errors,
                                        const Environment &values,
                                        llvm::ArrayRef<Value> results) const {
    const Tensor &result = *results[0].tensor();
    return {boundsInRange(op->getResult(0).getType(), result,
                          boundOf(llvm::cast<Op>(op), errors, values, result))};
  }
};

/// Those of an op that hands on what memory holds.
template <typename Op>
struct Exact : ErrorBoundOpInterface::ExternalModel<Exact<Op>, Op> {
  llvm::SmallVector<Bounds> boundErrors(mlir::Operation *, const ErrorBounds &,
                                        const Environment &,
                                        llvm::ArrayRef<Value> results) const {
    return llvm::SmallVector<Bounds>(results.size());
  }
};

/// Told of the result of each step of a layer, and of what it may be off by.
using Step = llvm::function_ref<void(Tensor &result,
                                     llvm::function_ref<Bounds()> bounds)>;

/// The reference of a layer of several steps: `compute(Op, const Environment &,
/// Step)` of its file, which returns Expected<Results>.
template <typename Op>
struct Stepwise : ReferenceOpInterface::ExternalModel<Stepwise<Op>, Op> {
  llvm::Expected<Results> run(mlir::Operation *op, Evaluator &,
                              Environment &values) const {
    return compute(llvm::cast<Op>(op), std::as_const(values),
                   [](Tensor &result, auto) { bringIntoRange(result.data); });
  }
};

/// Bounds of several steps one after the other would be far from what roundings
/// make of them, so that the result of each step is moved instead.
template <typename Op>
struct MovedStepwise
    : ErrorBoundOpInterface::ExternalModel<MovedStepwise<Op>, Op> {
  void perturb(mlir::Operation *op, Perturbation &perturbation,
               const Environment &values,
               llvm::MutableArrayRef<Value> results) const {
    // The evaluator has reported what fails.
    Results moved = llvm::cantFail(
        compute(llvm::cast<Op>(op), values, [&](Tensor &result, auto bounds) {
          perturbation.move(result, bounds());
        }));
    llvm::copy(moved, results.begin());
  }
};

/// Gives each of the ops its model.
template <template <typename> typename Model, typename... Ops>
void attach(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

template <typename... Ops> void attachStepwise(mlir::MLIRContext *context) {
  attach<Stepwise, Ops...>(context);
  attach<MovedStepwise, Ops...>(context);
}

/// What each file registers.
void registerAttention(mlir::DialectRegistry &registry);
void registerCaches(mlir::DialectRegistry &registry);
void registerControlFlow(mlir::DialectRegistry &registry);
void registerConvolution(mlir::DialectRegistry &registry);
void registerDropout(mlir::DialectRegistry &registry);
void registerElementwise(mlir::DialectRegistry &registry);
void registerExperts(mlir::DialectRegistry &registry);
void registerGeneric(mlir::DialectRegistry &registry);
void registerIndexing(mlir::DialectRegistry &registry);
void registerLayers(mlir::DialectRegistry &registry);
void registerLinear(mlir::DialectRegistry &registry);
void registerLinearAttention(mlir::DialectRegistry &registry);
void registerMasks(mlir::DialectRegistry &registry);
void registerMultiHeadAttention(mlir::DialectRegistry &registry);
void registerNorms(mlir::DialectRegistry &registry);
void registerPositions(mlir::DialectRegistry &registry);
void registerProducts(mlir::DialectRegistry &registry);
void registerQuantization(mlir::DialectRegistry &registry);
void registerRecurrent(mlir::DialectRegistry &registry);
void registerReductions(mlir::DialectRegistry &registry);
void registerSampling(mlir::DialectRegistry &registry);
void registerScores(mlir::DialectRegistry &registry);
void registerShapes(mlir::DialectRegistry &registry);
void registerWeights(mlir::DialectRegistry &registry);

//===-- What files share --------------------------------------------------===//

/// The value of a weight, from `source` where the module does not hold it.
llvm::Expected<Value> evaluate(WeightOp op, const TensorSource *source);
/// The elements of a constant tensor.
llvm::Expected<Value> evaluateElements(mlir::Operation *op,
                                       mlir::ElementsAttr elements);
/// x W^T + b, where `bias` is not null.
Tensor linear(const Tensor &x, const Value &weight, const Value *bias);
/// The bounds of that result, where `x` is off by `errors`; none of these where
/// it is exact.
Bounds linearBounds(const Tensor &x, llvm::ArrayRef<double> errors,
                    const Value &weight, const Value *bias,
                    const Tensor &result);

/// The same of a layer's step, of an `x` that is exact.
Tensor linearStep(const Tensor &x, const Value &weight, const Value *bias,
                  Step step);

/// The weights of a gated feed-forward layer; biases may be null.
struct GatedFeedForward {
  ActivationKind kind;
  Value gate, up, down;
  const Value *gateBias = nullptr, *upBias = nullptr, *downBias = nullptr;

  Tensor compute(const Tensor &x, Step step) const;
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_EVALUATE_H
