// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Object.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"

using namespace heddle;

// What an object may leave undefined.
static bool isAllowedUndefined(llvm::StringRef name) {
  static const llvm::StringSet<> allowed = {"heddle_invoke", "memcpy", "memset",
                                            "memmove"};
  return name.starts_with("llvm.") || allowed.contains(name);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
heddle::linkModel(llvm::LLVMContext &context,
                  llvm::ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> kernels,
                  const ModelPlan &plan, const MachineModel &machine,
                  const GlueOptions &options) {
  auto target = createTargetMachine(machine);
  auto module = std::make_unique<llvm::Module>(options.prefix, context);
  module->setTargetTriple(target->getTargetTriple());
  module->setDataLayout(target->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  llvm::StringSet<> kernelNames;
  for (const auto &bitcode : kernels) {
    auto kernel = llvm::parseBitcodeFile(*bitcode, context);
    if (!kernel)
      return kernel.takeError();
    kernelNames.insert(options.prefix + "_" +
                       bitcode->getBufferIdentifier().str());
    for (llvm::Function &function : **kernel)
      if (function.isDeclaration() && !isAllowedUndefined(function.getName()) &&
          function.getName() != "halide_do_par_for")
        return llvm::createStringError(
            "kernel %s calls %s: its schedule needs memory or services that "
            "compiled models do not have (is a func of unknown size "
            "computed inside it?)",
            bitcode->getBufferIdentifier().str().c_str(),
            function.getName().str().c_str());
    if (llvm::Linker::linkModules(*module, std::move(*kernel)))
      return llvm::createStringError("kernels cannot be linked");
  }
  emitGlue(*module, plan, machine, options);
  for (llvm::Function &function : *module) {
    if (kernelNames.contains(function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (!function.isDeclaration())
      function.addFnAttr("target-cpu", machine.cpu);
  }
  if (llvm::verifyModule(*module, &llvm::errs()))
    return llvm::createStringError("internal error: invalid glue");
  return module;
}

llvm::Error heddle::emitObject(llvm::Module &module, const MachineModel &machine,
                               llvm::CodeGenFileType type,
                               llvm::SmallVectorImpl<char> &output) {
  auto target = createTargetMachine(machine);
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (target->addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("the target cannot emit this file type");
  passes.run(module);
  return llvm::Error::success();
}
