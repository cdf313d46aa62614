// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// int kernel(context, sizes..., task, buffers...)
//   -> int kernel(context, sizes..., buffers...):
//        arguments = {sizes..., buffers...}
//        return halide_do_par_for(context, run, 0, count, &arguments)
//      int run(context, task, arguments):
//        return body(context, arguments->sizes..., task, arguments->buffers...)
// and, of tasks that run in order, with a loop over those of a group:
//        return halide_do_par_for(context, run, 0, count / group, &arguments)
//      int run(context, number, arguments):
//        for (i = 0; i < group; ++i)
//          if (result = body(..., number * group + i, ...))
//            return result
//        return 0

#include "compiler/CodeGen/TaskLoop.h"

#include "llvm/IR/IRBuilder.h"

using namespace heddle;

std::optional<TaskArguments> TaskArguments::of(halide::PipelineOp pipeline) {
  mlir::Block &body = pipeline.getBody().front();
  auto tasks = body.getOps<halide::TaskOp>();
  if (tasks.empty())
    return std::nullopt;
  halide::TaskOp task = *tasks.begin();
  TaskArguments arguments{/*task=*/1, /*count=*/0, std::nullopt};
  for (auto param : body.getOps<halide::ParamOp>()) {
    if (param.getResult() == task.getCount())
      arguments.count = arguments.task;
    if (param.getResult() == task.getInOrder())
      arguments.inOrder = arguments.task;
    ++arguments.task;
  }
  return arguments;
}

// Runs the tasks of group `number`, until one fails, and returns what that
// does. `operands` are those of `body` but for the task.
static void emitGroup(llvm::IRBuilder<> &b, llvm::Function *body,
                      llvm::SmallVector<llvm::Value *> operands,
                      TaskArguments arguments, llvm::Value *number) {
  llvm::LLVMContext &c = b.getContext();
  llvm::BasicBlock *entry = b.GetInsertBlock();
  llvm::Function *run = entry->getParent();
  auto *loop = llvm::BasicBlock::Create(c, "task", run);
  auto *exit = llvm::BasicBlock::Create(c, "exit", run);
  llvm::Value *group = operands[*arguments.inOrder];
  llvm::Value *first = b.CreateMul(number, group);
  llvm::Value *end = b.CreateAdd(first, group);
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  llvm::PHINode *task = b.CreatePHI(b.getInt32Ty(), 2);
  task->addIncoming(first, entry);
  operands.insert(operands.begin() + arguments.task, task);
  llvm::Value *status = b.CreateCall(body, operands);
  llvm::Value *next = b.CreateAdd(task, b.getInt32(1));
  task->addIncoming(next, loop);
  llvm::Value *isLast = b.CreateOr(b.CreateICmpNE(status, b.getInt32(0)),
                                   b.CreateICmpEQ(next, end));
  b.CreateCondBr(isLast, exit, loop);

  b.SetInsertPoint(exit);
  b.CreateRet(status);
}

void heddle::dropTask(llvm::Module &module, llvm::StringRef kernel,
                      TaskArguments arguments) {
  llvm::Function *body = module.getFunction(kernel);
  body->setName(kernel + ".body");
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::SmallVector<llvm::Type *> shared(body->getFunctionType()->params());
  shared.erase(shared.begin() + arguments.task);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(body->getReturnType(), shared, false),
      llvm::GlobalValue::ExternalLinkage, kernel, module);
  llvm::IRBuilder<> b(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
  llvm::SmallVector<llvm::Value *> operands(
      llvm::make_pointer_range(function->args()));
  operands.insert(operands.begin() + arguments.task, b.getInt32(0));
  b.CreateRet(b.CreateCall(body, operands));
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
  // Of the arguments that are left, those before the task are where they were.
  if (arguments.inOrder) {
    emitGroup(b, body, operands, arguments, run->getArg(1));
  } else {
    operands.insert(operands.begin() + arguments.task, run->getArg(1));
    b.CreateRet(b.CreateCall(body, operands));
  }

  auto *loop = llvm::Function::Create(
      llvm::FunctionType::get(i32, shared, false),
      llvm::GlobalValue::ExternalLinkage, kernel, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(c, "entry", loop));
  llvm::Value *room = b.CreateAlloca(closure);
  for (unsigned field = 0; field < closure->getNumElements(); ++field)
    b.CreateStore(loop->getArg(1 + field),
                  b.CreateStructGEP(closure, room, field));
  llvm::Value *count = loop->getArg(arguments.count);
  if (arguments.inOrder)
    count = b.CreateUDiv(count, loop->getArg(*arguments.inOrder));
  llvm::FunctionCallee parallelFor = module.getOrInsertFunction(
      "halide_do_par_for", i32, pointer, pointer, i32, i32, pointer);
  b.CreateRet(b.CreateCall(parallelFor,
                           {loop->getArg(0), run, b.getInt32(0), count, room}));
}
