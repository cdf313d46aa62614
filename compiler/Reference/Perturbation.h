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
//
// Roundings that know nothing of each other add up as the root of their number
// n, and so do movements of random signs. Roundings of one sign add up as n,
// and there are such: b + c, again and again, leaves off the same bits of c
// while b has the same exponent. With random signs, 4 sqrt(n) movements at
// least are allowed, and n roundings may come: too few are allowed for n > 16.
// Hence the directions, none of which allows more than the sum of all bounds, 4
// times:
//
//   - Each execution of an op has its own (Directions::OfExecutions).
//   - All executions of an op, in a loop or by several calls, move an element
//     into the same one (OfResults), so that a chain of n in a loop moves by n.
//   - All ops move an element into the same one (OfElements): a chain that is
//     written out moves by n as well.
//
// In each but the first some movements cancel each other in a difference, such
// as that of what two iterations give. So a model is run once in the first way,
// once in the second where an op is executed again, and once in the third where
// more than 16 results are moved. A model with caches, which go on from call to
// call, is run in the second way alone.
//
// A result that may overflow or not becomes NaN, and with it all that is
// computed of it: such elements may be anything (FloatRange.h).

#ifndef HEDDLE_COMPILER_REFERENCE_PERTURBATION_H
#define HEDDLE_COMPILER_REFERENCE_PERTURBATION_H

#include "compiler/Reference/Values.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::reference {

class Environment;

/// Results that move into one direction.
enum class Directions { OfExecutions, OfResults, OfElements };

/// Where elements move: to one end of what their bounds admit, to the other, or
/// to 0, those that may be 0. Functions with ends, such as square roots and
/// quotients, are NaN on one side alone.
enum class Side { Forward, Backward, Zero };

class Perturbation {
public:
  /// So many roundings of one sign are less than what is allowed for them as
  /// if their signs were random.
  static constexpr unsigned fewRoundings = 16;

  /// Equal seeds move equally.
  explicit Perturbation(unsigned seed,
                        Directions directions = Directions::OfResults,
                        Side side = Side::Forward)
      : seed(seed), directions(directions), side(side) {}

  /// Moves the results of `op`, as an Evaluator::Observer is told of it.
  void follow(mlir::Operation *op, llvm::MutableArrayRef<Value> results,
              const Environment &values);

  /// Moves each result by its bound, if its operands were exact.
  void moveByBounds(mlir::Operation *op, const Environment &values,
                    llvm::MutableArrayRef<Value> results);
  /// Moves a result, or that of a step of the op: the steps of each execution
  /// come in one order.
  void move(Tensor &tensor, llvm::ArrayRef<double> bounds);

  /// How many results have been moved.
  unsigned roundings() const { return moved; }
  /// Whether an op was executed again.
  bool repeats() const { return hasRepeated; }

private:
  unsigned seed, moved = 0;
  Directions directions;
  Side side;
  bool hasRepeated = false;
  struct Known {
    unsigned number; ///< in the order in which ops are first met
    unsigned executions = 0;
  };
  llvm::DenseMap<mlir::Operation *, Known> ops;
  unsigned op = 0, execution = 0, step = 0; ///< that move next
};

/// The tolerances of the elements of a tensor of floats from `overflow` on
/// which they are infinite: 4 times the largest difference of elements that
/// `isCompared` holds for. Infinite, so that anything meets it, is that of an
/// element that is infinite or NaN in one of the runs alone, or in code could
/// be.
std::vector<double>
tolerancesOf(llvm::ArrayRef<double> exact, llvm::ArrayRef<double> perturbed,
             double overflow,
             llvm::function_ref<bool(size_t element)> isCompared);

/// The same of integers, element by element: one is off only where the floats
/// that decide it were moved across a border. It is the next one then, or a
/// choice, such as the place of the largest of many that are as large, and may
/// be any other.
std::vector<double> tolerancesOfIntegers(llvm::ArrayRef<double> exact,
                                         llvm::ArrayRef<double> perturbed);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_PERTURBATION_H
