// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/Compilation.h"

#include "compiler/CodeGen/CheckEntries.h"
#include "compiler/CodeGen/ModelHash.h"
#include "compiler/Import/OnnxModel.h"
#include "compiler/TextEntries/TextEntries.h"
#include "compiler/Verify/Verify.h"
#include "compiler/tools/common/DiagnosticPrinter.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/heddlec/CompilationSession.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace heddle;

CompilationSession::CompilationSession(const CompilationOptions &options)
    : options(options), progress("heddlec", options.showProgress) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

llvm::Error CompilationSession::run() {
  DiagnosticPrinter diagnostics(sourceManager, &context);
  if (llvm::Error error = checkOptions())
    return error;
  auto chosenTargets = chooseTargets(options);
  if (!chosenTargets)
    return chosenTargets.takeError();
  targets = std::move(*chosenTargets);
  SmallVector<std::string> others;
  for (const TargetProgram &target : llvm::drop_begin(targets))
    others.push_back(target.glue.target);
  auto chosen = chooseNames(options, others);
  if (!chosen)
    return chosen.takeError();
  names = std::move(*chosen);
  for (TargetProgram &target : targets)
    target.glue.name = names.prefix;
  if (llvm::Error error = findTextFiles())
    return error;
  progress.show("reading " + options.input);
  auto imported =
      importModel(options.input, options.import, sourceManager, context);
  if (!imported)
    return imported.takeError();
  model = std::move(*imported);
  noteWeights();
  if (options.reportsImport) {
    if (!model.nodes)
      return llvm::createStringError("--import-report: expected an ONNX file, "
                                     "found another kind of model");
    importReport.emplace(model);
  }
  if (model.nodes) {
    auto obstacle = addTextEntries(*model.module, model.tensors.get());
    if (importReport)
      importReport->setTextEntries(*model.module, obstacle);
    else if (obstacle && options.showProgress)
      llvm::WithColor::note(llvm::errs(), "heddlec")
          << "no decoder of a cache: " << *obstacle << "\n";
  }
  if (llvm::Error error = checkInputsAreKept(names.files))
    return error;
  if (options.needsWeights())
    if (llvm::Error error = checkHasWeights(model, "--weights"))
      return error;
  auto isDevice = [](const TargetProgram &target) {
    return target.machine.device.has_value();
  };
  bool hasDevice = llvm::any_of(targets, isDevice);
  if (failed(convertWeights(*model.module, options.import,
                            targets.front().machine, hasDevice)))
    return alreadyReported();
  if (options.stage == Stage::Executable) {
    auto kind = chooseProgram(*model.module, options.input, !textFiles.empty(),
                              options.takesIds);
    if (!kind)
      return kind.takeError();
    programKind = *kind;
  }
  if (options.stage == Stage::Heddle)
    return printModule(*model.module);
  if (options.needsWeights())
    modelHash = hashModel(*model.module);
  if (hasDevice && failed(addForDevices(*model.module)))
    return alreadyReported();
  if (options.verify) {
    prepareVerify();
    original = model.module->clone();
    if (failed(prepareReference(*original)))
      return alreadyReported();
  }
  for (TargetProgram &target : llvm::drop_begin(targets))
    target.module = model.module->clone();
  targets.front().module = std::move(model.module);
  return compileTargets();
}

llvm::Error CompilationSession::compileTargets() {
  TargetProgram &first = targets.front();
  for (TargetProgram &target : targets)
    if (llvm::Error error = runPasses(target))
      return error;
  switch (options.stage) {
  case Stage::Kernels:
    return printModule(*first.module);
  case Stage::Halide:
    return printModule(first.pipelines());
  case Stage::Masks:
    return printMasks();
  case Stage::Tuning:
    return tune();
  case Stage::Schedule:
    return printSchedules();
  case Stage::Host:
    return printModule(first.host());
  case Stage::Statement:
    return writeStatements();
  case Stage::StatementHtml:
    return writePages();
  default:
    return generateCode();
  }
}

