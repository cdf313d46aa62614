// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: one run of the compiler. Compilation.cpp goes from a
// model to kernels; what becomes of them is in CompileToText.cpp,
// TuneKernels.cpp, or in CompileToCode.cpp and WriteProgram.cpp.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_COMPILATIONSESSION_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_COMPILATIONSESSION_H

#include "compiler/CodeGen/KernelCompiler.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/ScratchFile.h"
#include "compiler/tools/heddlec/Compilation.h"
#include "compiler/tools/heddlec/ImportReport.h"
#include "compiler/tools/heddlec/OutputNames.h"
#include "compiler/tools/heddlec/ProgramKind.h"
#include "compiler/tools/heddlec/TargetProgram.h"
#include "compiler/tools/heddlec/TextFiles.h"

#include "llvm/Support/SourceMgr.h"

namespace heddle {

class CompilationSession {
public:
  explicit CompilationSession(const CompilationOptions &options);

  llvm::Error run();

private:
  llvm::Error checkOptions() const;
  llvm::Error checkCalls() const;
  /// Before the work of a compilation.
  llvm::Error findTextFiles();
  llvm::Error checkInputsAreKept(llvm::ArrayRef<std::string> outputs) const;
  /// Says which weights there are that nobody has named.
  void noteWeights() const;
  llvm::Error compileTargets();
  llvm::Error runPasses(TargetProgram &target);
  /// " for cpu" where there are several targets, and nothing where there is
  /// one.
  std::string of(const TargetProgram &target) const;

  //===-- Text ------------------------------------------------------------===//

  llvm::Error writeText(llvm::StringRef text);
  llvm::Error printModule(mlir::ModuleOp module);
  llvm::Error printMasks();
  llvm::Error printSchedules();
  llvm::Error writeStatements();
  llvm::Error writePages();

  //===-- Code ------------------------------------------------------------===//

  llvm::Error generateCode();
  static std::string textOf(llvm::ArrayRef<DeviceFunction> functions);
  mlir::FailureOr<CompiledKernels> compilePipelines(TargetProgram &target);
  /// As a file of their own, or one that becomes a part of the object.
  llvm::Error writeWeights(TargetProgram &target);
  /// Kernels and the program that calls them, as one module.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  linkProgram(llvm::LLVMContext &llvmContext, const CompiledKernels &kernels,
              TargetProgram &target);
  std::unique_ptr<llvm::Module> compileHost(llvm::LLVMContext &llvmContext,
                                            TargetProgram &target);

  //===-- Tuning ----------------------------------------------------------===//

  llvm::Error tune();
  /// A shared library of kernels with the configurations that they have.
  llvm::Expected<ScratchFile> buildLibrary(mlir::ModuleOp kernels);

  //===-- Files -----------------------------------------------------------===//

  /// The object in what was asked for, and the header beside it.
  llvm::Error writeProgram(llvm::MutableArrayRef<char> code);
  /// The name of the object's file: an output's for now, or that of `scratch`.
  llvm::Expected<std::string> writeObjectFile(llvm::MutableArrayRef<char> code,
                                              ScratchFile &scratch);
  /// With those of the model as it is stored.
  llvm::Expected<std::string> compareLogits(llvm::StringRef object);
  llvm::Expected<std::string> verifyObject(llvm::StringRef object);
  llvm::Expected<std::string> verifyTarget(TargetProgram &target,
                                           llvm::StringRef library);
  std::string makeHeader() const;
  llvm::Error writeBinary(llvm::StringRef object);
  /// Says what the result needs of a CPU: who names none may not know that
  /// others cannot run it.
  void noteNeeds();

  const CompilationOptions &options;
  Progress progress;
  llvm::SourceMgr sourceManager;
  mlir::MLIRContext context;
  ImportedModel model;    ///< whose module the targets get
  uint64_t modelHash = 0; ///< of the model's text, before any pass
  /// The model before any pass, to verify.
  mlir::OwningOpRef<mlir::ModuleOp> original;
  OutputNames names;
  std::vector<EmbeddedFile> textFiles;    ///< of a program that takes text
  std::optional<ProgramKind> programKind; ///< of --emit=exe
  std::optional<ImportReport> importReport;
  OutputSet outputs;
  std::vector<TargetProgram> targets;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_COMPILATIONSESSION_H
