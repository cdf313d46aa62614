// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions that TableGen generates; verifiers and inference are in the
// file named as the op's .td.

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/OptionSyntax.h"
#include "dialect/Keyword.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

#include "dialect/Heddle/HeddleInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/Heddle/HeddleOps.cpp.inc"
