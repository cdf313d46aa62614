// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Target/MachineModel.h"
#include "compiler/Target/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_SETTARGET
#include "compiler/Target/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct SetTarget : heddle::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<MachineModel> machine = MachineModel::forCpu(cpu);
    if (!machine) {
      module.emitError("--target-cpu: ") << llvm::toString(machine.takeError());
      return signalPassFailure();
    }
    if (llvm::Error error = machine->setDevice(device)) {
      module.emitError("--target: ") << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    auto target = TargetAttr::get(&getContext(), machine->cpu,
                                  machine->features, machine->deviceName());
    Attribute before = module->getAttr(kTargetAttr);
    if (before && before != target) {
      module.emitError("expected the target of the module, ")
          << before << ", found --target-cpu=" << cpu;
      return signalPassFailure();
    }
    module->setAttr(kTargetAttr, target);
  }
};
} // namespace
