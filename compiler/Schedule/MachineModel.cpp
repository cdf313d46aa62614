// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Schedule/MachineModel.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace heddle;

// CPU names that mean a level of the x86-64 psABI or this very machine.
static std::string resolveName(llvm::StringRef cpu) {
  return cpu == "native" ? llvm::sys::getHostCPUName().str() : cpu.str();
}

// What "native" really has: a virtual machine may hide features of its CPU's
// name.
static std::string hostFeatures() {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    if (!features.empty())
      features += ',';
    features += feature.second ? '+' : '-';
    features += feature.first();
  }
  return features;
}

llvm::Expected<MachineModel> MachineModel::forCpu(llvm::StringRef cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("no code generator for %s: %s",
                                   triple.str().c_str(), error.c_str());
  MachineModel model;
  model.cpu = resolveName(cpu);
  if (cpu == "native")
    model.features = hostFeatures();
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(model.cpu))
    return llvm::createStringError(
        "--target-cpu: LLVM knows no x86-64 CPU named '%s' (try native, "
        "x86-64-v3, x86-64-v4, znver5)",
        model.cpu.c_str());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, model.cpu, model.features));
  if (!subtarget->checkFeatures("+avx2") || !subtarget->checkFeatures("+fma"))
    return llvm::createStringError(
        "--target-cpu: '%s' has no AVX2 and FMA, which kernels need at least",
        model.cpu.c_str());
  // The features as one list, which the object states and the runtime checks.
  model.features.clear();
  for (const llvm::SubtargetFeatureKV &feature :
       subtarget->getEnabledProcessorFeatures()) {
    if (!model.features.empty())
      model.features += ',';
    model.features += '+';
    model.features += feature.Key;
  }
  model.hasF16C = subtarget->checkFeatures("+f16c");
  model.hasAVX512 = subtarget->checkFeatures("+avx512f") &&
                    subtarget->checkFeatures("+avx512vl") &&
                    subtarget->checkFeatures("+avx512bw") &&
                    subtarget->checkFeatures("+avx512dq");
  if (model.hasAVX512) {
    model.lanes = 16;
    model.panelWidth = 64;
    model.rowBlockBytes = 640 * 1024;
    model.rowTile = 6;
    model.attentionRowTile = 12;
    model.attentionRegisterRows = 6;
    model.attentionGroupBlocks = 2;
    model.attentionValueWidth = 64;
  }
  return model;
}
