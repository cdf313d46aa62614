// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/KernelCompiler.h"

#include "compiler/CodeGen/CudaCode.h"
#include "compiler/CodeGen/FlushSubnormals.h"
#include "compiler/CodeGen/HalfInstructions.h"
#include "compiler/CodeGen/KernelNames.h"
#include "compiler/CodeGen/KernelSemantics.h"
#include "compiler/CodeGen/Optimize.h"
#include "compiler/CodeGen/PipelineText.h"
#include "compiler/CodeGen/PrefetchStreams.h"
#include "compiler/CodeGen/TaskLoop.h"
#include "compiler/CodeGen/TileInstructions.h"
#include "compiler/Translate/HalideTranslation.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/ThreadPool.h"

#include <deque>

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

// Drops what Halide defines besides the kernel and its parallel tasks.
static void removeExtras(llvm::Module &module, StringRef kernel) {
  for (StringRef suffix : {"_argv", "_metadata"})
    if (auto *function = module.getFunction((kernel + suffix).str()))
      function->eraseFromParent();
}

namespace {
/// A pipeline that Halide has compiled, for LLVM 22 to finish.
struct Halfway {
  std::string name;
  Translation translation;
  std::optional<TaskArguments> tasks;
  bool flushesSubnormals;
};
} // namespace

// Halide's version and compile flags are no part of the program.
static void removeMetadata(llvm::Module &module) {
  for (llvm::NamedMDNode &node :
       llvm::make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
}

static llvm::Expected<std::vector<KernelFunction>>
finishFunctions(ArrayRef<TranslatedFunction> translated,
                const MachineModel &machine) {
  std::vector<KernelFunction> functions;
  for (const TranslatedFunction &function : translated) {
    functions.push_back({function.name, function.code});
    if (machine.device->kind != DeviceModel::Cuda)
      continue;
    auto ptx = compileToPtx(function, machine.device->chip);
    if (!ptx)
      return ptx.takeError();
    functions.back().code = std::move(*ptx);
  }
  return functions;
}

// Its bitcode. What is in it is named after kKernelName.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
finishKernel(const Halfway &pipeline, const MachineModel &machine) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(*pipeline.translation.output, context);
  if (!module)
    return module.takeError();
  auto functions = finishFunctions(pipeline.translation.functions, machine);
  if (!functions)
    return functions.takeError();
  auto target = createTargetMachine(machine);
  removeExtras(**module, pipeline.name);
  removeMetadata(**module);
  if (pipeline.tasks && machine.device)
    dropTask(**module, pipeline.name, *pipeline.tasks);
  else if (pipeline.tasks)
    addTaskLoop(**module, pipeline.name, *pipeline.tasks);
  countFromFirstFunction(**module);
  retarget(**module, machine, *target);
  correctSemantics(**module);
  convertHalves(**module);
  defineTileSums(**module);
  renameKernel(**module, pipeline.name, kKernelName.str());
  if (pipeline.flushesSubnormals && !machine.device)
    flushSubnormals(**module, kKernelName);
  returnBrokenPromises(**module);
  optimize(**module, *target);
  if (!machine.device)
    prefetchStreams(**module, *target, machine);
  addFunctions(**module, *functions);
  SmallVector<char> data;
  llvm::raw_svector_ostream stream(data);
  llvm::WriteBitcodeToFile(**module, stream);
  return llvm::MemoryBuffer::getMemBufferCopy(
      StringRef(data.data(), data.size()), pipeline.name);
}

// Functions of a device are named after their pipeline.
static std::string keyOf(halide::PipelineOp pipeline, StringRef text,
                         const MachineModel &machine) {
  return KernelCache::keyOf(
      {text, machine.cpu, machine.features, machine.deviceName(),
       machine.device ? pipeline.getSymName() : "", optionsOfHalide()});
}

namespace {
/// A pipeline that is compiled, or that the cache has.
struct Job {
  halide::PipelineOp pipeline;
  std::string key;
  std::unique_ptr<llvm::MemoryBuffer> bitcode;
  std::string error;
};
} // namespace

static LogicalResult compileJobs(ArrayRef<Job *> jobs,
                                 const MachineModel &machine,
                                 const KernelCache &cache,
                                 KernelProgress progress) {
  llvm::DefaultThreadPool threads;
  for (auto [index, job] : llvm::enumerate(jobs)) {
    halide::PipelineOp pipeline = job->pipeline;
    progress(index, jobs.size(), pipeline.getSymName());
    auto translated =
        translateToHalide(pipeline, machine, TranslationOutput::Bitcode);
    if (failed(translated)) {
      threads.wait();
      return failure();
    }
    // Shared, as what the pool runs is copied.
    auto halfway = std::make_shared<Halfway>(
        Halfway{pipeline.getSymName().str(), std::move(*translated),
                TaskArguments::of(pipeline), pipeline->hasAttr(kFlushAttr)});
    threads.async([&, job = job, halfway] {
      auto finished = finishKernel(*halfway, machine);
      if (!finished) {
        job->error = llvm::toString(finished.takeError());
        return;
      }
      job->bitcode = std::move(*finished);
      llvm::consumeError(cache.keep(job->key, job->bitcode->getBuffer()));
    });
  }
  threads.wait();
  for (Job *job : jobs)
    if (!job->error.empty())
      return job->pipeline.emitError("cannot be compiled: ") << job->error;
  return success();
}

FailureOr<CompiledKernels>
heddle::compileKernels(ArrayRef<halide::PipelineOp> pipelines,
                       const MachineModel &machine, const KernelCache &cache,
                       KernelProgress progress) {
  CompiledKernels kernels;
  std::deque<Job> jobs;
  SmallVector<Job *> missing;
  llvm::StringMap<StringRef> first; // by text
  for (halide::PipelineOp pipeline : pipelines) {
    std::string text = textOf(pipeline);
    auto [known, isNew] = first.try_emplace(text, pipeline.getSymName());
    if (!isNew) {
      kernels.alike.emplace_back(pipeline.getSymName(), known->second);
      continue;
    }
    Job &job = jobs.emplace_back(
        Job{pipeline, keyOf(pipeline, text, machine), nullptr, ""});
    job.bitcode = cache.find(job.key);
    if (!job.bitcode)
      missing.push_back(&job);
  }
  if (failed(compileJobs(missing, machine, cache, progress)))
    return failure();
  cache.prune();
  std::vector<KernelFunction> functions;
  for (Job &job : jobs) {
    size_t firstFunction = functions.size();
    if (machine.device) {
      auto launched = readFunctions(*job.bitcode);
      if (!launched)
        return job.pipeline.emitError("cannot be compiled: ")
               << llvm::toString(launched.takeError());
      llvm::append_range(functions, *launched);
    }
    kernels.kernels.push_back({job.pipeline.getSymName().str(),
                               std::move(job.bitcode), firstFunction});
  }
  kernels.deviceFunctions = toPrograms(std::move(functions));
  return kernels;
}
