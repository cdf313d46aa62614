// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/KernelCompiler.h"

#include "compiler/CodeGen/CudaCode.h"
#include "compiler/CodeGen/KernelSemantics.h"
#include "compiler/CodeGen/Optimize.h"
#include "compiler/CodeGen/TaskLoop.h"
#include "compiler/Translate/HalideTranslation.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/ThreadPool.h"

#include <list>

using namespace mlir;
using namespace heddle;

// Halide compiled for a CPU near enough; LLVM 22 compiles for the right one.
static void retarget(llvm::Module &module, const MachineModel &machine,
                     llvm::TargetMachine &target) {
  module.setTargetTriple(target.getTargetTriple());
  module.setDataLayout(target.createDataLayout());
  for (llvm::Function &function : module) {
    for (StringRef attribute :
         {"target-cpu", "target-features", "tune-cpu", "reciprocal-estimates"})
      function.removeFnAttr(attribute);
    function.addFnAttr("target-cpu", machine.cpu);
    function.addFnAttr("target-features", machine.features);
    // Without these LLVM splits 512-bit vectors on CPUs that it thinks slow at
    // them; the schedule has decided.
    if (machine.hasAVX512) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
  }
}

// Names of everything in the module begin with `prefix`; only the kernel itself
// is visible outside.
static void rename(llvm::Module &module, StringRef kernel, StringRef prefix) {
  unsigned tasks = 0, constants = 0;
  std::string name = (prefix + kernel).str();
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
  // Halide's version and compile flags are no part of the program.
  for (llvm::NamedMDNode &node :
       llvm::make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
}

// Drops what Halide defines besides the kernel and its parallel tasks.
static void removeExtras(llvm::Module &module, StringRef kernel) {
  for (StringRef suffix : {"_argv", "_metadata"})
    if (auto *function = module.getFunction((kernel + suffix).str()))
      function->eraseFromParent();
}

// Launches count the functions of a device from 0 on in each pipeline.
static void numberLaunches(llvm::Module &module, size_t first) {
  llvm::Function *launch = module.getFunction("heddle_launch");
  if (!launch)
    return;
  constexpr unsigned number = 1;
  for (llvm::User *user : launch->users()) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    auto *own = llvm::cast<llvm::ConstantInt>(call->getArgOperand(number));
    call->setArgOperand(
        number,
        llvm::ConstantInt::get(own->getType(), own->getZExtValue() + first));
  }
}

namespace {
/// A pipeline that Halide has compiled.
struct Halfway {
  std::unique_ptr<llvm::MemoryBuffer> bitcode;
  std::string kernel;
  std::optional<TaskArguments> tasks;
  size_t firstFunction; ///< of those that a device runs
};

/// A function of a device on its way.
struct HalfwayFunction {
  TranslatedFunction translated;
  size_t pipeline; ///< whose it is
  std::string ptx, error;
};
} // namespace

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
finishKernel(const Halfway &pipeline, const MachineModel &machine,
             StringRef prefix) {
  StringRef kernel = pipeline.kernel;
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(*pipeline.bitcode, context);
  if (!module)
    return module.takeError();
  auto target = createTargetMachine(machine);
  removeExtras(**module, kernel);
  if (pipeline.tasks && machine.device)
    dropTask(**module, kernel, *pipeline.tasks);
  else if (pipeline.tasks)
    addTaskLoop(**module, kernel, *pipeline.tasks);
  numberLaunches(**module, pipeline.firstFunction);
  retarget(**module, machine, *target);
  correctSemantics(**module);
  rename(**module, kernel, prefix);
  returnBrokenPromises(**module);
  optimize(**module, *target);
  SmallVector<char> data;
  llvm::raw_svector_ostream stream(data);
  llvm::WriteBitcodeToFile(**module, stream);
  return llvm::MemoryBuffer::getMemBufferCopy(
      StringRef(data.data(), data.size()), kernel);
}

// Returns what is wrong.
static std::string finishFunction(HalfwayFunction &function,
                                  const MachineModel &machine) {
  auto code = compileToPtx(function.translated, machine.device->chip);
  if (!code)
    return llvm::toString(code.takeError());
  function.ptx = std::move(*code);
  return "";
}

// One program of OpenCL C, or one of PTX for each.
static std::vector<DeviceFunction>
toPrograms(std::list<HalfwayFunction> functions) {
  SmallVector<OpenClText> texts;
  for (HalfwayFunction &function : functions)
    if (auto *text = std::get_if<OpenClText>(&function.translated.code))
      texts.push_back(std::move(*text));
  auto shared = std::make_shared<const std::string>(
      texts.empty() ? "" : joinOpenCl(texts));
  std::vector<DeviceFunction> result;
  for (HalfwayFunction &function : functions)
    result.push_back({function.translated.name,
                      texts.empty()
                          ? std::make_shared<const std::string>(function.ptx)
                          : shared});
  return result;
}

FailureOr<CompiledKernels>
heddle::compileKernels(ArrayRef<halide::PipelineOp> pipelines,
                       const MachineModel &machine, StringRef prefix,
                       llvm::function_ref<void(size_t)> progress) {
  CompiledKernels kernels;
  kernels.bitcode.resize(pipelines.size());
  std::vector<std::string> errors(pipelines.size());
  std::list<HalfwayFunction> functions;
  size_t functionCount = 0;
  llvm::DefaultThreadPool threads;
  bool failedInHalide = false;
  for (auto [index, op] : llvm::enumerate(pipelines)) {
    halide::PipelineOp pipeline = op;
    progress(index);
    auto translated =
        translateToHalide(pipeline, machine, TranslationOutput::Bitcode);
    if (failed(translated)) {
      failedInHalide = true;
      break;
    }
    // Shared, as what the pool runs is copied.
    auto halfway = std::make_shared<Halfway>(
        Halfway{std::move(translated->output), pipeline.getSymName().str(),
                TaskArguments::of(pipeline), functionCount});
    functionCount += translated->functions.size();
    // A list: what is in it stays where it is.
    for (TranslatedFunction &function : translated->functions)
      functions.push_back({std::move(function), index, {}, {}});
    threads.async([&, index = index, halfway] {
      auto result = finishKernel(*halfway, machine, prefix);
      if (result)
        kernels.bitcode[index] = std::move(*result);
      else
        errors[index] = llvm::toString(result.takeError());
    });
  }
  if (machine.device && machine.device->kind == DeviceModel::Cuda)
    for (HalfwayFunction &function : functions)
      threads.async(
          [&] { function.error = finishFunction(function, machine); });
  threads.wait();
  if (failedInHalide)
    return failure();
  for (HalfwayFunction &function : functions)
    if (!function.error.empty())
      errors[function.pipeline] = function.error;
  for (auto [index, error] : llvm::enumerate(errors))
    if (!error.empty()) {
      halide::PipelineOp pipeline = pipelines[index];
      return pipeline.emitError("cannot be compiled: ") << error;
    }
  kernels.deviceFunctions = toPrograms(std::move(functions));
  return kernels;
}
