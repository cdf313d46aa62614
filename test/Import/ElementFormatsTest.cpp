// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/ElementFormats.h"
#include "dialect/Heddle/ElementTypes.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace heddle;

TEST(ElementFormats, AreAsTheDialectSays) {
  mlir::MLIRContext context;
  for (const ElementType &type : elementTypes()) {
    EXPECT_EQ(bytesOfElement(type.type), (type.bits + 7) / 8)
        << type.checkpoint.str();
    EXPECT_EQ(isFloat(type.type),
              llvm::isa<mlir::FloatType>(type.get(&context)))
        << type.checkpoint.str();
  }
}
