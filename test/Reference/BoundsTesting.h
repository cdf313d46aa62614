// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_REFERENCE_BOUNDSTESTING_H
#define HEDDLE_TEST_REFERENCE_BOUNDSTESTING_H

#include "compiler/Reference/ErrorBounds.h"
#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {

/// Follows bounds of errors through what it runs.
class BoundsTest : public EvaluatorTest {
protected:
  BoundsTest() {
    observer = [this](mlir::Operation *op, llvm::ArrayRef<Value>,
                      llvm::ArrayRef<Value> results,
                      const Environment &environment) {
      bounds.follow(op, results, environment);
    };
  }

  /// Runs @f; the bounds of its first result.
  std::vector<double> boundsOf(const std::string &text,
                               llvm::ArrayRef<Value> arguments) {
    results = run(text, arguments);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
    mlir::Value returned = function.front().getTerminator()->getOperand(0);
    return bounds.of(returned).vec();
  }

  ErrorBounds bounds;
  Evaluator::Results results;
};

} // namespace heddle::reference

#endif // HEDDLE_TEST_REFERENCE_BOUNDSTESTING_H
