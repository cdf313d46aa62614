// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Sanitize.h"

#include "compiler/CodeGen/Optimize.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

using namespace heddle;

// LLVM's ThreadSanitizer leaves out accesses of more than 16 bytes, which those
// of most vectors are; the library has functions for ranges.
static void instrumentVectors(llvm::Module &module) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::Type *size = llvm::Type::getInt64Ty(module.getContext());
  llvm::Type *nothing = llvm::Type::getVoidTy(module.getContext());
  auto read =
      module.getOrInsertFunction("__tsan_read_range", nothing, pointer, size);
  auto write =
      module.getOrInsertFunction("__tsan_write_range", nothing, pointer, size);
  for (llvm::Function &function : module)
    for (llvm::Instruction &access : llvm::instructions(function)) {
      llvm::Value *address = llvm::getLoadStorePointerOperand(&access);
      if (!address ||
          llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address)))
        continue;
      uint64_t bytes = module.getDataLayout().getTypeStoreSize(
          llvm::getLoadStoreType(&access));
      if (bytes > 16)
        llvm::IRBuilder<>(&access).CreateCall(
            llvm::isa<llvm::LoadInst>(access) ? read : write,
            {address, llvm::ConstantInt::get(size, bytes)});
    }
}

void heddle::instrument(llvm::Module &module, llvm::TargetMachine &target,
                        Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::None)
    return;
  bool isAddress = sanitizer == Sanitizer::Address;
  if (!isAddress)
    instrumentVectors(module);
  for (llvm::Function &function : module) {
    // Nothing throws; else there were landing pads for what the runtime calls.
    function.setDoesNotThrow();
    if (!function.isDeclaration())
      function.addFnAttr(isAddress ? llvm::Attribute::SanitizeAddress
                                   : llvm::Attribute::SanitizeThread);
  }
  runPasses(module, target, [&](llvm::PassBuilder &) {
    llvm::ModulePassManager passes;
    if (isAddress) {
      passes.addPass(llvm::AddressSanitizerPass(
          llvm::AddressSanitizerOptions(),
          /*UseGlobalGC=*/false,
          /*UseOdrIndicator=*/false)); // it would be one more global symbol
    } else {
      passes.addPass(llvm::ModuleThreadSanitizerPass());
      passes.addPass(
          llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
    }
    return passes;
  });
  // The library of GCC 12 has none of these; it intercepts the plain ones.
  for (llvm::StringRef name : {"memset", "memcpy", "memmove"})
    if (llvm::Function *call = module.getFunction(("__tsan_" + name).str())) {
      call->replaceAllUsesWith(
          module.getOrInsertFunction(name, call->getFunctionType())
              .getCallee());
      call->eraseFromParent();
    }
}
