// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic ops whose body adds up products.

#ifndef HEDDLE_DIALECT_HEDDLE_SUMOFPRODUCTS_H
#define HEDDLE_DIALECT_HEDDLE_SUMOFPRODUCTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace heddle {

class GenericOp;

/// Whether an op of a body may decode elements: a cast, a product or a
/// difference.
bool isDecoding(mlir::Operation *op);

/// The one result of an op, `value so far + factor * factor`.
struct SumOfProducts {
  struct Factor {
    mlir::Value value; ///< in the body
    /// The inputs that `isDecoding` ops make it of, in ascending order.
    llvm::SmallVector<unsigned, 2> inputs;
  };
  Factor factors[2];

  /// The factor that reads `input`.
  const Factor &factorOf(unsigned input) const {
    return factors[!llvm::is_contained(factors[0].inputs, input)];
  }

  /// Matches `op`. Where it sums up products, but not such ones, `reason` says
  /// what else they are of.
  static std::optional<SumOfProducts> of(GenericOp op, std::string &reason);
};

/// A factor that is integers times scales: `cast(code) * cast(scale)`.
struct ScaledIntegers {
  unsigned code;     ///< an input
  bool hasSign;      ///< whether the body takes codes as having one
  mlir::Value scale; ///< in the body
  /// How many terms in a row of the sum have the same scale; 0 for all.
  int64_t group;
  int64_t largest; ///< magnitude of a code

  static std::optional<ScaledIntegers> of(GenericOp op,
                                          const SumOfProducts::Factor &factor);
};

/// How many terms in a row of a sum of scaled integers have one product of
/// scales, as many as i32 can add up of them; 0 of other sums.
int64_t integerTerms(GenericOp op, const SumOfProducts &sum);

/// Terms that an instruction for products of bf16 adds up.
inline constexpr int64_t kPair = 2;

/// Whether both factors are elements of bf16 as they are, in a sum over one
/// dimension of an even number of elements.
bool multipliesPairs(GenericOp op, const SumOfProducts &sum);

/// Whether `op` reads one of `inputs` at a place that depends on `dimension`.
bool readDimension(GenericOp op, llvm::ArrayRef<unsigned> inputs,
                   unsigned dimension);

/// Fewer columns of a contraction are worth no register tiles.
inline constexpr int64_t kFewestTileColumns = 16;

/// Of a heddle.generic: which inputs of a sum of products have rows
/// (#heddle.contraction).
inline constexpr llvm::StringLiteral kContractionAttr = "heddle.contraction";

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_SUMOFPRODUCTS_H
