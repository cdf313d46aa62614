// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/MapThreads.h"

#include "compiler/Translate/LoopNest.h"

#include <map>
#include <set>

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;
using Halide::MemoryType;

using Names = std::set<std::string>;

static bool overlap(const Names &a, const Names &b) {
  for (const std::string &name : a)
    if (b.count(name))
      return true;
  return false;
}

namespace {

/// The memory that each thread has for itself.
class FindPrivate : public IRVisitor {
public:
  Names names;

private:
  using IRVisitor::visit;
  void visit(const Allocate *op) override {
    if (op->memory_type != MemoryType::GPUShared)
      names.insert(op->name);
    IRVisitor::visit(op);
  }
};

/// The registers that the threads of a block store to together, each its part.
class FindParted : public IRVisitor {
public:
  Names names;

private:
  using IRVisitor::visit;

  void visit(const For *op) override {
    bool outer = inThreads;
    inThreads |= op->for_type == ForType::GPUThread;
    IRVisitor::visit(op);
    inThreads = outer;
  }

  void visit(const Allocate *op) override {
    if (!inThreads && op->memory_type == MemoryType::Register)
      registers.insert(op->name);
    IRVisitor::visit(op);
  }

  void visit(const Store *op) override {
    if (inThreads && registers.count(op->name))
      names.insert(op->name);
    IRVisitor::visit(op);
  }

  Names registers;
  bool inThreads = false;
};

/// An index of 64 bits with 32, which Halide knows more of.
class Narrow : public IRMutator {
  using IRMutator::visit;

  Expr visit(const Cast *op) override {
    return op->type == Halide::Int(64) && op->value.type() == Halide::Int(32)
               ? op->value
               : IRMutator::visit(op);
  }

  Expr visit(const IntImm *op) override {
    return op->type == Halide::Int(64)
               ? IntImm::make(Halide::Int(32), op->value)
               : Expr(op);
  }
};

/// What is read and written of memory that threads share.
class Accesses : public IRVisitor {
public:
  Names reads, writes;

  explicit Accesses(const Names &ownMemory) : ownMemory(&ownMemory) {}

  template <typename Node>
  static Accesses of(const Node &node, const Names &ownMemory) {
    Accesses accesses(ownMemory);
    if (node.defined())
      node.accept(&accesses);
    return accesses;
  }

  /// Whether threads that are done with this have to wait for the others before
  /// they do what `next` describes.
  bool mustEndBefore(const Accesses &next) const {
    return overlap(writes, next.reads) || overlap(writes, next.writes) ||
           overlap(reads, next.writes);
  }

  void include(const Accesses &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
  }

  void clear() {
    reads.clear();
    writes.clear();
  }

private:
  using IRVisitor::visit;

  void visit(const Load *op) override {
    if (!ownMemory->count(op->name))
      reads.insert(op->name);
    IRVisitor::visit(op);
  }

  void visit(const Store *op) override {
    if (!ownMemory->count(op->name))
      writes.insert(op->name);
    IRVisitor::visit(op);
  }

  const Names *ownMemory;
};

/// Whether a statement has no part for several threads, and leaves something in
/// memory that they share alone: then one of them does it.
class OneThread : public IRVisitor {
public:
  static bool does(const Stmt &statement, const Names &ownMemory) {
    OneThread visitor(ownMemory);
    statement.accept(&visitor);
    return visitor.isOne && visitor.stores;
  }

private:
  explicit OneThread(const Names &ownMemory) : ownMemory(ownMemory) {}

  using IRVisitor::visit;

  void visit(const For *op) override {
    isOne &= op->for_type != ForType::GPUThread;
    IRVisitor::visit(op);
  }

  void visit(const Allocate *op) override {
    isOne &= op->memory_type != MemoryType::GPUShared;
    inside.insert(op->name);
    IRVisitor::visit(op);
  }

  void visit(const Store *op) override {
    bool isOwn = ownMemory.count(op->name);
    stores |= !isOwn;
    isOne &= !isOwn || inside.count(op->name);
    IRVisitor::visit(op);
  }

