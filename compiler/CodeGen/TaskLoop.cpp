// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// int kernel(context, sizes..., task, buffers...)
//   -> int kernel(context, sizes..., buffers...):
//        arguments = {sizes..., buffers...}
//        return halide_do_par_for(context, run, 0, count, &arguments)
//      int run(context, task, arguments):
//        return body(context, arguments->sizes..., task, arguments->buffers...)

#include "compiler/CodeGen/TaskLoop.h"

#include "llvm/IR/IRBuilder.h"

using namespace heddle;

std::optional<TaskArguments> TaskArguments::of(halide::PipelineOp pipeline) {
  mlir::Block &body = pipeline.getBody().front();
  auto tasks = body.getOps<halide::TaskOp>();
  if (tasks.empty())
    return std::nullopt;
  halide::TaskOp task = *tasks.begin();
  TaskArguments arguments{/*task=*/1, /*count=*/0};
  for (auto param : body.getOps<halide::ParamOp>()) {
    if (param.getResult() == task.getCount())
      arguments.count = arguments.task;
    ++arguments.task;
  }
  return arguments;
}

void heddle::addTaskLoop(llvm::Module &module, llvm::StringRef kernel,
                         TaskArguments arguments) {
  llvm::Function *body = module.getFunction(kernel);
  body->setName(kernel + ".body");
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::LLVMContext &c = module.getContext();
  llvm::Type *i32 = llvm::Type::getInt32Ty(c);
  llvm::Type *pointer = llvm::PointerType::get(c, 0);

  // What all tasks are called with.
  llvm::SmallVector<llvm::Type *> shared(body->getFunctionType()->params());
  shared.erase(shared.begin() + arguments.task);
  llvm::StructType *closure =
      llvm::StructType::get(c, llvm::ArrayRef(shared).drop_front());

  auto *run = llvm::Function::Create(
      llvm::FunctionType::get(i32, {pointer, i32, pointer}, false),
      llvm::GlobalValue::InternalLinkage, kernel + ".run", module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "entry", run));
  llvm::SmallVector<llvm::Value *> operands{run->getArg(0)};
  for (auto [field, type] : llvm::enumerate(closure->elements()))
    operands.push_back(
        b.CreateLoad(type, b.CreateStructGEP(closure, run->getArg(2), field)));
  operands.insert(operands.begin() + arguments.task, run->getArg(1));
  b.CreateRet(b.CreateCall(body, operands));

  auto *loop = llvm::Function::Create(
      llvm::FunctionType::get(i32, shared, false),
      llvm::GlobalValue::ExternalLinkage, kernel, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(c, "entry", loop));
  llvm::Value *room = b.CreateAlloca(closure);
  for (unsigned field = 0; field < closure->getNumElements(); ++field)
    b.CreateStore(loop->getArg(1 + field),
                  b.CreateStructGEP(closure, room, field));
  // Of the arguments that are left, those before the task are where they were.
  llvm::FunctionCallee parallelFor = module.getOrInsertFunction(
      "halide_do_par_for", i32, pointer, pointer, i32, i32, pointer);
  b.CreateRet(b.CreateCall(parallelFor, {loop->getArg(0), run, b.getInt32(0),
                                         loop->getArg(arguments.count), room}));
}
