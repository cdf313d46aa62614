// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/KernelSemantics.h"

#include "compiler/Lowering/LibraryFunctions.h"
#include "runtime/heddle_abi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <numeric>

using namespace heddle;

// Halide promises that there are no NaNs and infinities; users' data may have
// them at masked positions, where they must be selected away. Strict
// expressions keep NaN, and may be rounded once for twice.
static void keepNaNs(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::FPMathOperator>(instruction)) {
        instruction.setHasAllowContract(true);
        instruction.setHasNoNaNs(false);
        instruction.setHasNoInfs(false);
      }
}

// LLVM 22 may no more take something else for a function of the C library than
// LLVM 14 may.
static void nameLibraryFunctions(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    if (!name.consume_front(kLibraryPrefix))
      continue;
    function.setName(name.str());
    for (llvm::User *user : function.users()) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      call->copyFastMathFlags(llvm::FastMathFlags());
      call->addFnAttr(llvm::Attribute::NoBuiltin);
    }
  }
}

// A NaN converted to an integer is poison in LLVM, and so is all that is
// computed from it. Frozen it is some integer, in fact the one that the CPU
// makes of it, at the cost of no instruction; llvm.fptosi.sat takes several in
// attention.
static void freezeConversions(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction)) {
        llvm::IRBuilder<> b(instruction.getNextNode());
        llvm::Value *frozen = b.CreateFreeze(&instruction);
        instruction.replaceUsesWithIf(
            frozen, [&](llvm::Use &use) { return use.getUser() != frozen; });
      }
}

// The largest or smallest element of a vector, by halves.
static llvm::Value *reduceByHalves(llvm::IRBuilder<> &b, llvm::Intrinsic::ID id,
                                   llvm::Value *vector) {
  unsigned count =
      llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  for (; count % 2 == 0; count /= 2) {
    llvm::SmallVector<int> low(count / 2), high(count / 2);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), count / 2);
    vector = b.CreateBinaryIntrinsic(id, b.CreateShuffleVector(vector, low),
                                     b.CreateShuffleVector(vector, high));
  }
  llvm::Value *result = b.CreateExtractElement(vector, uint64_t(0));
  for (unsigned i = 1; i < count; ++i)
    result =
        b.CreateBinaryIntrinsic(id, result, b.CreateExtractElement(vector, i));
  return result;
}

// arith.maximumf and arith.minimumf are NaN where an operand is. Halide makes
// LLVM's maxnum and minnum of them, which drop NaNs.
static void keepNaNsInMaxima(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call)
        continue;
      llvm::IRBuilder<> b(call);
      llvm::Value *exact = nullptr;
      switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::maxnum:
      case llvm::Intrinsic::minnum: {
        bool isMaximum = call->getIntrinsicID() == llvm::Intrinsic::maxnum;
        exact = b.CreateBinaryIntrinsic(
            isMaximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum,
            call->getArgOperand(0), call->getArgOperand(1), call);
        break;
      }
      case llvm::Intrinsic::vector_reduce_fmax:
      case llvm::Intrinsic::vector_reduce_fmin: {
        bool isMaximum =
            call->getIntrinsicID() == llvm::Intrinsic::vector_reduce_fmax;
        b.setFastMathFlags(call->getFastMathFlags());
        exact = reduceByHalves(
            b, isMaximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum,
            call->getArgOperand(0));
        break;
      }
      default:
        continue;
      }
      call->replaceAllUsesWith(exact);
      call->eraseFromParent();
    }
}

// One condition for a whole vector: x86 makes a branch of it, which a mask
// spares.
static void widenConditions(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
      if (!select || !type || select->getCondition()->getType()->isVectorTy())
        continue;
      llvm::IRBuilder<> b(select);
      select->setCondition(
          b.CreateVectorSplat(type->getElementCount(), select->getCondition()));
    }
}

// Of one number Halide 14 leaves ceil to the C library; floor, and both of
// vectors, are instructions.
static void keepCeilInline(llvm::Module &module) {
  for (llvm::StringRef name : {"ceilf", "ceil"})
    if (llvm::Function *function = module.getFunction(name)) {
      function->replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
          &module, llvm::Intrinsic::ceil, {function->getReturnType()}));
      function->eraseFromParent();
    }
}

// Halide checks what a parallel loop returns with one of the assertions that
// kernels do not have (Target::NoAsserts). The caller's thread pool may fail,
// and so may launches on a device; kernels and their tasks own nothing that
// would have to be freed.
static void returnFailures(llvm::Module &module, llvm::StringRef callee) {
  llvm::Function *function = module.getFunction(callee);
  if (!function)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    llvm::Instruction *next = call->getNextNode();
    llvm::Value *failed = llvm::IRBuilder<>(next).CreateIsNotNull(call);
    llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(
        failed, next->getIterator(), /*Unreachable=*/true);
    llvm::IRBuilder<>(end).CreateRet(call);
    end->eraseFromParent();
  }
}

void heddle::correctSemantics(llvm::Module &module) {
  keepNaNs(module);
  nameLibraryFunctions(module);
  keepNaNsInMaxima(module);
  freezeConversions(module);
  keepCeilInline(module);
  widenConditions(module);
  returnFailures(module, "halide_do_par_for");
  returnFailures(module, "heddle_launch");
}

// Halide's runtime, which kernels do not have, would print what is wrong.
void heddle::returnBrokenPromises(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() ||
        !function.getName().starts_with("halide_error"))
      continue;
    llvm::IRBuilder<> b(
        llvm::BasicBlock::Create(module.getContext(), "", &function));
    b.CreateRet(llvm::ConstantInt::get(function.getReturnType(),
                                       HEDDLE_BROKEN_PROMISE));
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}