llvm::Error CompilationSession::checkOptions() const {
  if (llvm::Error error = checkTargets(options))
    return error;
  if (llvm::Error error = checkCalls())
    return error;
  if (options.embedWeights && options.stage < Stage::Object)
    return llvm::createStringError("--embed-weights: text has none; expected "
                                   "--emit=obj, lib, shared or exe");
  if (options.verify && options.stage < Stage::Object)
    return llvm::createStringError("--verify: text cannot be run; expected "
                                   "--emit=obj, lib, shared or exe");
  if (options.reportsQuantization && options.stage < Stage::Object)
    return llvm::createStringError("--quantization-report: text has no packed "
                                   "weights; expected --emit=obj, lib, shared "
                                   "or exe");
  if (options.reportsImport && options.stage < Stage::Object)
    return llvm::createStringError("--import-report: expected --emit=obj, lib, "
                                   "shared or exe");
  if (!options.text.empty() && !options.reportsQuantization)
    return llvm::createStringError("--text: expected --quantization-report");
  if (options.takesIds && options.stage != Stage::Executable)
    return llvm::createStringError("--ids: expected --emit=exe");
  if (options.stage == Stage::Device && options.devices.front() == "cpu")
    return llvm::createStringError(
        "--emit=device: expected --target=opencl or cuda, found cpu");
  bool isLinked = options.verify || !options.text.empty() ||
                  options.stage == Stage::Shared ||
                  options.stage == Stage::Executable;
  if (isLinked && options.sanitizer != Sanitizer::None)
    return llvm::createStringError(
        "--sanitize: expected --emit=obj or lib without --verify or --text, to "
        "be linked by cc -fsanitize");
  return llvm::Error::success();
}

llvm::Error CompilationSession::checkCalls() const {
  const CallOptions &calls = options.calls;
  if (!calls.inputs.empty() && options.stage != Stage::Masks)
    return llvm::createStringError(
        "--input is for --explain-masks, which is not given");
  if (options.stage != Stage::Tuning) {
    bool fixesSizes =
        calls.entry.empty() &&
        (isOnnxFile(options.input) || isOnnxFile(options.import.checkpoint));
    if ((!calls.entry.empty() || !calls.sizes.empty()) && !fixesSizes &&
        options.stage != Stage::Masks)
      return llvm::createStringError("--entry and --size are for "
                                     "--explain-masks and --tune, and --size "
                                     "for ONNX files; none is given");
    return llvm::Error::success();
  }
  if (options.devices.front() != "cpu")
    return llvm::createStringError(
        "--tune: expected --target=cpu, whose kernels have other "
        "configurations, found %s",
        options.devices.front().c_str());
  if (!options.pipeline.scheduleFile.empty())
    return llvm::createStringError("--tune begins with the compiler's own "
                                   "configurations; expected no --schedule");
  if (options.sanitizer != Sanitizer::None)
    return llvm::createStringError(
        "--tune measures code as it is; expected no --sanitize");
  return llvm::Error::success();
}

llvm::Error CompilationSession::findTextFiles() {
  if (options.stage != Stage::Executable || options.takesIds)
    return llvm::Error::success();
  auto files = readTextFiles(options.input);
  if (!files)
    return llvm::createStringError(llvm::toString(files.takeError()) +
                                   " (--ids makes a program of token ids)");
  textFiles = std::move(*files);
  return llvm::Error::success();
}

llvm::Error
CompilationSession::checkInputsAreKept(ArrayRef<std::string> outputs) const {
  return heddle::checkInputsAreKept(options, model.tensors.get(), outputs);
}

llvm::Error CompilationSession::runPasses(TargetProgram &target) {
  if (failed(checkEntries(*target.module, names.prefix)))
    return alreadyReported();
  progress.show("forming kernels" + of(target));
  PassManager passes(&context);
  PipelineOptions pipeline = options.pipeline;
  pipeline.device = target.machine.deviceName();
  bool reports = importReport && &target == &targets.front();
  pipeline.fusionRemarks |= reports;
  ScopedDiagnosticHandler remarks(&context, [&](Diagnostic &diagnostic) {
    bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
    if (!reports || !isRemark)
      return failure();
    importReport->addRemark(diagnostic);
    return success(!options.pipeline.fusionRemarks);
  });
  buildToKernels(passes, pipeline);
  if (options.stage != Stage::Kernels && options.stage != Stage::Tuning) {
    buildToHalide(passes);
    buildToSchedule(passes, pipeline);
  }
  if (options.stage >= Stage::Host)
    buildToHost(passes);
  if (failed(passes.run(*target.module)))
    return alreadyReported();
  if (reports)
    llvm::outs() << importReport->write(*target.module, options.input);
  return llvm::Error::success();
}

std::string CompilationSession::of(const TargetProgram &target) const {
  return targets.size() == 1 ? "" : " for " + target.machine.targetKind();
}

void CompilationSession::noteWeights() const {
  if (model.tensors && options.import.checkpoint.empty() &&
      options.showProgress && !llvm::sys::fs::is_directory(options.input) &&
      model.tensors->path() != options.input)
    llvm::WithColor::note(llvm::errs(), "heddlec")
        << "weights are those of " << model.tensors->path()
        << " (--weights names others)\n";
}

llvm::Error heddle::compile(const CompilationOptions &options) {
  return CompilationSession(options).run();
}
