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
    auto chosen = chooseNames(options);
    if (!chosen)
      return chosen.takeError();
    names = std::move(*chosen);
    auto machineModel = MachineModel::forCpu(options.pipeline.targetCpu);
    if (!machineModel)
      return llvm::createStringError("--target-cpu: " +
                                     llvm::toString(machineModel.takeError()));
    machine = *machineModel;
    if (llvm::Error error = machine.setDevice(options.pipeline.device))
      return llvm::createStringError("--target: " +
                                     llvm::toString(std::move(error)));
    if (llvm::Error error = findTextFiles())
      return error;
    progress.show("reading " + options.input.path);
    auto imported = readModel(options.input, sourceManager, context);
    if (!imported)
      return imported.takeError();
    model = std::move(*imported);
    if (llvm::Error error = checkInputsAreKept(names.files))
      return error;
    if (options.stage >= Stage::Object)
      if (llvm::Error error = checkHasWeights(model, "--weights"))
        return error;
    if (options.stage == Stage::Heddle)
      return printModule(*model.module);
    if (options.stage >= Stage::Object)
      modelHash = hashModel(*model.module);
    if (options.verify) {
      prepareVerify();
      original = model.module->clone();
      if (failed(prepareReference(*original)))
        return alreadyReported();
    }
    if (llvm::Error error = runPasses())
      return error;
    switch (options.stage) {
    case Stage::Kernels:
      return printModule(*model.module);
    case Stage::Halide:
      return printModule(pipelines());
    case Stage::Masks:
      return printMasks();
    case Stage::Schedule:
      return printSchedules();
    case Stage::Host:
      return printModule(host());
    case Stage::Statement:
      return writeStatements();
    case Stage::StatementHtml:
      return writePages();
    default:
      return generateCode();
    }
  }

