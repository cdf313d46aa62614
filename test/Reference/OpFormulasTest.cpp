// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each op of the dialect has a formula in the reference, and bounds.

#include "compiler/Reference/ReferenceInterfaces.h"
#include "test/Reference/ReferenceTesting.h"

#include "llvm/ADT/StringSet.h"

namespace heddle::reference {
namespace {

class OpFormulas : public EvaluatorTest {
protected:
  /// Parts of a module and of programs, which compute nothing themselves, and
  /// layers that find their weights by name: the reference sees what these are
  /// expanded to.
  llvm::StringSet<> without = {"heddle.kernel",
                               "heddle.yield",
                               "heddle.configure",
                               "heddle.weight",
                               "heddle.signature",
                               "heddle.frame.size",
                               "heddle.frame.argument",
                               "heddle.frame.weights",
                               "heddle.frame.workspace",
                               "heddle.descriptors",
                               "heddle.frame.copy",
                               "heddle.frame.load",
                               "heddle.frame.store",
                               "heddle.dispatch",
                               "heddle.encoder_layer",
                               "heddle.decoder_layer",
                               "heddle.encoder",
                               "heddle.decoder",
                               "heddle.encoder_decoder",
                               "heddle.index",
                               "heddle.read"}; // in bodies of heddle.generic

  std::vector<mlir::RegisteredOperationName> opsOfTheDialect() {
    std::vector<mlir::RegisteredOperationName> ops;
    for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
      if (name.getDialectNamespace() == "heddle")
        ops.push_back(name);
    return ops;
  }
};

TEST_F(OpFormulas, eachOpHasOne) {
  unsigned count = 0;
  for (mlir::RegisteredOperationName name : opsOfTheDialect()) {
    bool isExpected = !without.contains(name.getStringRef());
    EXPECT_EQ(name.hasInterface<ReferenceOpInterface>(), isExpected)
        << name.getStringRef().str();
    count += isExpected;
  }
  EXPECT_GT(count, 50u);
}

TEST_F(OpFormulas, eachOpHasBounds) {
  // Masks and sizes are exact, and so are weights.
  auto isExact = [](llvm::StringRef name) {
    return name.starts_with("heddle.mask.") || name == "heddle.size" ||
           name == "heddle.weight_ref";
  };
  for (mlir::RegisteredOperationName name : opsOfTheDialect())
    if (name.hasInterface<ReferenceOpInterface>() &&
        !isExact(name.getStringRef())) {
      EXPECT_TRUE(name.hasInterface<ErrorBoundOpInterface>())
          << name.getStringRef().str();
    }
}

} // namespace
} // namespace heddle::reference
