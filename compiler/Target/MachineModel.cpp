// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Target/MachineModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace heddle;

// Whether Linux saves tile registers for this process, which it has to be asked
// for (see runtime/CpuFeatures.c).
static bool permitsTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr int requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

HostCpu HostCpu::detect() {
  HostCpu host;
  host.name = llvm::sys::getHostCPUName().str();
  // What it really has: a virtual machine may hide features of its name.
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    host.features += (host.features.empty() ? "" : ",") +
                     std::string(feature.second ? "+" : "-") +
                     feature.first().str();
  if (!permitsTiles())
    host.features += ",-amx-tile";
  return host;
}

static llvm::Error checkChanges(const llvm::MCSubtargetInfo &known,
                                llvm::StringRef changes) {
  for (llvm::StringRef change : llvm::split(changes, ',')) {
    llvm::StringRef name = change;
    bool hasSign = name.consume_front("+") || name.consume_front("-");
    bool isKnown = llvm::any_of(known.getAllProcessorFeatures(),
                                [&](const llvm::SubtargetFeatureKV &feature) {
                                  return name == feature.Key;
                                });
    if (!hasSign || !isKnown)
      return llvm::createStringError(
          "expected +FEATURE or -FEATURE of x86-64 after the "
          "CPU's name, found '%s'",
          change.str().c_str());
  }
  return llvm::Error::success();
}

// All that `subtarget` has, and what it lacks although `named`, the CPU of its
// name, has it.
static std::string describeFeatures(const llvm::MCSubtargetInfo &subtarget,
                                    const llvm::MCSubtargetInfo &named) {
  std::string features;
  for (const llvm::SubtargetFeatureKV &feature :
       subtarget.getAllProcessorFeatures()) {
    std::string on = std::string("+") + feature.Key;
    bool isOn = subtarget.checkFeatures(on);
    if (!isOn && !named.checkFeatures(on))
      continue;
    if (!features.empty())
      features += ',';
    features += (isOn ? "+" : "-") + std::string(feature.Key);
  }
  return features;
}

// AMD's CPUs since Zen. They multiply pairs of bf16 at twice the rate of f32;
// Intel's take four operations for one vdpbf16ps, which leaves half of that
// rate: 148 GFLOP/s of 301 (an Emerald Rapids; LLVM's model of Sapphire Rapids
// says the same). Of int4 in groups of 32, tiles of 8 rows by 2 vectors took
// 0.87 to 0.99 of the time of 5 rows on an Emerald Rapids, although their 32
// sums and what makes them share 32 registers.
static bool isZen(llvm::StringRef cpu) { return cpu.starts_with("znver"); }

// The features of a CPU whose kernels have tile registers.
static constexpr llvm::StringLiteral kTileFeatures =
    "+amx-tile,+amx-int8,+amx-bf16,+avx512f,+avx512vl,+avx512bw,+avx512dq,"
    "+avx512vnni,+avx512bf16";

llvm::Expected<MachineModel> MachineModel::forCpu(llvm::StringRef cpu,
                                                  const HostCpu &host) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("no code generator for %s: %s",
                                   triple.str().c_str(), error.c_str());
  auto subtargetOf = [&](llvm::StringRef name, llvm::StringRef features) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target->createMCSubtargetInfo(triple, name, features));
  };
  auto [name, changes] = cpu.split(',');
  auto known = subtargetOf("", "");
  MachineModel model;
  model.cpu = name == "native" ? host.name : name.str();
  if (!known->isCPUStringValid(model.cpu))
    return llvm::createStringError(
        "LLVM knows no x86-64 CPU named '%s' (try native, "
        "x86-64-v3, x86-64-v4, znver5)",
        model.cpu.c_str());
  if (!changes.empty())
    if (llvm::Error failure = checkChanges(*known, changes))
      return failure;
  auto named = subtargetOf(model.cpu, "");
  // Later ones win.
  std::string own = name == "native" ? host.features : "";
  auto subtargetWith = [&, &changes = changes](llvm::StringRef first) {
    return subtargetOf(model.cpu, llvm::join_items(",", own, first, changes));
  };
  // Intel's CPUs have no SSE4a, of which nothing gets faster.
  std::string leftOut = isZen(model.cpu) ? "-sse4a" : "";
  auto subtarget = subtargetWith(leftOut);
  // Kernels multiply in tile registers, or have none.
  bool hasTiles = subtarget->checkFeatures(kTileFeatures);
  if (!hasTiles)
    subtarget = subtargetWith(leftOut + ",-amx-tile");
  if (!subtarget->checkFeatures("+avx2") || !subtarget->checkFeatures("+fma"))
    return llvm::createStringError(
        "'%s' has no AVX2 and FMA, which kernels need at least",
        cpu.str().c_str());
  model.features = describeFeatures(*subtarget, *named);
  model.hasF16C = subtarget->checkFeatures("+f16c");
  model.hasAVX512 = subtarget->checkFeatures("+avx512f") &&
                    subtarget->checkFeatures("+avx512vl") &&
                    subtarget->checkFeatures("+avx512bw") &&
                    subtarget->checkFeatures("+avx512dq");
  if (hasTiles)
    model.tileRegisterRows = 16;
  if (model.hasAVX512) {
    model.lanes = 16;
    model.vectorRegisters = 32;
    model.panelWidth = 64;
    model.groupedPanelWidth = 48;
    model.shortBlockPanelWidth = 32;
    model.shortBlockRows = isZen(model.cpu) ? 5 : 8;
    model.rowBlockBytes = 640 * 1024;
    model.rowTile = 6;
    if (subtarget->checkFeatures("+avx512vnni"))
      model.byteTerms = 4;
    if (subtarget->checkFeatures("+avx512bf16") && isZen(model.cpu))
      model.bfloatTerms = 2;
    model.attentionKeys = 64;
    model.attentionValueWidth = 64;
  }
  return model;
}

