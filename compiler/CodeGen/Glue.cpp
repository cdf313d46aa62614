// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Glue.h"

#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/Host/Passes.h"

#include "llvm/IR/IRBuilder.h"

using namespace heddle;
using llvm::Constant;
using llvm::Value;

// int halide_do_par_for(context, task, first, count, closure): the caller's
// parallel loop, or a plain one.
static void emitParallelFor(llvm::Module &module, const AbiTypes &abi,
                            const GlueOptions &options) {
  llvm::Function *function = module.getFunction("halide_do_par_for");
  auto *type = llvm::FunctionType::get(
      abi.i32, {abi.pointer, abi.pointer, abi.i32, abi.i32, abi.pointer},
      false);
  if (!function)
    function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                      "halide_do_par_for", module);
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->setName(options.prefix() + "_parallel_for");
  llvm::LLVMContext &c = module.getContext();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "entry", function));
  Value *context = function->getArg(0), *task = function->getArg(1);
  Value *first = function->getArg(2), *count = function->getArg(3);
  Value *closure = function->getArg(4);
  auto loadField = [&](unsigned field) {
    return b.CreateLoad(abi.pointer,
                        b.CreateStructGEP(abi.context, context, field));
  };
  auto *hand = llvm::BasicBlock::Create(c, "hand_over", function);
  auto *loop = llvm::BasicBlock::Create(c, "loop", function);
  auto *body = llvm::BasicBlock::Create(c, "body", function);
  auto *done = llvm::BasicBlock::Create(c, "done", function);
  Value *parallelFor = loadField(AbiTypes::ContextParallelFor);
  Value *isShared = b.CreateAnd(b.CreateIsNotNull(parallelFor),
                                b.CreateICmpSGT(count, b.getInt32(1)));
  llvm::BasicBlock *entry = b.GetInsertBlock();
  b.CreateCondBr(isShared, hand, loop);

  b.SetInsertPoint(hand);
  auto *parallelType = llvm::FunctionType::get(
      abi.i32,
      {abi.pointer, abi.pointer, abi.pointer, abi.i32, abi.i32, abi.pointer},
      false);
  Value *data = loadField(AbiTypes::ContextParallelForData);
  b.CreateRet(b.CreateCall(parallelType, parallelFor,
                           {data, task, context, first, count, closure}));

  b.SetInsertPoint(loop);
  llvm::PHINode *index = b.CreatePHI(abi.i32, 2);
  llvm::PHINode *status = b.CreatePHI(abi.i32, 2);
  index->addIncoming(b.getInt32(0), entry);
  status->addIncoming(b.getInt32(0), entry);
  Value *goOn = b.CreateAnd(b.CreateICmpSLT(index, count),
                            b.CreateICmpEQ(status, b.getInt32(0)));
  b.CreateCondBr(goOn, body, done);
  b.SetInsertPoint(body);
  auto *taskType = llvm::FunctionType::get(
      abi.i32, {abi.pointer, abi.i32, abi.pointer}, false);
  Value *result = b.CreateCall(taskType, task,
                               {context, b.CreateAdd(first, index), closure});
  status->addIncoming(result, body);
  index->addIncoming(b.CreateAdd(index, b.getInt32(1)), body);
  b.CreateBr(loop);
  b.SetInsertPoint(done);
  b.CreateRet(status);
}

// int heddle_launch(frame, ...): the runtime's function that the frame names.
static void emitLaunch(llvm::Module &module, const AbiTypes &abi,
                       const GlueOptions &options) {
  llvm::Function *function = module.getFunction("heddle_launch");
  if (!function)
    return;
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->setName(options.prefix() + "_launch");
  llvm::IRBuilder<> b(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
  llvm::SmallVector<Value *> arguments;
  for (llvm::Argument &argument : function->args())
    arguments.push_back(&argument);
  Value *launch = b.CreateLoad(
      abi.pointer,
      b.CreateStructGEP(abi.frame, function->getArg(0), AbiTypes::FrameLaunch));
  b.CreateRet(b.CreateCall(function->getFunctionType(), launch, arguments));
}

// heddle_status <prefix>_<entry>(context, weights, arguments..., sizes...,
// workspace, workspace_size): packs its arguments for heddle_invoke.
static void emitEntryPoint(llvm::Module &module, const AbiTypes &abi,
                           const EntryPlan &entry, const GlueOptions &options,
                           Constant *model, Constant *description) {
  llvm::SmallVector<llvm::Type *> types = {abi.pointer, abi.pointer};
  types.append(entry.arguments.size(), abi.pointer);
  types.append(entry.symbols.size(), abi.i64);
  types.append({abi.pointer, abi.i64});
  std::string name = options.prefix() + "_" + entry.name;
  // What is local gives way: "prefill_run", "string", ...
  llvm::GlobalValue *local = module.getNamedValue(name);
  if (local && local->hasLocalLinkage())
    local->setName(name + ".local");
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(abi.i32, types, false),
                             llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::IRBuilder<> b(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
  size_t buffers = entry.arguments.size(), sizes = entry.symbols.size();
  Value *pointerArray = b.CreateAlloca(abi.pointer, b.getInt32(buffers));
  Value *sizeArray = b.CreateAlloca(abi.i64, b.getInt32(sizes));
  for (size_t i = 0; i < buffers; ++i)
    b.CreateStore(function->getArg(2 + i),
                  b.CreateConstGEP1_64(abi.pointer, pointerArray, i));
  for (size_t i = 0; i < sizes; ++i)
    b.CreateStore(function->getArg(2 + buffers + i),
                  b.CreateConstGEP1_64(abi.i64, sizeArray, i));
  size_t rest = 2 + buffers + sizes;
  auto *invokeType = llvm::FunctionType::get(
      abi.i32,
      {abi.pointer, abi.pointer, abi.pointer, abi.pointer, abi.pointer,
       abi.pointer, abi.pointer, abi.i64},
      false);
  b.CreateRet(
      b.CreateCall(module.getOrInsertFunction("heddle_invoke", invokeType),
                   {model, description, function->getArg(0),
                    function->getArg(1), pointerArray, sizeArray,
                    function->getArg(rest), function->getArg(rest + 1)}));
}

void heddle::emitGlue(llvm::Module &module, const ModelPlan &plan,
                      const MachineModel &machine, const GlueOptions &options) {
  AbiTypes abi(module, options.prefix());
  llvm::SmallVector<Constant *> entries;
  for (const EntryPlan &entry : plan.entries) {
    auto function = [&](llvm::StringRef suffix) {
      return module.getFunction(
          (options.prefix() + "_" + entry.name + suffix).str());
    };
    entries.push_back(abi.describe(entry, machine, options,
                                   function(kMeasureSuffix),
                                   function(kRunSuffix)));
  }
  Constant *model = abi.describe(plan, machine, options, entries);
  if (options.target.empty())
    for (auto [entry, description] : llvm::zip(plan.entries, entries))
      emitEntryPoint(module, abi, entry, options, model, description);
  emitParallelFor(module, abi, options);
  emitLaunch(module, abi, options);
}
