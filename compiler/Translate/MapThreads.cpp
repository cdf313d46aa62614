// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/MapThreads.h"

#include "compiler/Translate/BlockMemory.h"
#include "compiler/Translate/LiftBarriers.h"
#include "compiler/Translate/LoopNest.h"
#include "compiler/Translate/ThreadParts.h"

#include <map>

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;
using Halide::MemoryType;

namespace {

class MapThreads : public IRMutator {
public:
  MapThreads(const Stmt &body, int64_t threads)
      : threads(int32_t(threads)), own(ownMemory(body)) {
    for (const std::string &name : partedRegisters(body))
      parts[name];
  }

  int64_t sharedBytes = 0;

  using IRMutator::mutate;
  Stmt mutate(const Stmt &s) override {
    bool isOfOne =
        (isStep(s) || s.as<Allocate>()) && !inThreads && isOfOneThread(s, own);
    if (inThreads || (!isStep(s) && !isOfOne))
      return IRMutator::mutate(s);
    Accesses step(own, s);
    bool mustWait = waitFor(step);
    // What is left does not touch what the step does.
    Accesses before = pending;
    pending.clear();
    Stmt mapped = isOfOne ? byOneThread(s) : IRMutator::mutate(s);
    pending = before;
    pending.include(step);
    return mustWait ? Block::make(makeBarrier(), mapped) : mapped;
  }

private:
  using IRMutator::visit;

  static Expr variable(const std::string &name) {
    return Variable::make(Halide::Int(32), name);
  }
  static Expr thread() { return variable(kThreadVariable); }

  //===-- Order -----------------------------------------------------------===//

  // Statements that follow each other, and not what holds them together.
  static bool isStep(const Stmt &s) {
    return s.as<For>() || s.as<IfThenElse>() || s.as<Store>() ||
           s.as<Evaluate>();
  }

  Stmt byOneThread(const Stmt &s) {
    inThreads = true;
    isOneRound = false; // it has no part of a thread
    Stmt mapped = IRMutator::mutate(s);
    inThreads = false;
    return IfThenElse::make(thread() == 0, mapped);
  }

  // Whether threads have to wait for each other before they do what `next`
  // describes. Then nothing is pending.
  bool waitFor(const Accesses &next) {
    if (!pending.mustEndBefore(next))
      return false;
    pending.clear();
    return true;
  }

  Stmt visit(const Block *op) override {
    if (!op->rest.defined())
      return mutate(op->first);
    Stmt first = mutate(op->first);
    return Block::make(first, mutate(op->rest));
  }

  Stmt visit(const LetStmt *op) override {
    if (inThreads) {
      if (!nest.hasLoop(op->name))
        lets[op->name] = op->value;
      return IRMutator::visit(op);
    }
    Accesses value(own, op->value);
    bool mustWait = waitFor(value);
    pending.include(value);
    Stmt let = LetStmt::make(op->name, mutate(op->value), mutate(op->body));
    return mustWait ? Block::make(makeBarrier(), let) : let;
  }

  Stmt visit(const IfThenElse *op) override {
    auto branch = [&](const Stmt &body) {
      pending = Accesses(own, op->condition);
      return mutate(body);
    };
    Stmt then = branch(op->then_case), otherwise;
    if (op->else_case.defined())
      otherwise = branch(op->else_case);
    Expr condition = mutate(op->condition);
    if (!otherwise.defined() && hasBarrier(then))
      if (Stmt lifted = liftBarriers(condition, then); lifted.defined())
        return lifted;
    return IfThenElse::make(condition, then, otherwise);
  }

  Stmt visit(const ProducerConsumer *op) override { return mutate(op->body); }

  // Of those that are left all hold, or tell what calls have checked.
  Stmt visit(const AssertStmt *) override { return Evaluate::make(0); }

  //===-- Loops -----------------------------------------------------------===//

  Stmt visit(const For *op) override {
    if (op->for_type == ForType::GPUThread)
      return mapNest(op);
    if (op->for_type == ForType::GPUBlock)
      throw MappingError{"a loop over blocks stands inside of another loop: '" +
                         op->name + "'"};
    if (!inThreads) {
      pending = Accesses(own, op->min);
      pending.include(Accesses(own, op->extent));
    }
    Stmt body = mutate(op->body);
    if (!inThreads) {
      // One step after the other.
      Accesses step(own, op->body);
      if (step.mustEndBefore(step))
        body = Block::make(body, makeBarrier());
    }
    return For::make(op->name, mutate(op->min), mutate(op->extent),
                     ForType::Serial, Halide::DeviceAPI::None, body);
  }

  Stmt mapNest(const For *outermost) {
    if (inThreads)
      throw MappingError{"a loop over threads stands inside of another, with "
                         "something between them: '" +
                         outermost->name + "'"};
    std::string number = unique_name("step");
    nest = LoopNest::of(outermost);
    auto [steps, body] = nest.asOne(variable(number));
    const int64_t *known = as_const_int(steps);
    isOneRound = known && *known <= threads;
    inThreads = true;
    body = mutate(body);
    inThreads = false;
    lets.clear();
    return dealOut(number, steps, body);
  }

