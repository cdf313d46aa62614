// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far the results of a whole model may be off in single precision.
//
// Bounds that add up from op to op (ErrorBounds.h) assume that all roundings
// conspire; over some layers they say nothing. So the model is run a second
// time with the result of every op moved by the bound of that op alone, up or
// down at random, and the difference of the two runs shows what the layers make
// of roundings. It is an overestimate: a bound is 8 times what the roundings of
// a long sum are likely to be, and what a short one can be at worst. Only
// chance can make it small, where movements cancel each other; hence the
// largest difference of a tensor stands for all its elements, times a factor of
// safety for tensors of few. Numbers of bf16 and f16 are moved to a neighbour,
// as those are that lie between two of them.

#ifndef HEDDLE_COMPILER_REFERENCE_PERTURBATION_H
#define HEDDLE_COMPILER_REFERENCE_PERTURBATION_H

#include "compiler/Reference/Values.h"

#include <random>

namespace heddle::reference {

class Environment;

class Perturbation {
public:
  /// Equal seeds move equally.
  explicit Perturbation(unsigned seed) : random(seed) {}

  /// Moves the results of `op`, as an Evaluator::Observer is told of it.
  void follow(mlir::Operation *op, llvm::MutableArrayRef<Value> results,
              const Environment &values);

  /// Moves each result by its bound, if its operands were exact.
  void moveByBounds(mlir::Operation *op, const Environment &values,
                    llvm::MutableArrayRef<Value> results);
  void move(Tensor &tensor, llvm::ArrayRef<double> bounds);

private:
  std::mt19937 random;
};

/// The tolerance of a tensor: 4 times the largest difference of elements that
/// `isCompared` holds for; NaN, which nothing meets, where that is not finite.
double toleranceOf(llvm::ArrayRef<double> exact,
                   llvm::ArrayRef<double> perturbed,
                   llvm::function_ref<bool(size_t element)> isCompared);

/// The same of integers, element by element: one is off only where the floats
/// that decide it were moved across a border.
std::vector<double> tolerancesOfIntegers(llvm::ArrayRef<double> exact,
                                         llvm::ArrayRef<double> perturbed);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_PERTURBATION_H
