// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

void heddle::setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "Heddle version " HEDDLE_VERSION "\n"
              "  with LLVM version " LLVM_VERSION_STRING "\n";
  });
}
