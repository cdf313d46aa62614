// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/ModelHash.h"

#include "dialect/Heddle/Roles.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_sha1_ostream.h"

using namespace mlir;

uint64_t heddle::hashModel(ModuleOp module) {
  Attribute name = module->removeAttr(kNameAttr);
  llvm::raw_sha1_ostream stream; // the text may be long, and is not kept
  module.print(stream);
  if (name)
    module->setAttr(kNameAttr, name);
  return llvm::support::endian::read64le(stream.sha1().data());
}
