// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --schedule reads, for model.mlir: up to Halide's lowered statements,
// which are made where the compiler has nothing against it.

#include "compiler/Lowering/Names.h"
#include "compiler/Pipeline.h"
#include "compiler/Support/ModuleFile.h"
#include "compiler/Translate/HalideTranslation.h"
#include "test/Fuzz/MemoryFile.h"

#include "mlir/IR/MLIRContext.h"

using namespace heddle;
using heddle::test::MemoryFile;

namespace {
/// A context with the model; see ModuleFuzzer.cpp.
struct Model {
  Model() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler(
        [](mlir::Diagnostic &) { return mlir::success(); });
    module = parseModuleFile(HEDDLE_FUZZ_MODEL, &context);
    if (!module)
      abort();
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

static constexpr int kRunsOfModel = 200;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::unique_ptr<Model> model;
  static int runs = 0;
  if (runs++ % kRunsOfModel == 0)
    model = std::make_unique<Model>();
  static const MachineModel machine =
      llvm::cantFail(MachineModel::forCpu("x86-64-v3"));
  MemoryFile file(data, size);
  PipelineOptions options;
  options.targetCpu = "x86-64-v3";
  options.scheduleFile = file.path();
  mlir::OwningOpRef<mlir::ModuleOp> module(model->module->clone());
  mlir::PassManager passes(&model->context);
  buildToKernels(passes, options);
  buildToHalide(passes);
  buildToSchedule(passes, options);
  if (mlir::failed(passes.run(*module)))
    return 0;
  auto pipelines = module->lookupSymbol<mlir::ModuleOp>(kPipelinesModule);
  for (auto pipeline : pipelines.getOps<halide::PipelineOp>())
    (void)translateToHalide(pipeline, machine, TranslationOutput::Statement);
  return 0;
}
