// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR text, up to the program that calls its kernels.

#include "compiler/CodeGen/CheckEntries.h"
#include "compiler/Import/ModelImport.h"
#include "compiler/Pipeline.h"
#include "test/Fuzz/MemoryFile.h"

#include "mlir/IR/MLIRContext.h"

using namespace heddle;
using heddle::test::MemoryFile;

// Types and attributes stay in a context for good, so that none is used
// forever.
static constexpr int kRunsOfContext = 200;

static mlir::MLIRContext &currentContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int runs = 0;
  if (runs++ % kRunsOfContext == 0) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->printOpOnDiagnostic(false);
    context->getDiagEngine().registerHandler(
        [](mlir::Diagnostic &) { return mlir::success(); });
  }
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  mlir::MLIRContext &context = currentContext();
  llvm::SourceMgr sources;
  auto model = importModel(file.path(), {}, sources, context);
  if (!model) {
    llvm::consumeError(model.takeError());
    return 0;
  }
  mlir::ModuleOp module = *model->module;
  mlir::OwningOpRef<mlir::ModuleOp> reference(module.clone());
  (void)prepareReference(*reference);
  if (mlir::failed(checkEntries(module, "fuzz")))
    return 0;
  PipelineOptions options;
  options.targetCpu = "x86-64-v3";
  mlir::PassManager passes(&context);
  buildToKernels(passes, options);
  buildToHalide(passes);
  buildToSchedule(passes, options);
  buildToHost(passes);
  (void)passes.run(module);
  return 0;
}
