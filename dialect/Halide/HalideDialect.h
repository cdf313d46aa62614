// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The halide dialect: how a kernel is computed. Its ops are documented in the
// .td files beside this header. (Halide's own C++ API is seen by one library
// only, in compiler/Translate.)

#ifndef HEDDLE_DIALECT_HALIDEDIALECT_H
#define HEDDLE_DIALECT_HALIDEDIALECT_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Halide/HalideDialect.h.inc"
#include "dialect/Halide/HalideEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Halide/HalideAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialect/Halide/HalideOps.h.inc"

namespace heddle::halide {

/// Marks maths that is not simplified as that of real numbers, where x - x is 0
/// and x / x is 1 (Halide's strict_float), nor as that of integers that never
/// overflow: these wrap around.
inline constexpr llvm::StringLiteral kStrictAttr = "halide.strict";

/// Marks a product of floats, and the sum that it is added to, whose terms an
/// instruction may add up in an order of its own.
inline constexpr llvm::StringLiteral kReorderedAttr = "halide.reordered";

} // namespace heddle::halide

#endif // HEDDLE_DIALECT_HALIDEDIALECT_H