private:
  llvm::Error checkOptions() const {
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
    if (options.stage == Stage::Device && options.pipeline.device.empty())
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

  llvm::Error runPasses() {
    if (failed(checkEntries(*model.module, names.prefix)))
      return alreadyReported();
    progress.show("forming kernels");
    PassManager passes(&context);
    buildToKernels(passes, options.pipeline);
    if (options.stage != Stage::Kernels) {
      buildToHalide(passes);
      buildToSchedule(passes, options.pipeline);
    }
    if (options.stage >= Stage::Host)
      buildToHost(passes);
    return failed(passes.run(*model.module)) ? alreadyReported()
                                             : llvm::Error::success();
  }

  ModuleOp pipelines() {
    return model.module->lookupSymbol<ModuleOp>(kPipelinesModule);
  }

  ModuleOp host() { return model.module->lookupSymbol<ModuleOp>(kHostModule); }

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
    auto text = explainMasks(*model.module, model.tensors.get(), names.prefix,
                             options.explained);
    return text ? writeText(*text) : text.takeError();
  }

  llvm::Error printSchedules() {
    OwningOpRef<ModuleOp> schedules = ModuleOp::create(pipelines().getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(schedules->getBody());
    for (auto pipeline : pipelines().getOps<halide::PipelineOp>())
      for (auto schedule :
           pipeline.getBody().front().getOps<halide::ScheduleOp>()) {
        auto copy = cast<halide::ScheduleOp>(builder.clone(*schedule));
        copy.setPipeline(pipeline.getSymName());
      }
    return printModule(*schedules);
  }

  llvm::Error writeStatements() {
    std::string text;
    for (auto pipeline : pipelines().getOps<halide::PipelineOp>()) {
      progress.showPart(pipeline.getSymName());
      auto statement =
          translateToHalide(pipeline, machine, TranslationOutput::Statement);
      if (failed(statement))
        return alreadyReported();
      text += statement->output->getBuffer();
    }
    return writeText(text);
  }

  llvm::Error writePages() {
    std::string folder = options.output.empty() ? names.base : options.output;
    bool isNew = !llvm::sys::fs::exists(folder);
    if (std::error_code code = llvm::sys::fs::create_directories(folder))
      return llvm::createStringError(code, "%s: %s", folder.c_str(),
                                     code.message().c_str());
    llvm::Error error = writePagesTo(folder);
    if (error && isNew)
      (void)llvm::sys::fs::remove(folder);
    return error;
  }

  llvm::Error writePagesTo(StringRef folder) {
    OutputSet pages;
    for (auto pipeline : pipelines().getOps<halide::PipelineOp>()) {
      progress.showPart(pipeline.getSymName());
      SmallString<128> path(folder);
      llvm::sys::path::append(path, pipeline.getSymName() + ".html");
      if (llvm::Error error = checkInputsAreKept(std::string(path)))
        return error;
      auto page = translateToHalide(pipeline, machine,
                                    TranslationOutput::StatementHtml);
      if (failed(page))
        return alreadyReported();
      if (llvm::Error error =
              pages.write(std::string(path), page->output->getBuffer()))
        return error;
    }
    return pages.commit();
  }

  //===-- Code ------------------------------------------------------------===//

  llvm::Error generateCode() {
    ModelPlan plan = planModel(*model.module);
    auto kernels = compilePipelines();
    if (failed(kernels))
      return alreadyReported();
    if (options.stage == Stage::Device) {
      std::string text;
      const std::string *last = nullptr;
      for (const DeviceFunction &function : kernels->deviceFunctions)
        if (const std::string *program = function.program.get();
            program != std::exchange(last, program))
          text += *program;
      return writeText(text);
    }
    GlueOptions glue;
    glue.prefix = names.prefix;
    glue.deviceFunctions = std::move(kernels->deviceFunctions);
    if (options.stage >= Stage::Object)
      if (llvm::Error error = writeWeights(plan, glue))
        return error;
    llvm::LLVMContext llvmContext;
    auto module = linkProgram(llvmContext, kernels->bitcode, plan, glue);
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
            emitObject(**module, machine, names.prefix,
                       isAssembly ? llvm::CodeGenFileType::AssemblyFile
                                  : llvm::CodeGenFileType::ObjectFile,
                       code))
      return error;
    if (isAssembly)
      return writeText({code.data(), code.size()});
    return writeProgram(plan, glue, code);
  }

  FailureOr<CompiledKernels> compilePipelines() {
    SmallVector<halide::PipelineOp> kernels(
        pipelines().getOps<halide::PipelineOp>());
    progress.show("compiling " + llvm::Twine(kernels.size()) + " kernels");
    return compileKernels(
        kernels, machine, names.prefix + "_", [&](size_t index) {
          progress.showPart("kernel " + std::to_string(index + 1) + " of " +
                            std::to_string(kernels.size()) + ": " +
                            kernels[index].getSymName().str());
        });
  }

  // As a file of their own, or one that becomes a part of the object.
  llvm::Error writeWeights(const ModelPlan &plan, GlueOptions &glue) {
    progress.show("packing weights");
    auto write = [&](llvm::raw_fd_ostream &file) -> llvm::Error {
      auto packed = packWeights(plan, model.tensors.get(), modelHash, file);
      if (!packed)
        return packed.takeError();
      glue.fingerprint = *packed;
      return llvm::Error::success();
    };
    if (!options.embedWeights) {
      auto path = outputs.write(names.base + ".weights", write);
      if (path)
        weightsPath = *path;
      return path.takeError();
    }
    auto file = ScratchFile::create("weights", write);
    if (!file)
      return file.takeError();
    embedded = std::move(*file);
    return llvm::errorCodeToError(
        llvm::sys::fs::file_size(embedded.path(), glue.embeddedSize));
  }

  // Kernels and the program that calls them, as one module.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  linkProgram(llvm::LLVMContext &llvmContext,
              ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> bitcode,
              const ModelPlan &plan, const GlueOptions &glue) {
    progress.show("linking kernels");
    auto hostProgram = compileHost(llvmContext);
    if (!hostProgram)
      return alreadyReported();
    auto module = linkModel(llvmContext, bitcode, std::move(hostProgram), plan,
                            machine, glue);
    if (module)
      instrument(**module, *createTargetMachine(machine), options.sanitizer);
    return module;
  }

  // The object in what was asked for, and the header beside it.
  llvm::Error writeProgram(const ModelPlan &plan, const GlueOptions &glue,
                           MutableArrayRef<char> code) {
    ScratchFile scratch;
    auto object = writeObjectFile(code, scratch);
    if (!object)
      return object.takeError();
    std::string report;
    if (options.verify) {
      progress.show("comparing with the reference");
      auto verified = verifyObject(plan, *object);
      if (!verified) {
        std::string message = llvm::toString(verified.takeError());
        return message.empty()
                   ? alreadyReported()
                   : llvm::createStringError("--verify: " + message);
      }
      report = *verified;
    }
    StringRef source =
        llvm::sys::path::filename(StringRef(options.input.path).rtrim('/'));
    if (llvm::Error error = outputs.write(
            names.base + ".h", writeHeader(plan, machine, glue, source)))
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

  // Who names no CPU may not know that others cannot run the result.
  void noteNeeds() const {
    if (options.pipeline.targetCpu == "native" && options.showProgress)
      llvm::WithColor::note(llvm::errs(), "heddlec")
          << "compiled for this machine's CPU, " << machine.cpu
          << "; others need " << instructionSets(machine.features)
          << " (--target-cpu=x86-64-v3 is for most)\n";
  }

  std::unique_ptr<llvm::Module> compileHost(llvm::LLVMContext &llvmContext) {
    OwningOpRef<ModuleOp> program = host().clone();
    PassManager passes(&context);
    buildToLLVM(passes, names.prefix + "_");
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
      auto weights = readRegularFile(embedded.path());
      if (!weights)
        return weights.takeError();
      return writeObject(code, (*weights)->getBuffer(), file);
    };
    if (options.stage == Stage::Object)
      return outputs.write(names.binary, write);
    auto file = ScratchFile::create("o", write);
    if (!file)
      return file.takeError();
    scratch = std::move(*file);
    return scratch.path();
  }

  llvm::Expected<std::string> verifyObject(const ModelPlan &plan,
                                           StringRef object) {
    auto library = ScratchFile::create("so");
    if (!library)
      return library.takeError();
    if (llvm::Error error = linkSharedLibrary(library->path(), object))
      return error;
    if (machine.device)
      return verifyOnDevice(options, library->path(), weightsPath);
    auto artifact = Artifact::load(library->path());
    if (!artifact)
      return artifact.takeError();
    library->remove(); // it is loaded
    auto weights = artifact->openWeights(weightsPath, /*verify=*/true);
    if (!weights)
      return weights.takeError();
    return verify({*original, *model.module, plan, model.tensors.get(),
                   artifact->model(), **weights, /*threads=*/0});
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
  MachineModel machine;
  ImportedModel model;
  uint64_t modelHash = 0;         ///< of the model's text, before any pass
  OwningOpRef<ModuleOp> original; ///< the model before any pass, to verify
  OutputNames names;
  std::vector<EmbeddedFile> textFiles; ///< of a program that takes text
  OutputSet outputs;
  std::string weightsPath; ///< as it is for now; empty where they are embedded
  ScratchFile embedded; ///< the weights file that becomes a part of the object
};

} // namespace

llvm::Error heddle::compile(const CompilationOptions &options) {
  return Compilation(options).run();
}
