// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and the program that calls them, for all targets: one object.

#include "compiler/CodeGen/Object.h"
#include "compiler/CodeGen/Optimize.h"
#include "compiler/CodeGen/WeightPacker.h"
#include "compiler/Host/Passes.h"
#include "compiler/Host/TranslateHost.h"
#include "compiler/Support/Files.h"
#include "compiler/Weights/QuantizationReport.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/heddlec/CompilationSession.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

llvm::Error CompilationSession::generateCode() {
  llvm::LLVMContext llvmContext;
  std::vector<std::unique_ptr<llvm::Module>> programs;
  for (TargetProgram &target : targets) {
    auto kernels = compilePipelines(target);
    if (failed(kernels))
      return alreadyReported();
    if (options.stage == Stage::Device)
      return writeText(textOf(kernels->deviceFunctions));
    target.plan = planModel(*target.module);
    target.glue.deviceFunctions = std::move(kernels->deviceFunctions);
    if (options.stage >= Stage::Object)
      if (llvm::Error error = writeWeights(target))
        return error;
    auto program = linkProgram(llvmContext, *kernels, target);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
  }
  if (!haveEqualEntries(targets))
    return llvm::createStringError(
        "internal error: entry points of the targets differ");
  auto module = linkTargets(std::move(programs), names.prefix);
  if (!module)
    return module.takeError();
  if (options.stage == Stage::LLVM) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*module)->print(stream, nullptr);
    return writeText(text);
  }
  if (!textFiles.empty())
    embedFiles(**module, names.prefix, textFiles);
  progress.show("generating code");
  bool isAssembly = options.stage == Stage::Assembly;
  SmallVector<char> code;
  if (llvm::Error error =
          emitObject(**module, targets.front().machine, names.prefix,
                     isAssembly ? llvm::CodeGenFileType::AssemblyFile
                                : llvm::CodeGenFileType::ObjectFile,
                     code))
    return error;
  if (isAssembly)
    return writeText({code.data(), code.size()});
  return writeProgram(code);
}

std::string CompilationSession::textOf(ArrayRef<DeviceFunction> functions) {
  std::string text;
  const std::string *last = nullptr;
  for (const DeviceFunction &function : functions)
    if (const std::string *program = function.program.get();
        program != std::exchange(last, program))
      text += *program;
  return text;
}

FailureOr<CompiledKernels>
CompilationSession::compilePipelines(TargetProgram &target) {
  auto pipelines =
      llvm::to_vector(target.pipelines().getOps<halide::PipelineOp>());
  return compileKernels(
      pipelines, target.machine,
      options.useCache ? KernelCache::ofUser() : KernelCache(),
      [&](size_t number, size_t count, StringRef name) {
        if (number == 0)
          progress.show("compiling " + Twine(count) + " kernels" + of(target));
        progress.showPart("kernel " + Twine(number + 1) + " of " +
                          Twine(count) + ": " + name);
      });
}

llvm::Error CompilationSession::writeWeights(TargetProgram &target) {
  if (options.reportsQuantization && &target == &targets.front()) {
    progress.show("comparing weights");
    auto report = reportQuantization(*target.module, model.tensors.get());
    if (!report)
      return report.takeError();
    llvm::outs() << *report;
  }
  progress.show("packing weights" + of(target));
  auto write = [&](llvm::raw_fd_ostream &file) -> llvm::Error {
    auto packed = packWeights(*target.module, target.plan, model.tensors.get(),
                              modelHash, file);
    if (!packed)
      return packed.takeError();
    target.glue.fingerprint = *packed;
    return llvm::Error::success();
  };
  bool isScratch = options.embedWeights || options.stage == Stage::Tuning;
  if (!isScratch) {
    auto path = outputs.write(names.weightsOf(target.glue.target), write);
    if (path)
      target.weightsPath = *path;
    return path.takeError();
  }
  auto file = ScratchFile::create("weights", write);
  if (!file)
    return file.takeError();
  target.scratchWeights = std::move(*file);
  if (!options.embedWeights) {
    target.weightsPath = target.scratchWeights.path();
    return llvm::Error::success();
  }
  return llvm::errorCodeToError(llvm::sys::fs::file_size(
      target.scratchWeights.path(), target.glue.embeddedSize));
}

llvm::Expected<std::unique_ptr<llvm::Module>>
CompilationSession::linkProgram(llvm::LLVMContext &llvmContext,
                                const CompiledKernels &kernels,
                                TargetProgram &target) {
  progress.show("linking kernels" + of(target));
  auto hostProgram = compileHost(llvmContext, target);
  if (!hostProgram)
    return alreadyReported();
  auto module = linkModel(llvmContext, kernels, std::move(hostProgram),
                          target.plan, target.machine, target.glue);
  if (module)
    instrument(**module, *createTargetMachine(target.machine),
               options.sanitizer);
  return module;
}

std::unique_ptr<llvm::Module>
CompilationSession::compileHost(llvm::LLVMContext &llvmContext,
                                TargetProgram &target) {
  OwningOpRef<ModuleOp> program = target.host().clone();
  PassManager passes(&context);
  buildToLLVM(passes, target.glue.prefix() + "_");
  return failed(passes.run(*program)) ? nullptr
                                      : translateHost(*program, llvmContext);
}
