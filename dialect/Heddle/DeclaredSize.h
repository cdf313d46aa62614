// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_DECLAREDSIZE_H
#define HEDDLE_DIALECT_HEDDLE_DECLAREDSIZE_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// An element of an attribute heddle.sizes: an expression in quotes, or an
/// integer. Of others returns null and says why in `error`.
SizeAttr parseDeclaredSize(mlir::Attribute attribute, std::string &error);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_DECLAREDSIZE_H
