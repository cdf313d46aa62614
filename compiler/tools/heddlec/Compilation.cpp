// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/Compilation.h"

#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/CodeGen/CheckEntries.h"
#include "compiler/CodeGen/EmbeddedWeights.h"
#include "compiler/CodeGen/ModelHash.h"
#include "compiler/CodeGen/Object.h"
#include "compiler/CodeGen/WeightPacker.h"
#include "compiler/Host/Passes.h"
#include "compiler/Host/TranslateHost.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Support/Files.h"
#include "compiler/Translate/HalideTranslation.h"
#include "compiler/Verify/Verify.h"
#include "compiler/tools/common/Artifact.h"
#include "compiler/tools/common/DiagnosticPrinter.h"
#include "compiler/tools/common/Link.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/ScratchFile.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/heddlec/OutputNames.h"
#include "compiler/tools/heddlec/TargetProgram.h"
#include "compiler/tools/heddlec/TextFiles.h"
#include "compiler/tools/heddlec/VerifyOnDevice.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace heddle;

namespace {

class Compilation {
public:
  explicit Compilation(const CompilationOptions &options)
      : options(options), progress("heddlec", options.showProgress) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    // The op of a failed kernel is thousands of lines; its location names it.
    context.printOpOnDiagnostic(false);
  }

