// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Object.h"

#include "compiler/CodeGen/KernelNames.h"
#include "compiler/CodeGen/Optimize.h"
#include "compiler/Host/Passes.h"
#include "compiler/Lowering/LibraryFunctions.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"

#include <deque>

using namespace heddle;

// What an object may leave undefined.
static bool isAllowedUndefined(llvm::StringRef name) {
  static const llvm::StringSet<> allowed = {"heddle_invoke", "memcpy", "memset",
                                            "memmove"};
  return name.starts_with("llvm.") || allowed.contains(name);
}

// An object says what it needs on whatever CPU it is, so that `measure` runs on
// all.
static llvm::Error linkHost(llvm::Linker &linker, const llvm::Module &module,
                            std::unique_ptr<llvm::Module> host,
                            llvm::TargetMachine &target) {
  for (llvm::Function &function : *host)
    if (function.getName().ends_with(kMeasureSuffix)) {
      function.addFnAttr("target-cpu", "x86-64");
      function.addFnAttr("target-features", "");
    }
  host->setTargetTriple(module.getTargetTriple());
  host->setDataLayout(module.getDataLayout());
  optimize(*host, target);
  if (linker.linkInModule(std::move(host)))
    return llvm::createStringError("the host program cannot be linked");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
heddle::linkModel(llvm::LLVMContext &context, const CompiledKernels &kernels,
                  std::unique_ptr<llvm::Module> host, const ModelPlan &plan,
                  const MachineModel &machine, const GlueOptions &options) {
  auto target = createTargetMachine(machine);
  auto module = std::make_unique<llvm::Module>(options.prefix(), context);
  module->setTargetTriple(target->getTargetTriple());
  module->setDataLayout(target->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  llvm::Linker linker(*module); // one, as each looks through all of the module
  llvm::StringSet<> internalNames;
  auto nameOf = [&](const std::string &kernel) {
    return options.prefix() + "_" + kernel;
  };
  for (const CompiledKernel &compiled : kernels.kernels) {
    auto kernel = llvm::parseBitcodeFile(*compiled.bitcode, context);
    if (!kernel)
      return kernel.takeError();
    setFirstFunction(**kernel, compiled.firstFunction);
    renameKernel(**kernel, kKernelName, nameOf(compiled.name));
    removeFunctions(**kernel);
    internalNames.insert(nameOf(compiled.name));
    for (llvm::Function &function : **kernel)
      if (function.isDeclaration() && !isAllowedUndefined(function.getName()) &&
          function.getName() != "halide_do_par_for" &&
          function.getName() != "heddle_launch" &&
          !isLibraryFunction(function.getName()))
        return llvm::createStringError(
            "kernel %s calls %s: its schedule needs memory or services that "
            "compiled models do not have (is a func of unknown size "
            "computed inside it?)",
            compiled.name.c_str(), function.getName().str().c_str());
    if (linker.linkInModule(std::move(*kernel)))
      return llvm::createStringError("kernels cannot be linked");
  }
  for (llvm::Function &function : *host)
    if (!function.isDeclaration())
      internalNames.insert(function.getName());
  if (llvm::Error error = linkHost(linker, *module, std::move(host), *target))
    return error;
  // Calls of a kernel that is like another one go to the other one's function.
  for (const auto &[kernel, other] : kernels.alike)
    if (llvm::Function *function = module->getFunction(nameOf(kernel))) {
      function->replaceAllUsesWith(module->getFunction(nameOf(other)));
      function->eraseFromParent();
    }
  emitGlue(*module, plan, machine, options);
  for (llvm::Function &function : *module) {
    if (internalNames.contains(function.getName()) && !function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu")) {
      function.addFnAttr("target-cpu", machine.cpu);
      function.addFnAttr("target-features", machine.features);
    }
  }
  if (llvm::verifyModule(*module, &llvm::errs()))
    return llvm::createStringError("internal error: invalid glue");
  return module;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
heddle::linkTargets(std::vector<std::unique_ptr<llvm::Module>> programs,
                    llvm::StringRef name) {
  std::unique_ptr<llvm::Module> first = std::move(programs.front());
  for (std::unique_ptr<llvm::Module> &program : llvm::drop_begin(programs))
    if (llvm::Linker::linkModules(*first, std::move(program)))
      return llvm::createStringError("the targets cannot be linked");
  // What they name of each other; functions are the first's entry points.
  for (llvm::GlobalVariable &global : first->globals())
    if (global.hasExternalLinkage() && !global.isDeclaration() &&
        global.getName() != (name + "_model").str())
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
  return first;
}

// Code generation may make calls of what the module does not: of the C
// library's mathematics on other types than f64, or of the compiler's own
// runtime.
static llvm::Error checkUndefined(const llvm::object::ObjectFile &object,
                                  const llvm::StringSet<> &declared) {
  for (const auto &symbol : object.symbols()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) &&
        !isAllowedUndefined(*name) && !isLibraryFunction(*name) &&
        !declared.contains(*name))
      return llvm::createStringError(
          "code generation for this CPU calls %s, which compiled models do "
          "not have",
          name->str().c_str());
  }
  return llvm::Error::success();
}

// LLVM keeps its private labels (.LCPI0_1) in the symbol table where
// relocations into sections of mergeable constants need them. They get the
// prefix, too.
static llvm::Error prefixLabels(llvm::object::ObjectFile &object,
                                llvm::StringRef prefix,
                                llvm::raw_ostream &output) {
  llvm::objcopy::ConfigManager config;
  config.Common.OutputFilename = prefix;
  std::deque<std::string> names;
  for (const auto &symbol : object.symbols()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->consume_front(".L"))
      continue;
    names.push_back((".L" + *name).str());
    llvm::StringRef old = names.back();
    names.push_back((prefix + "_" + *name).str());
    config.Common.SymbolsToRename[old] = names.back();
  }
  return llvm::objcopy::executeObjcopyOnBinary(config, object, output);
}

llvm::Error heddle::emitObject(llvm::Module &module,
                               const MachineModel &machine,
                               llvm::StringRef prefix,
                               llvm::CodeGenFileType type,
                               llvm::SmallVectorImpl<char> &output) {
  auto target = createTargetMachine(machine);
  llvm::StringSet<> declared; // a sanitizer's library among them
  for (const llvm::GlobalValue &value : module.global_values())
    if (value.isDeclaration())
      declared.insert(value.getName());
  llvm::SmallVector<char> code;
  llvm::raw_svector_ostream stream(code), result(output);
  llvm::legacy::PassManager passes;
  if (target->addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("the target cannot emit this file type");
  passes.run(module);
  if (type != llvm::CodeGenFileType::ObjectFile) {
    result << stream.str();
    return llvm::Error::success();
  }
  auto object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(stream.str(), prefix));
  if (!object)
    return object.takeError();
  if (llvm::Error error = checkUndefined(**object, declared))
    return error;
  return prefixLabels(**object, prefix, result);
}