  const Names &ownMemory;
  Names inside;
  bool isOne = true, stores = false;
};

/// Whether something waits for other threads.
class FindBarrier : public IRVisitor {
public:
  static bool in(const Stmt &statement) {
    FindBarrier visitor;
    statement.accept(&visitor);
    return visitor.isFound;
  }

private:
  using IRVisitor::visit;
  void visit(const Call *op) override {
    isFound |= op->is_intrinsic(Call::gpu_thread_barrier);
    IRVisitor::visit(op);
  }
  bool isFound = false;
};

/// Whether a value can be computed where nothing says that it may: it reads no
/// memory, and divides by no number that is not known.
class IsHarmless : public IRVisitor {
public:
  static bool is(const Expr &value) {
    IsHarmless visitor;
    value.accept(&visitor);
    return visitor.isHarmless;
  }

private:
  using IRVisitor::visit;
  void visit(const Load *op) override { isHarmless = false; }
  void visit(const Div *op) override { divide(op); }
  void visit(const Mod *op) override { divide(op); }

  template <typename Op> void divide(const Op *op) {
    isHarmless &= is_const(op->b);
    IRVisitor::visit(op);
  }

  bool isHarmless = true;
};

/// if (c) { a; barrier; b }  ->  if (c) a; barrier; if (c) b
///
/// Every thread of a block finds the same `c`, so that barriers may stand under
/// it. But PoCL has what follows such a barrier twice, for each of them: 10 are
/// a thousand copies, and minutes of compilation.
class LiftBarriers {
public:
  /// `body` under `condition`; undefined where that is not possible.
  static Stmt outOf(const Expr &condition, const Stmt &body) {
    std::string name = unique_name("is");
    LiftBarriers lift{Variable::make(Halide::Bool(), name)};
    Stmt lifted = lift.guard(body);
    return lift.isPossible ? LetStmt::make(name, condition, lifted) : Stmt();
  }

private:
  explicit LiftBarriers(Expr condition) : condition(std::move(condition)) {}

  Stmt guard(const Stmt &s) {
    if (!FindBarrier::in(s))
      return IfThenElse::make(condition, s);
    if (auto *block = s.as<Block>())
      return Block::make(guard(block->first), guard(block->rest));
    if (s.as<Evaluate>())
      return s;
    if (auto *memory = s.as<Allocate>())
      return Allocate::make(memory->name, memory->type, memory->memory_type,
                            memory->extents, memory->condition,
                            guard(memory->body));
    if (auto *let = s.as<LetStmt>()) {
      isPossible &= IsHarmless::is(let->value);
      return LetStmt::make(let->name, let->value, guard(let->body));
    }
    if (auto *loop = s.as<For>()) {
      isPossible &= IsHarmless::is(loop->min) && IsHarmless::is(loop->extent);
      return For::make(loop->name, loop->min,
                       select(condition, loop->extent, 0), loop->for_type,
                       loop->device_api, loop->body);
    }
    isPossible = false;
    return s;
  }

  Expr condition;
  bool isPossible = true;
};

class MapThreads : public IRMutator {
public:
  MapThreads(const Stmt &body, int64_t threads)
      : threads(int32_t(threads)), pending(ownMemory) {
    FindPrivate visitor;
    body.accept(&visitor);
    ownMemory = visitor.names;
    FindParted parted;
    body.accept(&parted);
    for (const std::string &name : parted.names)
      parts[name];
  }

  int64_t sharedBytes = 0;

  using IRMutator::mutate;
  Stmt mutate(const Stmt &s) override {
    bool isOfOne = (isStep(s) || s.as<Allocate>()) && !inThreads &&
                   OneThread::does(s, ownMemory);
    if (inThreads || (!isStep(s) && !isOfOne))
      return IRMutator::mutate(s);
    Accesses own = accessesOf(s);
    bool mustWait = waitFor(own);
    // What is left does not touch what the step does.
    Accesses before = pending;
    pending.clear();
    Stmt mapped = isOfOne ? byOneThread(s) : IRMutator::mutate(s);
    std::swap(pending.reads, before.reads);
    std::swap(pending.writes, before.writes);
    pending.include(own);
    return mustWait ? Block::make(barrier(), mapped) : mapped;
  }

private:
  using IRMutator::visit;

  static Expr variable(const std::string &name) {
    return Variable::make(Halide::Int(32), name);
  }
  static Expr thread() { return variable(kThreadVariable); }

  //===-- Order -----------------------------------------------------------===//

  template <typename Node> Accesses accessesOf(const Node &node) const {
    return Accesses::of(node, ownMemory);
  }

