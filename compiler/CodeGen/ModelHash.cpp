// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/ModelHash.h"

#include "dialect/Heddle/GenerationDefaults.h"
#include "dialect/Heddle/Roles.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_sha1_ostream.h"

using namespace mlir;

uint64_t heddle::hashModel(ModuleOp module) {
  DictionaryAttr all = module->getAttrDictionary();
  // No weights and no kernels depend on them.
  for (StringRef name : {kNameAttr, kBosAttr, kEosAttr, kGenerationAttr})
    module->removeAttr(name);
  llvm::raw_sha1_ostream stream; // the text may be long, and is not kept
  module.print(stream);
  module->setAttrs(all);
  return llvm::support::endian::read64le(stream.sha1().data());
}
