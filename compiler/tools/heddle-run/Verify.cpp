// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run verify: compares an artifact with the model that it was compiled
// from, on the machine that it is to run on.

#include "compiler/Verify/Verify.h"

#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/CodeGen/CheckEntries.h"
#include "compiler/Import/ModelImport.h"
#include "compiler/Pipeline.h"
#include "compiler/TextEntries/TextEntries.h"
#include "compiler/tools/common/Artifact.h"
#include "compiler/tools/common/DiagnosticPrinter.h"
#include "compiler/tools/common/NamedValue.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/WeightTypes.h"
#include "compiler/tools/heddle-run/Commands.h"
#include "compiler/tools/heddle-run/OnnxRuntime.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand
    command("verify", "Compares each kernel, and the results as a whole, with "
                      "a reference in double precision");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static cl::opt<std::string> modelPath(
    "model", cl::Required, cl::value_desc("path"), cl::sub(command),
    cl::desc("Model folder, .gguf, .onnx or .mlir file that was compiled"));
static cl::opt<std::string>
    checkpoint("checkpoint", cl::value_desc("folder or file"), cl::sub(command),
               cl::desc("Weights of a .mlir model (default: model.safetensors "
                        "beside model.mlir)"));
static cl::opt<std::string> weightType("weight-type", cl::init("stored"),
                                       cl::value_desc("type"), cl::sub(command),
                                       cl::desc("As given to heddlec"));
static cl::opt<std::string> arithmetic("arithmetic", cl::init("f32"),
                                       cl::value_desc("type"), cl::sub(command),
                                       cl::desc("As given to heddlec"));
static cl::opt<std::string> cacheType("cache-type", cl::value_desc("type"),
                                      cl::sub(command),
                                      cl::desc("As given to heddlec"));
static cl::list<std::string> keep("keep", cl::value_desc("regex"),
                                  cl::sub(command),
                                  cl::desc("As given to heddlec"));
static cl::list<std::string>
    sizes("size", cl::CommaSeparated, cl::value_desc("name=value,..."),
          cl::sub(command),
          cl::desc("Sizes that an ONNX file has in all calls, as given to "
                   "heddlec"));
static cl::opt<std::string> schedule("schedule", cl::value_desc("file"),
                                     cl::sub(command),
                                     cl::desc("As given to heddlec"));

static cl::opt<bool>
    onnxRuntime("onnxruntime", cl::sub(command),
                cl::desc("Compare with ONNX Runtime, too: Node.js has to find "
                         "onnxruntime-node, in $NODE_PATH say"));
static cl::opt<bool> quiet("quiet", cl::sub(command),
                           cl::desc("Show no progress"));

// The CPU that `model` was compiled for, as --target-cpu names it: what the
// model needs may differ from what a CPU of that name has. Tile registers are
// in the name; what is needed of them says what kernels use.
static Expected<std::string> findTarget(const heddle_model &model) {
  Expected<MachineModel> named = MachineModel::forCpu(model.target_cpu);
  if (!named)
    return named.takeError();
  std::string expected = instructionSets(named->features, /*withTiles=*/false);
  SmallVector<StringRef> has, needs;
  StringRef(expected).split(has, ',', -1, /*KeepEmpty=*/false);
  StringRef(model.cpu_features).split(needs, ',', -1, /*KeepEmpty=*/false);
  std::string target = model.target_cpu;
  for (StringRef feature : has)
    if (!is_contained(needs, feature))
      target += ",-" + feature.str();
  for (StringRef feature : needs)
    if (!is_contained(has, feature) && !feature.starts_with("amx-"))
      target += ",+" + feature.str();
  return target;
}

// The passes up to what planModel reads; no kernel is compiled.
static Error formKernels(mlir::ModuleOp module, StringRef targetCpu,
                         StringRef device, StringRef prefix) {
  mlir::PassManager passes(module.getContext());
  PipelineOptions pipeline;
  pipeline.targetCpu = targetCpu.str();
  pipeline.device = device.str();
  pipeline.scheduleFile = schedule;
  buildToKernels(passes, pipeline);
  buildToHalide(passes);
  buildToSchedule(passes, pipeline);
  if (failed(checkEntries(module, prefix)) || failed(passes.run(module)))
    return alreadyReported();
  return Error::success();
}