  static Stmt barrier() {
    Expr fence = IntImm::make(Halide::Int(32),
                              CodeGen_GPU_Dev::MemoryFenceType::Device |
                                  CodeGen_GPU_Dev::MemoryFenceType::Shared);
    return Evaluate::make(Call::make(Halide::Int(32), Call::gpu_thread_barrier,
                                     {fence}, Call::Intrinsic));
  }

  // Statements that follow each other, and not what holds them together.
  static bool isStep(const Stmt &s) {
    return s.as<For>() || s.as<IfThenElse>() || s.as<Store>() ||
           s.as<Evaluate>();
  }

  Stmt byOneThread(const Stmt &s) {
    inThreads = true;
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
    Accesses value = accessesOf(op->value);
    bool mustWait = waitFor(value);
    pending.include(value);
    Stmt let = LetStmt::make(op->name, mutate(op->value), mutate(op->body));
    return mustWait ? Block::make(barrier(), let) : let;
  }

  Stmt visit(const IfThenElse *op) override {
    auto branch = [&](const Stmt &body) {
      pending = accessesOf(op->condition);
      return mutate(body);
    };
    Stmt then = branch(op->then_case), otherwise;
    if (op->else_case.defined())
      otherwise = branch(op->else_case);
    Expr condition = mutate(op->condition);
    if (!otherwise.defined() && FindBarrier::in(then))
      if (Stmt lifted = LiftBarriers::outOf(condition, then); lifted.defined())
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
      pending = accessesOf(op->min);
      op->extent.accept(&pending);
    }
    Stmt body = mutate(op->body);
    if (!inThreads) {
      // One step after the other.
      Accesses step = accessesOf(op->body);
      if (step.mustEndBefore(step))
        body = Block::make(body, barrier());
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

  // Which part of a func is whose.
  struct Part {
    /// Of the loops over threads, and how far apart the elements of neighbours
    /// are. Empty until the first is found.
    std::vector<int64_t> steps, strides;
    /// Of the first thread, if all its places are known.
    std::optional<int64_t> lastPlace = 0;

    void use(const Expr &place) {
      const int64_t *known = as_const_int(place);
      if (known && lastPlace)
        lastPlace = std::max(*lastPlace, *known);
      else
        lastPlace.reset();
    }

    std::vector<Expr> extents(const Allocate *whole) const {
      if (!lastPlace)
        return whole->extents;
      return {Expr(int32_t(*lastPlace + 1))};
    }
  };

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

  // The index of an element in the part of a thread: that of the first thread.
  Expr placeInPart(const std::string &name, const Expr &at) {
    auto refuse = [&](const std::string &why) -> MappingError {
      return {"'" + name +
              "' is in registers, of which each thread has a part, "
              "and " +
              why};
    };
    if (!inThreads)
      throw refuse("it is read or written outside of loops over threads");
    if (!isOneRound)
      throw refuse("the loops over threads have more steps than there are "
                   "threads");
    Expr index = Narrow().mutate(ofLoops(at));
    Part &part = parts.at(name);
    std::vector<int64_t> steps, strides;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      Expr loop = variable(nest.loops[i]->name);
      Expr step =
          simplify(substitute(nest.loops[i]->name, loop + 1, index) - index);
      const int64_t *stride = as_const_int(step);
      const int64_t *extent = as_const_int(nest.extents[i]);
      if (!stride || !extent)
        throw refuse("its elements do not lie evenly apart");
      steps.push_back(*extent);
      strides.push_back(*stride);
      index = substitute(nest.loops[i]->name, nest.mins[i], index);
    }
    if (part.steps.empty())
      std::tie(part.steps, part.strides) = {steps, strides};
    if (std::tie(part.steps, part.strides) != std::tie(steps, strides))
      throw refuse("not all loops over threads give a thread the same one");
    Expr place = simplify(index);
    part.use(place);
    return mutate(place);
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
                          part == parts.end() ? op->extents
                                              : part->second.extents(op),
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
  Names ownMemory;
  /// What has been done to memory that threads share since they last waited.
  Accesses pending;
  Names replicated; ///< of it, what is there for the whole block
  std::map<std::string, int64_t> shared;
  /// Registers that threads have parts of.
  std::map<std::string, Part> parts;
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
