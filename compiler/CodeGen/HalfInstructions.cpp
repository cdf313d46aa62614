// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %e = extractelement <8 x i16> %v, i64 3; %f = call float @widen(i16 %e)
//     -> %w = fpext <8 x half> (bitcast %v); %f = extractelement %w, i64 3

#include "compiler/CodeGen/HalfInstructions.h"

#include "compiler/Lowering/LibraryFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

using namespace heddle;

static llvm::Type *withLanesOf(llvm::Type *element, llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements())
                : element;
}

// i16 to float, or float to i16; i16 has the bits of `narrow`.
static llvm::Value *convert(llvm::IRBuilder<> &b, llvm::Value *value,
                            llvm::Type *narrow) {
  llvm::Type *type = value->getType();
  llvm::Type *half = withLanesOf(narrow, type);
  if (type->isIntOrIntVectorTy())
    return b.CreateFPExt(b.CreateBitCast(value, half),
                         withLanesOf(b.getFloatTy(), type));
  return b.CreateBitCast(b.CreateFPTrunc(value, half),
                         withLanesOf(b.getInt16Ty(), type));
}

// Where an instruction's value is there.
static llvm::Instruction *after(llvm::Instruction *instruction) {
  return &**instruction->getInsertionPointAfterDef();
}

static void convertCalls(llvm::Function &function, llvm::Type *narrow) {
  llvm::DenseMap<llvm::Value *, llvm::Value *> converted; // vectors
  for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    llvm::IRBuilder<> b(call);
    llvm::Value *value = call->getArgOperand(0), *result = nullptr;
    auto *lane = llvm::dyn_cast<llvm::ExtractElementInst>(value);
    auto *vector =
        lane ? llvm::dyn_cast<llvm::Instruction>(lane->getVectorOperand())
             : nullptr;
    if (vector) {
      llvm::Value *&all = converted[vector];
      if (!all) {
        llvm::IRBuilder<> atVector(after(vector));
        all = convert(atVector, vector, narrow);
      }
      result = b.CreateExtractElement(all, lane->getIndexOperand());
    } else {
      result = convert(b, value, narrow);
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
  function.eraseFromParent();
}

void heddle::convertHalves(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  std::pair<llvm::StringRef, llvm::Type *> calls[] = {
      {kWidenHalf, llvm::Type::getHalfTy(context)},
      {kNarrowHalf, llvm::Type::getHalfTy(context)},
      {kNarrowBFloat, llvm::Type::getBFloatTy(context)}};
  for (auto [name, narrow] : calls)
    if (llvm::Function *function = module.getFunction(name))
      convertCalls(*function, narrow);
}
