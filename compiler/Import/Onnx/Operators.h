// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operators of ONNX mean in the heddle dialect.
// (https://github.com/onnx/onnx, docs/Operators.md)

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_OPERATORS_H
#define HEDDLE_COMPILER_IMPORT_ONNX_OPERATORS_H

#include "compiler/Import/Onnx/Node.h"

namespace heddle::onnx {

/// An operator, and what makes ops of a node of it.
struct Operator {
  llvm::StringLiteral domain, name;
  void (*translate)(Node &node);
};

/// One table for each file in Operators.
llvm::ArrayRef<Operator> activationOperators();
llvm::ArrayRef<Operator> attentionOperators();
llvm::ArrayRef<Operator> controlFlowOperators();
llvm::ArrayRef<Operator> convolutionOperators();
llvm::ArrayRef<Operator> einsumOperators();
llvm::ArrayRef<Operator> elementwiseOperators();
llvm::ArrayRef<Operator> indexingOperators();
llvm::ArrayRef<Operator> linearAttentionOperators();
llvm::ArrayRef<Operator> microsoftAttentionOperators();
llvm::ArrayRef<Operator> microsoftOperators();
llvm::ArrayRef<Operator> microsoftPackedOperators();
llvm::ArrayRef<Operator> normOperators();
llvm::ArrayRef<Operator> productOperators();
llvm::ArrayRef<Operator> quantizationOperators();
llvm::ArrayRef<Operator> recurrentOperators();
llvm::ArrayRef<Operator> reductionOperators();
llvm::ArrayRef<Operator> shapeOperators();

/// The operator of that name, or null.
const Operator *findOperator(llvm::StringRef domain, llvm::StringRef name);
/// The names of all, sorted, those of other domains as "domain.Name".
std::vector<std::string> operatorNames();

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_OPERATORS_H