  // Each thread takes every so manieth step.
  Stmt dealOut(const std::string &number, const Expr &steps, Stmt body) {
    const int64_t *count = as_const_int(steps);
    if (count && *count <= threads) {
      body = LetStmt::make(number, thread(), body);
      return *count == threads ? body
                               : IfThenElse::make(thread() < steps, body);
    }
    std::string round = unique_name("round");
    Expr step = variable(round) * threads + thread();
    if (!count || *count % threads)
      body = IfThenElse::make(variable(number) < steps, body);
    return For::make(round, 0, simplify((steps + (threads - 1)) / threads),
                     ForType::Serial, Halide::DeviceAPI::None,
                     LetStmt::make(number, step, body));
  }

  //===-- Parts of threads ------------------------------------------------===//

  // `index` with what is defined inside of the nest, down to its loops.
  Expr ofLoops(Expr index) const {
    for (size_t i = 0; i < lets.size(); ++i) {
      Expr next = substitute(lets, index);
      if (next.same_as(index))
        break;
      index = next;
    }
    return index;
  }

  Expr placeInPart(const std::string &name, const Expr &index) {
    if (!inThreads)
      throw ThreadPart::refuse(
          name, "it is read or written outside of loops over threads");
    if (!isOneRound)
      throw ThreadPart::refuse(
          name,
          "the loops over threads have more steps than there are threads");
    return mutate(parts.at(name).place(name, ofLoops(index), nest));
  }

  //===-- Memory ----------------------------------------------------------===//

  Stmt visit(const Allocate *op) override {
    if (op->memory_type == MemoryType::GPUShared)
      return share(op);
    for (const Expr &extent : op->extents)
      if (!as_const_int(extent))
        throw MappingError{"'" + op->name +
                           "' has a size that is not known, which a thread has "
                           "no memory for"};
    if (!inThreads)
      replicated.insert(op->name);
    Stmt body = mutate(op->body);
    auto part = parts.find(op->name);
    return Allocate::make(op->name, op->type, MemoryType::Stack,
                          part == parts.end()
                              ? op->extents
                              : part->second.sizeOf(op->name, op->extents),
                          op->condition, body);
  }

  Stmt share(const Allocate *op) {
    if (inThreads)
      throw MappingError{"'" + op->name +
                         "' is computed by each thread, and shared"};
    int64_t elements = 1;
    for (const Expr &extent : op->extents) {
      const int64_t *number = as_const_int(extent);
      if (!number || *number > (1 << 28) / std::max<int64_t>(elements, 1))
        throw MappingError{"'" + op->name +
                           "' has a size that is not known, or too large for "
                           "shared memory"};
      elements *= *number;
    }
    constexpr int64_t alignment = 16;
    shared[op->name] = sharedBytes;
    sharedBytes +=
        (elements * op->type.bytes() + alignment - 1) / alignment * alignment;
    constexpr int64_t most = 1 << 20;
    if (sharedBytes > most)
      throw MappingError{"'" + op->name +
                         "' and what else is shared take more than a MiB, "
                         "which no block has"};
    return mutate(op->body);
  }

  Stmt visit(const Free *op) override {
    return shared.count(op->name) ? Evaluate::make(0) : IRMutator::visit(op);
  }

  // The index in shared memory of an element.
  Expr place(const std::string &name, Halide::Type type, const Expr &index) {
    return simplify(mutate(index) +
                    int32_t(shared.at(name) / type.element_of().bytes()));
  }

  Expr visit(const Load *op) override {
    if (parts.count(op->name))
      return Load::make(op->type, op->name, placeInPart(op->name, op->index),
                        op->image, Parameter(), mutate(op->predicate),
                        ModulusRemainder());
    if (!shared.count(op->name))
      return IRMutator::visit(op);
    return Load::make(op->type, kSharedMemory,
                      place(op->name, op->type, op->index), op->image,
                      Parameter(), mutate(op->predicate), ModulusRemainder());
  }

  Stmt visit(const Store *op) override {
    if (parts.count(op->name))
      return Store::make(op->name, mutate(op->value),
                         placeInPart(op->name, op->index), Parameter(),
                         mutate(op->predicate), ModulusRemainder());
    if (inThreads && replicated.count(op->name))
      throw MappingError{"'" + op->name +
                         "' is computed by the threads of a block together, "
                         "and not in shared memory"};
    Halide::Type type = op->value.type();
    Stmt store =
        shared.count(op->name)
            ? Store::make(kSharedMemory, mutate(op->value),
                          place(op->name, type, op->index), Parameter(),
                          mutate(op->predicate), ModulusRemainder())
            : IRMutator::visit(op);
    return store;
  }

  int32_t threads;
  bool inThreads = false;
  Names own; ///< memory of each thread for itself
  /// What has been done to memory that threads share since they last waited.
  Accesses pending;
  Names replicated; ///< of it, what is there for the whole block
  std::map<std::string, int64_t> shared;
  /// Registers that threads have parts of.
  std::map<std::string, ThreadPart> parts;
  /// Of the nest over threads that is mapped: its loops, whether each thread
  /// has one step of them at most, and what is defined inside.
  LoopNest nest;
  bool isOneRound = false;
  std::map<std::string, Expr> lets;
};

} // namespace

MappedBlock heddle::mapThreads(const Stmt &body, int64_t threads) {
  MapThreads mapper(body, threads);
  MappedBlock block;
  block.body = mapper.mutate(body);
  block.sharedBytes = mapper.sharedBytes;
  return block;
}
