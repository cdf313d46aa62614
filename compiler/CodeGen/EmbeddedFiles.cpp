// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/EmbeddedFiles.h"

#include "llvm/IR/Constants.h"

using namespace heddle;
using llvm::Constant;

static llvm::GlobalVariable *addConstant(llvm::Module &module, Constant *value,
                                         const llvm::Twine &name) {
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, value,
                                  name);
}

void heddle::embedFiles(llvm::Module &module, llvm::StringRef prefix,
                        llvm::ArrayRef<EmbeddedFile> files) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *size = llvm::Type::getInt64Ty(context);
  auto *type = llvm::StructType::get(context, {pointer, pointer, size});
  llvm::SmallVector<Constant *> entries;
  for (const EmbeddedFile &file : files) {
    Constant *name = llvm::ConstantDataArray::getString(context, file.name);
    Constant *content = llvm::ConstantDataArray::getString(
        context, file.content, /*AddNull=*/false);
    entries.push_back(llvm::ConstantStruct::get(
        type, {addConstant(module, name, "file_name"),
               addConstant(module, content, "file_content"),
               llvm::ConstantInt::get(size, file.content.size())}));
  }
  Constant *all = llvm::ConstantArray::get(
      llvm::ArrayType::get(type, entries.size()), entries);
  llvm::GlobalVariable *array = addConstant(module, all, prefix + "_files");
  array->setLinkage(llvm::GlobalValue::ExternalLinkage);
  array->setVisibility(llvm::GlobalValue::HiddenVisibility);
}
