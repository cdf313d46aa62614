// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that are made of an object, once it is what the reference gives.

#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/CodeGen/EmbeddedWeights.h"
#include "compiler/CodeGen/Object.h"
#include "compiler/Support/Files.h"
#include "compiler/Verify/Verify.h"
#include "compiler/tools/common/Artifact.h"
#include "compiler/tools/common/Link.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/heddlec/CompilationSession.h"
#include "compiler/tools/heddlec/ReportLogits.h"
#include "compiler/tools/heddlec/VerifyOnDevice.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace heddle;

llvm::Error CompilationSession::writeProgram(MutableArrayRef<char> code) {
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
      return message.empty() ? alreadyReported()
                             : llvm::createStringError("--verify: " + message);
    }
    report = *verified;
  }
  if (!options.text.empty()) {
    progress.show("comparing logits");
    auto compared = compareLogits(*object);
    if (!compared)
      return llvm::createStringError("--text: " +
                                     llvm::toString(compared.takeError()));
    report += *compared;
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

llvm::Expected<std::string>
CompilationSession::writeObjectFile(MutableArrayRef<char> code,
                                    ScratchFile &scratch) {
  auto write = [&](llvm::raw_fd_ostream &file) -> llvm::Error {
    if (!options.embedWeights) {
      file.write(code.data(), code.size());
      return llvm::Error::success();
    }
    SmallVector<TargetWeights> weights;
    for (const TargetProgram &target : targets) {
      auto buffer = readRegularFile(target.scratchWeights.path());
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

llvm::Expected<std::string>
CompilationSession::compareLogits(StringRef object) {
  auto library = ScratchFile::create("so");
  if (!library)
    return library.takeError();
  if (llvm::Error error = linkSharedLibrary(library->path(), object))
    return error;
  const TargetProgram &target = targets.front();
  return reportLogits(options, target.machine.targetKind(), library->path(),
                      target.weightsPath);
}

llvm::Expected<std::string> CompilationSession::verifyObject(StringRef object) {
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

llvm::Expected<std::string>
CompilationSession::verifyTarget(TargetProgram &target, StringRef library) {
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

std::string CompilationSession::makeHeader() const {
  const TargetProgram &first = targets.front();
  std::vector<MachineModel> others;
  for (const TargetProgram &target : llvm::drop_begin(targets))
    others.push_back(target.machine);
  return writeHeader(
      first.plan, first.machine, others, first.glue,
      llvm::sys::path::filename(StringRef(options.input).rtrim('/')));
}

llvm::Error CompilationSession::writeBinary(StringRef object) {
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
      return linkExecutable(name, object, names.prefix, programKind->source,
                            programKind->definition,
                            programKind->takesText ? textFiles.size() : 0);
    });
  }
}

// Whether kernels multiply in tile registers of the CPU.
static bool usesTiles(mlir::ModuleOp pipelines) {
  return pipelines
      ->walk([](halide::StoreInOp op) {
        return op.getMemory() == halide::Memory::AMXTile
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void CompilationSession::noteNeeds() {
  TargetProgram &first = targets.front();
  if (options.pipeline.targetCpu == "native" && options.showProgress)
    llvm::WithColor::note(llvm::errs(), "heddlec")
        << "compiled for this machine's CPU, " << first.machine.cpu
        << "; others need "
        << instructionSets(first.machine.features, usesTiles(first.pipelines()))
        << " (--target-cpu=x86-64-v3 is for most)\n";
}
