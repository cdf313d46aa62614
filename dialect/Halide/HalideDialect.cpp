// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Halide/HalideDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::halide;

#include "dialect/Halide/HalideDialect.cpp.inc"
#include "dialect/Halide/HalideEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Halide/HalideAttributes.cpp.inc"

void HalideDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Halide/HalideAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Halide/HalideOps.cpp.inc"
      >();
}
