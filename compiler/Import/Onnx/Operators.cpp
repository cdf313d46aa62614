// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/Operators.h"

using namespace heddle;
using namespace heddle::onnx;

static std::string fullName(llvm::StringRef domain, llvm::StringRef name) {
  return (domain + (domain.empty() ? "" : ".") + name).str();
}

static const llvm::StringMap<const Operator *> &allOperators() {
  static const llvm::StringMap<const Operator *> all = [] {
    llvm::StringMap<const Operator *> operators;
    for (llvm::ArrayRef<Operator> table :
         {activationOperators(), attentionOperators(), controlFlowOperators(),
          convolutionOperators(), einsumOperators(), elementwiseOperators(),
          indexingOperators(), linearAttentionOperators(),
          microsoftAttentionOperators(), microsoftOperators(),
          microsoftPackedOperators(), normOperators(), productOperators(),
          quantizationOperators(), recurrentOperators(), reductionOperators(),
          shapeOperators()})
      for (const Operator &known : table)
        operators[fullName(known.domain, known.name)] = &known;
    return operators;
  }();
  return all;
}

const Operator *onnx::findOperator(llvm::StringRef domain,
                                   llvm::StringRef name) {
  // The first domain has two names.
  return allOperators().lookup(
      fullName(domain == "ai.onnx" ? "" : domain, name));
}

std::vector<std::string> onnx::operatorNames() {
  std::vector<std::string> names;
  for (llvm::StringRef name : allOperators().keys())
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}
