// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions that TableGen generates; AlgorithmOps.cpp and ScheduleOps.cpp
// have the rest.

#include "dialect/Halide/HalideDialect.h"
#include "dialect/Keyword.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle::halide;

#define GET_OP_CLASSES
#include "dialect/Halide/HalideOps.cpp.inc"
