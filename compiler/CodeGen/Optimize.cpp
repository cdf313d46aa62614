// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Optimize.h"

#include "compiler/CodeGen/InstructionOrder.h"
#include "compiler/CodeGen/SingleLaneStores.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"

using namespace heddle;

std::unique_ptr<llvm::TargetMachine>
heddle::createTargetMachine(const MachineModel &machine) {
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  orderForFewRegisters();
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine.cpu, machine.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void heddle::runPasses(
    llvm::Module &module, llvm::TargetMachine &target,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build) {
  // LLVM 22 looks for checksums in a time that is exponential in the choices of
  // a loop: a maximum of 15 lanes takes minutes.
  [[maybe_unused]] static const bool isOff =
      (llvm::DisableLIRP::HashRecognize = true);
  llvm::PipelineTuningOptions tuning;
  // The schedule has vectorised and unrolled what is worth it.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  // Of a device it says what the threads do. What one of them waits for is then
  // read ahead in straight code; a sum that is several has no registers.
  if (target.getTargetTriple().isNVPTX()) {
    tuning.LoopUnrolling = true;
    tuning.LoopInterleaving = false;
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  build(builder).run(module, modules);
}

void heddle::optimize(llvm::Module &module, llvm::TargetMachine &target) {
  runPasses(module, target, [](llvm::PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  });
  expandSingleLaneStores(module);
}
