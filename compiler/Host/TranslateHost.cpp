// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/TranslateHost.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;
using namespace heddle;

std::unique_ptr<llvm::Module>
heddle::translateHost(ModuleOp host, llvm::LLVMContext &context) {
  registerBuiltinDialectTranslation(*host.getContext());
  registerLLVMDialectTranslation(*host.getContext());
  return translateModuleToLLVMIR(host, context);
}
