// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/KernelNames.h"

#include "llvm/IR/IRBuilder.h"

using namespace heddle;

static constexpr llvm::StringLiteral kFirstFunction = "first_function";

void heddle::renameKernel(llvm::Module &module, llvm::StringRef kernel,
                          const std::string &name) {
  unsigned tasks = 0, constants = 0;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (function.getName() == kernel) {
      function.setName(name);
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    } else {
      function.setName(name + "_task" + std::to_string(tasks++));
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    function.setComdat(nullptr);
  }
  for (llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration()) {
      global.setName(name + "_constant" + std::to_string(constants++));
      global.setLinkage(llvm::GlobalValue::PrivateLinkage);
    }
  module.setModuleIdentifier(name);
  module.setSourceFileName(name);
}

void heddle::countFromFirstFunction(llvm::Module &module) {
  llvm::Function *launch = module.getFunction("heddle_launch");
  if (!launch)
    return;
  constexpr unsigned number = 1;
  llvm::Type *type = launch->getFunctionType()->getParamType(number);
  auto *first = new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
      /*Initializer=*/nullptr, kFirstFunction);
  for (llvm::User *user : launch->users()) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    llvm::IRBuilder<> b(call);
    call->setArgOperand(number, b.CreateAdd(b.CreateLoad(type, first),
                                            call->getArgOperand(number)));
  }
}

void heddle::setFirstFunction(llvm::Module &module, size_t first) {
  if (llvm::GlobalVariable *global = module.getGlobalVariable(kFirstFunction))
    global->setInitializer(
        llvm::ConstantInt::get(global->getValueType(), first));
}