  llvm::Error run() {
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
    progress.show("reading " + options.input.path);
    auto imported = readModel(options.input, sourceManager, context);
    if (!imported)
      return imported.takeError();
    model = std::move(*imported);
    noteWeights();
    if (llvm::Error error = checkInputsAreKept(names.files))
      return error;
    if (options.stage >= Stage::Object)
      if (llvm::Error error = checkHasWeights(model, "--weights"))
        return error;
    if (options.stage == Stage::Heddle)
      return printModule(*model.module);
    if (options.stage >= Stage::Object)
      modelHash = hashModel(*model.module);
    auto isDevice = [](const TargetProgram &target) {
      return target.machine.device.has_value();
    };
    if (llvm::any_of(targets, isDevice) && failed(addForDevices(*model.module)))
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

private:
  llvm::Error compileTargets() {
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

  llvm::Error checkOptions() const {
    if (llvm::Error error = checkTargets(options))
      return error;
    if (!options.explained.isEmpty() && options.stage != Stage::Masks)
      return llvm::createStringError("--entry, --size and --input are for "
                                     "--explain-masks, which is not given");
    if (options.embedWeights && options.stage < Stage::Object)
      return llvm::createStringError("--embed-weights: text has none; expected "
                                     "--emit=obj, lib, shared or exe");
    if (options.verify && options.stage < Stage::Object)
      return llvm::createStringError("--verify: text cannot be run; expected "
                                     "--emit=obj, lib, shared or exe");
    if (options.takesIds && options.stage != Stage::Executable)
      return llvm::createStringError("--ids: expected --emit=exe");
    if (options.stage == Stage::Device && options.devices.front() == "cpu")
      return llvm::createStringError(
          "--emit=device: expected --target=opencl or cuda, found cpu");
    bool isLinked = options.verify || options.stage == Stage::Shared ||
                    options.stage == Stage::Executable;
    if (isLinked && options.sanitizer != Sanitizer::None)
      return llvm::createStringError(
          "--sanitize: expected --emit=obj or lib without --verify, to be "
          "linked by cc -fsanitize");
    return llvm::Error::success();
  }

  // Before the work of a compilation.
  llvm::Error findTextFiles() {
    if (options.stage != Stage::Executable || options.takesIds)
      return llvm::Error::success();
    auto files = readTextFiles(options.input.path);
    if (!files)
      return llvm::createStringError(llvm::toString(files.takeError()) +
                                     " (--ids makes a program of token ids)");
    textFiles = std::move(*files);
    return llvm::Error::success();
  }

  llvm::Error checkInputsAreKept(ArrayRef<std::string> outputs) const {
    return heddle::checkInputsAreKept(options, model.tensors.get(), outputs);
  }

  llvm::Error runPasses(TargetProgram &target) {
    if (failed(checkEntries(*target.module, names.prefix)))
      return alreadyReported();
    progress.show("forming kernels" + of(target));
    PassManager passes(&context);
    PipelineOptions pipeline = options.pipeline;
    pipeline.device = target.machine.deviceName();
    buildToKernels(passes, pipeline);
    if (options.stage != Stage::Kernels) {
      buildToHalide(passes);
      buildToSchedule(passes, pipeline);
    }
    if (options.stage >= Stage::Host)
      buildToHost(passes);
    return failed(passes.run(*target.module)) ? alreadyReported()
                                              : llvm::Error::success();
  }

  // Where there are several targets, which one something is for.
  std::string of(const TargetProgram &target) const {
    return targets.size() == 1 ? "" : " for " + target.machine.targetKind();
  }

  //===-- Text ------------------------------------------------------------===//

  llvm::Error writeText(StringRef text) {
    progress.done();
    return writeFile(options.output.empty() ? "-" : options.output, text);
  }

  llvm::Error printModule(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    stream << '\n';
    return writeText(text);
  }

  llvm::Error printMasks() {
    progress.show("explaining masks");
    auto text = explainMasks(*targets.front().module, model.tensors.get(),
                             names.prefix, options.explained);
    return text ? writeText(*text) : text.takeError();
  }

  llvm::Error printSchedules() {
    ModuleOp pipelines = targets.front().pipelines();
    OwningOpRef<ModuleOp> schedules = ModuleOp::create(pipelines.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(schedules->getBody());
    for (auto pipeline : pipelines.getOps<halide::PipelineOp>())
      for (auto schedule :
           pipeline.getBody().front().getOps<halide::ScheduleOp>()) {
        auto copy = cast<halide::ScheduleOp>(builder.clone(*schedule));
        copy.setPipeline(pipeline.getSymName());
      }
    return printModule(*schedules);
  }

  llvm::Error writeStatements() {
    std::string text;
    TargetProgram &target = targets.front();
    for (auto pipeline : target.pipelines().getOps<halide::PipelineOp>()) {
      progress.showPart(pipeline.getSymName());
      auto statement = translateToHalide(pipeline, target.machine,
                                         TranslationOutput::Statement);
      if (failed(statement))
        return alreadyReported();
      text += statement->output->getBuffer();
    }
    return writeText(text);
  }

  llvm::Error writePages() {
    std::string folder = options.output.empty() ? names.base : options.output;
    OutputSet pages;
    if (llvm::Error error = pages.makeFolder(folder))
      return error;
    TargetProgram &target = targets.front();
    for (auto pipeline : target.pipelines().getOps<halide::PipelineOp>()) {
      progress.showPart(pipeline.getSymName());
      SmallString<128> path(folder);
      llvm::sys::path::append(path, pipeline.getSymName() + ".html");
      if (llvm::Error error = checkInputsAreKept(std::string(path)))
        return error;
      auto page = translateToHalide(pipeline, target.machine,
                                    TranslationOutput::StatementHtml);
      if (failed(page))
        return alreadyReported();
      if (llvm::Error error =
              pages.write(std::string(path), page->output->getBuffer()))
        return error;
    }
    ignoreInterrupts();
    return pages.commit();
  }

  //===-- Code ------------------------------------------------------------===//

  llvm::Error generateCode() {
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
      auto program = linkProgram(llvmContext, kernels->bitcode, target);
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

  static std::string textOf(ArrayRef<DeviceFunction> functions) {
    std::string text;
    const std::string *last = nullptr;
    for (const DeviceFunction &function : functions)
      if (const std::string *program = function.program.get();
          program != std::exchange(last, program))
        text += *program;
    return text;
  }

  FailureOr<CompiledKernels> compilePipelines(TargetProgram &target) {
    SmallVector<halide::PipelineOp> kernels(
        target.pipelines().getOps<halide::PipelineOp>());
    progress.show("compiling " + llvm::Twine(kernels.size()) + " kernels" +
                  of(target));
    return compileKernels(
        kernels, target.machine, target.glue.prefix() + "_", [&](size_t index) {
          progress.showPart("kernel " + std::to_string(index + 1) + " of " +
                            std::to_string(kernels.size()) + ": " +
                            kernels[index].getSymName().str());
        });
  }

  // As a file of their own, or one that becomes a part of the object.
  llvm::Error writeWeights(TargetProgram &target) {
    progress.show("packing weights" + of(target));
    auto write = [&](llvm::raw_fd_ostream &file) -> llvm::Error {
      auto packed =
          packWeights(target.plan, model.tensors.get(), modelHash, file);
      if (!packed)
        return packed.takeError();
      target.glue.fingerprint = *packed;
      return llvm::Error::success();
    };
    if (!options.embedWeights) {
      auto path = outputs.write(names.weightsOf(target.glue.target), write);
      if (path)
        target.weightsPath = *path;
      return path.takeError();
    }
    auto file = ScratchFile::create("weights", write);
    if (!file)
      return file.takeError();
    target.embedded = std::move(*file);
    return llvm::errorCodeToError(llvm::sys::fs::file_size(
        target.embedded.path(), target.glue.embeddedSize));
  }

  // Kernels and the program that calls them, as one module.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  linkProgram(llvm::LLVMContext &llvmContext,
              ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> bitcode,
              TargetProgram &target) {
    progress.show("linking kernels" + of(target));
    auto hostProgram = compileHost(llvmContext, target);
    if (!hostProgram)
      return alreadyReported();
    auto module = linkModel(llvmContext, bitcode, std::move(hostProgram),
                            target.plan, target.machine, target.glue);
    if (module)
      instrument(**module, *createTargetMachine(target.machine),
                 options.sanitizer);
    return module;
  }

  // The object in what was asked for, and the header beside it.
  llvm::Error writeProgram(MutableArrayRef<char> code) {
    ScratchFile scratch;
    auto object = writeObjectFile(code, scratch);
    if (!object)
      return object.takeError();
    std::string report;
    if (options.verify) {
      progress.show("comparing with the reference");
      auto verified = verifyObject(*object);
      if (!verified) {
        std::string message = llvm::toString(verified.takeError());
        return message.empty()
                   ? alreadyReported()
                   : llvm::createStringError("--verify: " + message);
      }
      report = *verified;
    }
    if (llvm::Error error = outputs.write(names.base + ".h", makeHeader()))
      return error;
    if (llvm::Error error = writeBinary(*object))
      return error;
    progress.done();
    llvm::outs() << report;
    if (llvm::Error error = flushStandardOutput())
      return error;
    ignoreInterrupts();
    if (llvm::Error error = outputs.commit())
      return error;
    noteNeeds();
    return llvm::Error::success();
  }

  std::string makeHeader() const {
    const TargetProgram &first = targets.front();
    std::vector<MachineModel> others;
    for (const TargetProgram &target : llvm::drop_begin(targets))
      others.push_back(target.machine);
    return writeHeader(
        first.plan, first.machine, others, first.glue,
        llvm::sys::path::filename(StringRef(options.input.path).rtrim('/')));
  }

  // Those that nobody has named.
  void noteWeights() const {
    if (model.tensors && options.input.checkpoint.empty() &&
        options.showProgress &&
        !llvm::sys::fs::is_directory(options.input.path))
      llvm::WithColor::note(llvm::errs(), "heddlec")
          << "weights are those of " << model.tensors->path()
          << " (--weights names others)\n";
  }

  // Who names no CPU may not know that others cannot run the result.
  void noteNeeds() const {
    if (options.pipeline.targetCpu == "native" && options.showProgress)
      llvm::WithColor::note(llvm::errs(), "heddlec")
          << "compiled for this machine's CPU, " << targets.front().machine.cpu
          << "; others need "
          << instructionSets(targets.front().machine.features)
          << " (--target-cpu=x86-64-v3 is for most)\n";
  }

  std::unique_ptr<llvm::Module> compileHost(llvm::LLVMContext &llvmContext,
                                            TargetProgram &target) {
    OwningOpRef<ModuleOp> program = target.host().clone();
    PassManager passes(&context);
    buildToLLVM(passes, target.glue.prefix() + "_");
    return failed(passes.run(*program)) ? nullptr
                                        : translateHost(*program, llvmContext);
  }

  // The name of the object's file: an output's for now, or that of `scratch`.
  llvm::Expected<std::string> writeObjectFile(MutableArrayRef<char> code,
                                              ScratchFile &scratch) {
    auto write = [&](llvm::raw_fd_ostream &file) -> llvm::Error {
      if (!options.embedWeights) {
        file.write(code.data(), code.size());
        return llvm::Error::success();
      }
      SmallVector<TargetWeights> weights;
      for (const TargetProgram &target : targets) {
        auto buffer = readRegularFile(target.embedded.path());
        if (!buffer)
          return buffer.takeError();
        weights.push_back({target.glue.target, std::move(*buffer)});
      }
      return writeObject(code, weights, file);
    };
    if (options.stage == Stage::Object)
      return outputs.write(names.binary, write);
    auto file = ScratchFile::create("o", write);
    if (!file)
      return file.takeError();
    scratch = std::move(*file);
    return scratch.path();
  }

  llvm::Expected<std::string> verifyObject(StringRef object) {
    auto library = ScratchFile::create("so");
    if (!library)
      return library.takeError();
    if (llvm::Error error = linkSharedLibrary(library->path(), object))
      return error;
    std::string report;
    for (TargetProgram &target : targets) {
      auto part = verifyTarget(target, library->path());
      if (!part)
        return part.takeError();
      if (targets.size() > 1)
        report += "for " + target.machine.targetKind() + ":\n";
      report += *part;
    }
    return report;
  }

  llvm::Expected<std::string> verifyTarget(TargetProgram &target,
                                           StringRef library) {
    std::string kind = target.machine.targetKind();
    if (target.machine.device)
      return verifyOnDevice(options, kind, library, target.weightsPath);
    auto artifact = Artifact::load(library, kind);
    if (!artifact)
      return artifact.takeError();
    auto weights = artifact->openWeights(target.weightsPath, /*verify=*/true);
    if (!weights)
      return weights.takeError();
    return verify({*original, *target.module, target.plan, model.tensors.get(),
                   artifact->model(), **weights, /*threads=*/0,
                   [&](const Twine &part) { progress.showLongPart(part); }});
  }

  llvm::Error writeBinary(StringRef object) {
    switch (options.stage) {
    case Stage::Object:
      return llvm::Error::success(); // it is written
    case Stage::Library: {
      auto library = makeStaticLibrary(object, names.prefix + ".o");
      if (!library)
        return library.takeError();
      return outputs.write(names.binary, (*library)->getBuffer());
    }
    case Stage::Shared:
      return outputs.writeByName(names.binary, [&](StringRef name) {
        return linkSharedLibrary(name, object);
      });
    default:
      return outputs.writeByName(names.binary, [&](StringRef name) {
        return linkExecutable(name, object, names.prefix, textFiles.size());
      });
    }
  }

  const CompilationOptions &options;
  Progress progress;
  llvm::SourceMgr sourceManager;
  MLIRContext context;
  ImportedModel model;            ///< whose module the targets get
  uint64_t modelHash = 0;         ///< of the model's text, before any pass
  OwningOpRef<ModuleOp> original; ///< the model before any pass, to verify
  OutputNames names;
  std::vector<EmbeddedFile> textFiles; ///< of a program that takes text
  OutputSet outputs;
  std::vector<TargetProgram> targets;
};

} // namespace

llvm::Error heddle::compile(const CompilationOptions &options) {
  return Compilation(options).run();
}
