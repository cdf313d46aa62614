// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_IMPORT_FAMILIESTESTING_H
#define HEDDLE_TEST_IMPORT_FAMILIESTESTING_H

#include "compiler/Import/Families/Family.h"

#include "test/Import/ImportTesting.h"

#include "gtest/gtest.h"

namespace heddle {

/// What descriptions point into.
inline mlir::MLIRContext &contextOfTests() {
  static mlir::MLIRContext context;
  return context;
}

inline llvm::Expected<ModelDescription> describeText(llvm::StringRef text) {
  return describeModel(text, "config.json", contextOfTests());
}

/// These fields of a family must fail with this message.
inline void expectError(llvm::StringRef architecture, llvm::StringRef type,
                        llvm::StringRef fields, llvm::StringRef expected) {
  std::string text =
      asJson(("{'architectures': ['" + architecture + "'], 'model_type': '" +
              type + "', " + fields + "}")
                 .str());
  llvm::Expected<ModelDescription> model = describeText(text);
  ASSERT_FALSE(bool(model)) << "expected: " << expected.str();
  EXPECT_EQ(llvm::toString(model.takeError()),
            "config.json: " + expected.str());
}

/// The description of a config.json, which must be good.
inline ModelDescription describeOrFail(llvm::StringRef text) {
  llvm::Expected<ModelDescription> description = describeText(text);
  if (description)
    return *description;
  ADD_FAILURE() << llvm::toString(description.takeError());
  ModelDescription none;
  none.decoder().layers.resize(1);
  none.decoder().layers[0].rotary.emplace();
  return none;
}

/// That of the first layer, which has one.
inline RotaryDescription rotaryOf(const ModelDescription &description) {
  return *description.decoder().layers[0].rotary;
}

} // namespace heddle

#endif // HEDDLE_TEST_IMPORT_FAMILIESTESTING_H
