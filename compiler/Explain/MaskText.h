// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_EXPLAIN_MASKTEXT_H
#define HEDDLE_COMPILER_EXPLAIN_MASKTEXT_H

#include "dialect/Heddle/HeddleDialect.h"

#include <functional>
#include <string>

namespace heddle {

/// A mask in one line: "causal(bottom_right) and not documents(ids, ids)".
/// `nameOf` names the tensors that it reads.
std::string describeMask(mlir::Value mask,
                         const std::function<std::string(mlir::Value)> &nameOf);

/// Calls `visit` for each mask of a formula that is made of no others, once.
void walkMasks(mlir::Value mask,
               llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace heddle

#endif // HEDDLE_COMPILER_EXPLAIN_MASKTEXT_H
