// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/InstructionOrder.h"

#include "llvm/CodeGen/SchedulerRegistry.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/Support/CommandLine.h"

#include <cassert>

static llvm::ScheduleDAGSDNodes *
createScheduler(llvm::SelectionDAGISel *selection,
                llvm::CodeGenOptLevel level) {
  bool hasWideVectors = selection->TLI->isTypeLegal(llvm::MVT::v16f32);
  auto create = hasWideVectors ? llvm::createHybridListDAGScheduler
                               : llvm::createDefaultScheduler;
  return create(selection, level);
}

void heddle::orderForFewRegisters() {
  static llvm::RegisterScheduler scheduler(
      "heddle", "few registers where vectors are wide", createScheduler);
  // An option of the command line is all that LLVM takes it from.
  [[maybe_unused]] static const bool isSet = [] {
    auto option = llvm::cl::getRegisteredOptions().find("pre-RA-sched");
    return option != llvm::cl::getRegisteredOptions().end() &&
           !option->second->addOccurrence(0, "pre-RA-sched",
                                          scheduler.getName());
  }();
  assert(isSet && "LLVM has this option where it generates code");
}