mlir::FailureOr<MachineModel> MachineModel::of(mlir::ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  if (!target)
    return module.emitError("expected the attribute ")
           << kTargetAttr << ", which --heddle-set-target writes";
  std::string cpu = (target.getCpu() + "," + target.getFeatures()).str();
  llvm::Expected<MachineModel> machine = forCpu(cpu);
  if (!machine)
    return module.emitError()
           << kTargetAttr << ": " << llvm::toString(machine.takeError());
  if (llvm::Error error = machine->setDevice(target.getDevice()))
    return module.emitError()
           << kTargetAttr << ": " << llvm::toString(std::move(error));
  return *machine;
}

int64_t MachineModel::tileRows(int64_t columns) const {
  // Panels from a file may be wider than all registers.
  int64_t registers = rowTile * panelWidth / lanes;
  return std::clamp<int64_t>(registers / (columns / lanes), 1, highestTile);
}

int64_t MachineModel::attentionRowBytes(AttentionOp op) {
  return (op.getHeadDim() + 3 * op.getValueDim()) * int64_t(sizeof(float));
}

bool MachineModel::packsPairs(AttentionOp op) const {
  std::optional<int64_t> queries = op.getScoreSpace()[2].asNumber();
  bool readsValues = op.findResult(AttentionResult::Output) ||
                     op.findResult(AttentionResult::Unnormalized);
  return !device && readsValues && op.getHeadDim() % kPair == 0 &&
         (!queries || *queries > attentionFewQueries) &&
         (bfloatTerms == kPair || fitsTileRegisters(op));
}

bool MachineModel::fitsTileRegisters(AttentionOp op) const {
  return tileRegisterRows > 0 && op.getValueDim() % lanes == 0 &&
         tileRegisterRows * attentionRowBytes(op) <= attentionTileBytes;
}

std::optional<DeviceModel> heddle::deviceOf(mlir::Operation *op) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  if (!module->hasAttr(kTargetAttr))
    return std::nullopt;
  mlir::FailureOr<MachineModel> machine = MachineModel::of(module);
  return failed(machine) ? std::nullopt : machine->device;
}

//===-- Devices -----------------------------------------------------------===//

llvm::Error MachineModel::setDevice(llvm::StringRef name) {
  device.reset();
  if (name.empty())
    return llvm::Error::success();
  integerTerms = byteTerms = bfloatTerms = 1;
  tileRegisterRows = 0;
  if (name == "opencl") {
    device = DeviceModel{DeviceModel::OpenCL, ""};
    // Any device has registers and threads for these.
    device->productRows = device->productColumns = 32;
    device->productThreadRows = device->productThreadColumns = 4;
    device->productDepth = 8;
    panelWidth = device->productPanel;
    return llvm::Error::success();
  }
  auto [kind, chip] = name.split(':');
  if (kind != "cuda" || (chip.empty() && name != kind))
    return llvm::createStringError(
        "expected cpu, opencl, cuda or cuda:sm_80 and the like, found '%s'",
        name.str().c_str());
  device = DeviceModel{DeviceModel::Cuda, chip.empty() ? "sm_80" : chip.str()};
  panelWidth = device->productPanel;
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  // Kernels have the maximum of numbers that may be NaN as an instruction.
  int number = 0;
  llvm::StringRef digits = device->chip;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number) ||
      number < 80 || !known->isCPUStringValid(device->chip))
    return llvm::createStringError(
        "LLVM knows no device of CUDA named '%s' (try sm_80, sm_90; older "
        "ones than sm_80 lack instructions that kernels need)",
        device->chip.c_str());
  return llvm::Error::success();
}

std::string MachineModel::cpuName() const {
  bool named = llvm::cantFail(forCpu(cpu)).tileRegisterRows > 0;
  bool has = llvm::StringRef(features).contains("+amx-tile");
  if (named == has)
    return cpu;
  return cpu + (has ? ",+amx-tile,+amx-int8,+amx-bf16" : ",-amx-tile");
}

std::string MachineModel::targetKind() const {
  if (!device)
    return "cpu";
  return device->kind == DeviceModel::OpenCL ? "opencl" : "cuda";
}

std::string MachineModel::deviceName() const {
  if (!device)
    return "";
  return device->kind == DeviceModel::OpenCL ? "opencl"
                                             : "cuda:" + device->chip;
}
