// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddlec --emit=schedule and the other stages that are text.

#include "compiler/Translate/HalideTranslation.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/heddlec/CompilationSession.h"
#include "compiler/tools/heddlec/Explanation.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

llvm::Error CompilationSession::writeText(StringRef text) {
  progress.done();
  return writeFile(options.output.empty() ? "-" : options.output, text);
}

llvm::Error CompilationSession::printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << '\n';
  return writeText(text);
}

llvm::Error CompilationSession::printMasks() {
  progress.show("explaining masks");
  auto text = explainMasks(*targets.front().module, model.tensors.get(),
                           names.prefix, options.calls);
  return text ? writeText(*text) : text.takeError();
}

llvm::Error CompilationSession::printSchedules() {
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

llvm::Error CompilationSession::writeStatements() {
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

llvm::Error CompilationSession::writePages() {
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
