// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/OffloadKernels.h"

#include "compiler/Translate/CheckPromises.h"
#include "compiler/Translate/LoopNest.h"
#include "compiler/Translate/MapThreads.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// Looks for a loop.
class FindLoop : public IRVisitor {
public:
  using Predicate = bool (*)(const For *);

  static bool in(const Stmt &statement, Predicate isIt) {
    FindLoop visitor(isIt);
    if (statement.defined())
      statement.accept(&visitor);
    return visitor.isFound;
  }

private:
  explicit FindLoop(Predicate isIt) : isIt(isIt) {}

  using IRVisitor::visit;
  void visit(const For *op) override {
    isFound |= isIt(op);
    IRVisitor::visit(op);
  }

  Predicate isIt;
  bool isFound = false;
};

bool hasBlocks(const Stmt &statement) {
  return FindLoop::in(statement, [](const For *loop) {
    return loop->for_type == ForType::GPUBlock;
  });
}

bool hasLoops(const Stmt &statement) {
  return FindLoop::in(statement, [](const For *) { return true; });
}

/// The blocks of a launch, and what one of them does.
struct Grid {
  Expr blocks;
  Stmt body;
};

class Offload : public IRMutator {
public:
  Offload(const TranslatedPipeline &pipeline, const std::string &name,
          const DeviceModel &device, int64_t threads,
          std::vector<OffloadedKernel> &kernels)
      : guards(pipeline.guards), tasks(pipeline.tasks),
        inOrder(pipeline.tasksInOrder), name(name), device(device),
        threads(threads), kernels(kernels) {
    for (const Halide::Argument &argument : pipeline.arguments)
      known.insert(argument.name);
  }

  Stmt mutate(const Stmt &statement) override { return onHost(statement); }

private:
  bool isOfTask(const Expr &value) const {
    return tasks.defined() && expr_uses_var(value, kTaskVariable);
  }

  // Down to where kernels begin.
  Stmt onHost(const Stmt &s) {
    // A boolean is no argument of a kernel: it is made again where it is read.
    if (auto *let = s.as<LetStmt>(); let && let->value.type().is_bool())
      return onHost(substitute(let->name, let->value, let->body));
    if (auto *let = s.as<LetStmt>(); let && !isOfTask(let->value)) {
      known.insert(let->name);
      return LetStmt::make(let->name, let->value, onHost(let->body));
    }
    if (auto *block = s.as<Block>(); block && block->first.as<AssertStmt>()) {
      Stmt assertion = guards.withoutEnd(block->first);
      return Block::make(assertion, onHost(block->rest));
    }
    if (tasks.defined())
      return launch(gridOfTasks(s));
    if (!hasBlocks(s))
      return onThreads(s);
    if (auto *block = s.as<Block>())
      return Block::make(onHost(block->first), onHost(block->rest));
    if (auto *part = s.as<ProducerConsumer>())
      return onHost(part->body);
    if (auto *branch = s.as<IfThenElse>()) {
      Stmt otherwise;
      if (branch->else_case.defined())
        otherwise = onHost(branch->else_case);
      return IfThenElse::make(branch->condition, onHost(branch->then_case),
                              otherwise);
    }
    if (auto *loop = s.as<For>()) {
      if (loop->for_type == ForType::GPUBlock)
        return launch(gridOf(loop));
      known.insert(loop->name);
      return For::make(loop->name, loop->min, loop->extent, ForType::Serial,
                       Halide::DeviceAPI::None, onHost(loop->body));
    }
    if (auto *memory = s.as<Allocate>())
      throw computedOutside(memory->name);
    throw MappingError{"loops over blocks stand where none can"};
  }

  // `name` may be that of a part, such as f.0.min.0.
  static MappingError computedOutside(const std::string &name) {
    return {"'" + name.substr(0, name.find_first_of(".$")) +
            "' is computed outside of the blocks that need it, where kernels "
            "have no memory"};
  }

  // Loops over threads alone are dealt out to as many blocks as they fill;
  // anything else is one block's.
  Stmt onThreads(const Stmt &s) {
    if (auto *part = s.as<ProducerConsumer>())
      return onThreads(part->body);
    if (auto *block = s.as<Block>(); block && isThreadLoop(block->first))
      return Block::make(onThreads(block->first), onThreads(block->rest));
    if (!isThreadLoop(s))
      return launch({1, s});
    return launch(gridOfElements(LoopNest::of(s.as<For>())));
  }

  // A thread's elements are apart, so that a block's lie side by side. ptxas
  // moves loads of what is only read before stores, where no condition stands
  // between.
  Grid gridOfElements(const LoopNest &nest) const {
    std::string number = unique_name("element");
    Expr element = Variable::make(Halide::Int(32), number);
    const std::pair<Expr, Stmt> all = nest.asOne(element);
    const Expr &steps = all.first;
    const int64_t *count = as_const_int(steps);
    bool isFew =
        count && *count < device.threadElements * device.residentThreads;
    bool hasOne = isFew || hasLoops(all.second);
    int32_t ofBlock = int32_t(threads * (hasOne ? 1 : device.threadElements));
    // One loop over the elements of each block.
    auto elements = [&](bool areAllThere) {
      std::string loop = unique_name("thread");
      Stmt one = areAllThere ? all.second
                             : IfThenElse::make(element < steps, all.second);
      one = LetStmt::make(
          number,
          blockNumber() * ofBlock + Variable::make(Halide::Int(32), loop), one);
      return For::make(loop, 0, ofBlock, ForType::GPUThread,
                       Halide::DeviceAPI::None, one);
    };
    Expr blocks = simplify((steps + (ofBlock - 1)) / ofBlock);
    if (count && *count % ofBlock == 0)
      return {blocks, elements(true)};
    if (hasOne)
      return {blocks, elements(false)};
    return {blocks, IfThenElse::make((blockNumber() + 1) * ofBlock <= steps,
                                     elements(true), elements(false))};
  }