static Error verifyWithOnnxRuntime(const Artifact &artifact,
                                   const heddle_weights *weights) {
  auto threads = threadOptions.create();
  if (!threads)
    return threads.takeError();
  heddle_context context = {};
  context.parallel_for = heddle_threads_parallel_for;
  context.parallel_for_data = threads->get();
  auto report = compareWithOnnxRuntime(artifact, weights, context, modelPath);
  if (!report)
    return report.takeError();
  outs() << *report;
  return Error::success();
}

static Error verifyArtifact() {
  prepareVerify();
  if (onnxRuntime && !StringRef(modelPath).ends_with(".onnx"))
    return createStringError("--onnxruntime: expected a model in an .onnx "
                             "file, found " +
                             modelPath);
  // Refused before work is done.
  if (auto threads = threadOptions.create(); !threads)
    return threads.takeError();
  Expected<Artifact> artifact = options.load();
  if (!artifact)
    return artifact.takeError();
  const heddle_model &model = artifact->model();
  Expected<std::string> target = findTarget(model);
  if (!target)
    return target.takeError();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  SourceMgr sources;
  DiagnosticPrinter diagnostics(sources, &context);
  ImportOptions importOptions;
  if (Error error = setWeightType(importOptions, weightType, keep))
    return error;
  auto isDevice = [](const heddle_model *target) {
    return target->device_kind != HEDDLE_DEVICE_NONE;
  };
  bool hasDevice = any_of(artifact->targets(), isDevice);
  setArithmetic(importOptions, arithmetic);
  setCacheType(importOptions, cacheType);
  importOptions.checkpoint = checkpoint;
  Expected<std::map<std::string, int64_t>> fixedSizes = parseSizes(sizes);
  if (!fixedSizes)
    return fixedSizes.takeError();
  importOptions.fixedSizes = std::move(*fixedSizes);
  Expected<ImportedModel> imported =
      importModel(modelPath, importOptions, sources, context);
  if (!imported)
    return imported.takeError();
  if (Error error = checkHasWeights(*imported, "--checkpoint"))
    return error;
  if (imported->nodes)
    addTextEntries(*imported->module, imported->tensors.get());
  Expected<MachineModel> machine = MachineModel::forCpu(*target);
  if (!machine)
    return machine.takeError();
  if (failed(convertWeights(*imported->module, importOptions, *machine,
                            hasDevice)))
    return alreadyReported();
  if (hasDevice && failed(addForDevices(*imported->module)))
    return alreadyReported();
  mlir::OwningOpRef<mlir::ModuleOp> original = imported->module->clone();
  if (failed(prepareReference(*original)))
    return alreadyReported();
  if (Error error =
          formKernels(*imported->module, *target, model.device, model.name))
    return error;
  ModelPlan plan = planModel(*imported->module);
  if (Error error = checkCompiledFrom(plan, model))
    return createStringError(options.artifact + ": " +
                             toString(std::move(error)));
  Expected<WeightsHandle> weights =
      artifact->openWeights(options.weights, /*verify=*/true);
  if (!weights)
    return weights.takeError();
  Progress progress("heddle-run", !quiet);
  progress.showPart("comparing with the reference");
  Expected<std::string> report =
      verify({*original, *imported->module, plan, imported->tensors.get(),
              model, **weights, threadOptions.threads,
              [&](const Twine &part) { progress.showLongPart(part); }});
  progress.done();
  if (!report)
    return report.takeError();
  outs() << *report;
  return onnxRuntime ? verifyWithOnnxRuntime(*artifact, weights->get())
                     : Error::success();
}

Command heddle::verifyCommand() {
  return {&command, verifyArtifact, [](OptionValues &values) {
            values.add(weightType, weightTypeKind())
                .add(arithmetic, arithmeticKind())
                .add(cacheType, cacheTypeKind())
                .add(threadOptions.threads);
          }};
}
