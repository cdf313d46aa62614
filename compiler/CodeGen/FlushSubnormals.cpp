// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/FlushSubnormals.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

// Intel's Software Developer's Manual, volume 1, 10.2.3.
static constexpr uint32_t kFlushToZero = 1 << 15;

static void flushIn(Function &function) {
  Module &module = *function.getParent();
  auto get = [&](Intrinsic::ID id) {
    return Intrinsic::getOrInsertDeclaration(&module, id);
  };
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  Value *callers = b.CreateAlloca(b.getInt32Ty(), nullptr, "callers_mode");
  Value *own = b.CreateAlloca(b.getInt32Ty(), nullptr, "own_mode");
  b.CreateCall(get(Intrinsic::x86_sse_stmxcsr), callers);
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), callers), kFlushToZero),
                own);
  b.CreateCall(get(Intrinsic::x86_sse_ldmxcsr), own);
  for (BasicBlock &block : function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      b.SetInsertPoint(end);
      b.CreateCall(get(Intrinsic::x86_sse_ldmxcsr), callers);
    }
}

void heddle::flushSubnormals(Module &module, StringRef kernel) {
  // Tasks are what a parallel loop calls; a kernel without one is itself one.
  SmallSetVector<Function *, 4> tasks;
  if (Function *loop = module.getFunction("halide_do_par_for"))
    for (User *user : loop->users())
      if (auto *call = dyn_cast<CallInst>(user))
        tasks.insert(cast<Function>(call->getArgOperand(1)));
  if (tasks.empty())
    tasks.insert(module.getFunction(kernel));
  for (Function *task : tasks)
    flushIn(*task);
}