  static bool isThreadLoop(const Stmt &s) {
    Stmt inner = s;
    while (auto *part = inner.as<ProducerConsumer>())
      inner = part->body;
    auto *loop = inner.as<For>();
    return loop && loop->for_type == ForType::GPUThread;
  }

  static Expr blockNumber() {
    return Variable::make(Halide::Int(32), kBlockVariable);
  }

  // Tasks that run in order are one block's.
  Grid gridOfTasks(const Stmt &task) const {
    if (!inOrder.defined())
      return {tasks, LetStmt::make(kTaskVariable, blockNumber(), task)};
    std::string number = unique_name("task");
    Stmt body = LetStmt::make(kTaskVariable,
                              blockNumber() * inOrder +
                                  Variable::make(Halide::Int(32), number),
                              task);
    return {tasks / inOrder, For::make(number, 0, inOrder, ForType::Serial,
                                       Halide::DeviceAPI::None, body)};
  }

  // Of loops over blocks inside of each other the innermost's are side by side.
  static Grid gridOf(const For *outermost) {
    auto [blocks, body] = LoopNest::of(outermost).asOne(blockNumber());
    return {blocks, body};
  }

  //===-- Launches --------------------------------------------------------===//

  Stmt launch(const Grid &grid) {
    if (std::string promise = unprovenPromise(grid.body); !promise.empty())
      throw MappingError{"nothing is asserted inside of blocks, and what the "
                         "schedule promises cannot be proven: " +
                         promise};
    MappedBlock block = mapThreads(grid.body, threads);
    Stmt body = block.body;
    if (block.sharedBytes)
      body = Allocate::make(kSharedMemory, Halide::UInt(8),
                            Halide::MemoryType::GPUShared,
                            {int32_t(block.sharedBytes)}, const_true(),
                            Block::make(body, Free::make(kSharedMemory)));
    body = For::make(kThreadVariable, 0, int32_t(threads), ForType::GPUThread,
                     Halide::DeviceAPI::OpenCL, body);
    body = For::make(kBlockVariable, 0, grid.blocks, ForType::GPUBlock,
                     Halide::DeviceAPI::OpenCL, body);
    HostClosure closure;
    closure.include(body);
    std::vector<DeviceArgument> arguments = closure.arguments();
    for (const DeviceArgument &argument : arguments)
      if (!known.count(argument.name))
        throw computedOutside(argument.name);
    Stmt call = makeCall(grid.blocks, block.sharedBytes, arguments);
    kernels.push_back({name + "_" + std::to_string(kernels.size()), body,
                       std::move(arguments), threads});
    return call;
  }

  Stmt makeCall(const Expr &blocks, int64_t sharedBytes,
                const std::vector<DeviceArgument> &arguments) {
    auto pointerTo = [](const std::vector<Expr> &fields) {
      return Call::make(Halide::type_of<void *>(), Call::make_struct, fields,
                        Call::Intrinsic);
    };
    std::vector<Expr> values, sizes, areBuffers;
    for (const DeviceArgument &argument : arguments) {
      Halide::Type type =
          argument.is_buffer ? Halide::type_of<void *>() : argument.type;
      values.push_back(pointerTo({Variable::make(type, argument.name)}));
      sizes.push_back(make_const(Halide::Int(64), type.bytes()));
      areBuffers.push_back(
          make_const(Halide::UInt(8), int(argument.is_buffer)));
    }
    sizes.push_back(make_zero(Halide::Int(64)));
    return Evaluate::make(
        Call::make(Halide::Int(32), "heddle_launch",
                   {Variable::make(Halide::type_of<void *>(), "__user_context"),
                    int32_t(kernels.size()), blocks, int32_t(threads),
                    int32_t(sharedBytes), pointerTo(sizes), pointerTo(values),
                    pointerTo(areBuffers)},
                   Call::Extern));
  }

  const OutputGuards &guards;
  std::set<std::string> known; ///< what the host has, for kernels to have it
  Expr tasks, inOrder;
  std::string name;
  const DeviceModel &device;
  int64_t threads;
  std::vector<OffloadedKernel> &kernels;
};

} // namespace

void heddle::offloadKernels(Halide::Pipeline &outputs,
                            const TranslatedPipeline &pipeline,
                            const std::string &name, const DeviceModel &device,
                            int64_t threads,
                            std::vector<OffloadedKernel> &kernels) {
  outputs.add_custom_lowering_pass(
      new Offload(pipeline, name, device, threads, kernels));
}
