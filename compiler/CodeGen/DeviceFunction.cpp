// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/DeviceFunction.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace heddle;

// Each function's name and text, and of OpenCL C whether it has f64.
static constexpr llvm::StringLiteral kFunctions = "heddle.functions";

void heddle::addFunctions(llvm::Module &kernel,
                          llvm::ArrayRef<KernelFunction> functions) {
  if (functions.empty())
    return;
  llvm::LLVMContext &context = kernel.getContext();
  llvm::NamedMDNode *list = kernel.getOrInsertNamedMetadata(kFunctions);
  for (const KernelFunction &function : functions) {
    llvm::SmallVector<llvm::Metadata *> node = {
        llvm::MDString::get(context, function.name)};
    if (auto *text = std::get_if<OpenClText>(&function.code)) {
      auto *hasDoubles = llvm::ConstantInt::getBool(context, text->hasDoubles);
      node.push_back(llvm::MDString::get(context, text->text));
      node.push_back(llvm::ConstantAsMetadata::get(hasDoubles));
    } else {
      node.push_back(
          llvm::MDString::get(context, std::get<std::string>(function.code)));
    }
    list->addOperand(llvm::MDNode::get(context, node));
  }
}

static KernelFunction readFunction(const llvm::MDNode &node) {
  auto text = [&](unsigned number) {
    return llvm::cast<llvm::MDString>(node.getOperand(number))
        ->getString()
        .str();
  };
  if (node.getNumOperands() == 2)
    return {text(0), text(1)};
  auto *hasDoubles =
      llvm::mdconst::extract<llvm::ConstantInt>(node.getOperand(2));
  return {text(0), OpenClText{text(1), hasDoubles->isOne()}};
}

llvm::Expected<std::vector<KernelFunction>>
heddle::readFunctions(llvm::MemoryBufferRef kernel) {
  llvm::LLVMContext context;
  auto module = llvm::getLazyBitcodeModule(kernel, context);
  if (!module)
    return module.takeError();
  if (llvm::Error error = (*module)->materializeMetadata())
    return error;
  std::vector<KernelFunction> functions;
  if (llvm::NamedMDNode *list = (*module)->getNamedMetadata(kFunctions))
    for (const llvm::MDNode *node : list->operands())
      functions.push_back(readFunction(*node));
  return functions;
}

void heddle::removeFunctions(llvm::Module &kernel) {
  if (llvm::NamedMDNode *list = kernel.getNamedMetadata(kFunctions))
    kernel.eraseNamedMetadata(list);
}

std::vector<DeviceFunction>
heddle::toPrograms(std::vector<KernelFunction> functions) {
  llvm::SmallVector<OpenClText> texts;
  for (KernelFunction &function : functions)
    if (auto *text = std::get_if<OpenClText>(&function.code))
      texts.push_back(std::move(*text));
  auto shared = std::make_shared<const std::string>(
      texts.empty() ? "" : joinOpenCl(texts));
  std::vector<DeviceFunction> result;
  for (KernelFunction &function : functions) {
    auto *ptx = std::get_if<std::string>(&function.code);
    result.push_back(
        {std::move(function.name),
         ptx ? std::make_shared<const std::string>(std::move(*ptx)) : shared});
  }
  return result;
}
