// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/TargetProgram.h"

using namespace heddle;

llvm::Error heddle::checkTargets(const CompilationOptions &options) {
  if (options.devices.size() == 1)
    return llvm::Error::success();
  if (options.stage < Stage::Object || options.stage == Stage::Executable)
    return llvm::createStringError(
        "--target: found %zu, expected one, or --emit=obj, lib or shared",
        options.devices.size());
  if (!options.pipeline.scheduleFile.empty())
    return llvm::createStringError(
        "--schedule: expected one target, whose kernels it is for, found %zu",
        options.devices.size());
  if (options.pipeline.fusionRemarks)
    return llvm::createStringError(
        "--report-fusion: expected one target, whose kernels are told of, "
        "found %zu",
        options.devices.size());
  return llvm::Error::success();
}

llvm::Expected<std::vector<TargetProgram>>
heddle::chooseTargets(const CompilationOptions &options) {
  std::vector<TargetProgram> targets;
  auto machine = MachineModel::forCpu(options.pipeline.targetCpu);
  if (!machine)
    return llvm::createStringError("--target-cpu: " +
                                   llvm::toString(machine.takeError()));
  for (const std::string &device : options.devices) {
    TargetProgram &target = targets.emplace_back();
    target.machine = *machine;
    if (device.empty())
      return llvm::createStringError("--target: expected a device between "
                                     "commas, found nothing");
    if (llvm::Error error =
            target.machine.setDevice(device == "cpu" ? "" : device))
      return llvm::createStringError("--target: " +
                                     llvm::toString(std::move(error)));
    std::string kind = target.machine.targetKind();
    for (TargetProgram &other : llvm::drop_end(targets))
      if (other.machine.targetKind() == kind)
        return llvm::createStringError(
            "--target: expected one of each kind, found '%s' twice",
            kind.c_str());
    if (targets.size() == 1)
      continue;
    target.glue.target = kind;
    target.glue.next = ""; // the first one
    targets[targets.size() - 2].glue.next = kind;
  }
  return targets;
}

bool heddle::haveEqualEntries(llvm::ArrayRef<TargetProgram> targets) {
  auto areAlike = [](const ArgumentPlan &x, const ArgumentPlan &y) {
    return x.name == y.name && x.kind == y.kind && x.type == y.type &&
           x.extents == y.extents && x.bytes == y.bytes;
  };
  auto areEqual = [&](const EntryPlan &x, const EntryPlan &y) {
    return x.name == y.name && x.symbols == y.symbols &&
           llvm::equal(x.arguments, y.arguments, areAlike);
  };
  return llvm::all_of(targets, [&](const TargetProgram &target) {
    return llvm::equal(target.plan.entries, targets.front().plan.entries,
                       areEqual);
  });
}
