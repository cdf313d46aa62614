// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of tokens, in whatever numbers and ops a graph spells them.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_TOKENMASKS_H
#define HEDDLE_COMPILER_TEXTENTRIES_TOKENMASKS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Knows which tensors say nothing but which tokens are valid.
class TokenMasks {
public:
  /// Numbers for tokens that are valid, and for others.
  struct Numbers {
    double valid, other;
  };

  /// `isValid` is [batch, length] of i1, in `function`, whose types have sizes.
  TokenMasks(mlir::func::FuncOp function, mlir::Value isValid)
      : function(function), isValid(isValid) {}

  /// What `value`, [batch, .., keys], is for keys that are valid and for
  /// others, if each element is one of two numbers, by its key.
  std::optional<Numbers> numbersOf(mlir::Value value);

private:
  /// Dimensions of sequences and tokens.
  struct Place {
    int64_t batch, token;
    bool operator==(const Place &other) const {
      return batch == other.batch && token == other.token;
    }
  };
  enum class Kind { Other, Number, Mask };
  struct Form {
    Kind kind = Kind::Other;
    Place place = {};
  };

  Form formOf(mlir::Value value);
  Form find(mlir::Value value);
  Form placeInView(mlir::Operation *view);
  std::optional<Numbers> compute(mlir::Value value);

  mlir::func::FuncOp function;
  mlir::Value isValid;
  llvm::DenseMap<mlir::Value, Form> forms;
  llvm::DenseMap<mlir::Value, std::optional<Numbers>> numbers;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_TOKENMASKS_H
