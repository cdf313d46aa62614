// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/BlockMemory.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::MemoryType;

static bool overlap(const Names &a, const Names &b) {
  for (const std::string &name : a)
    if (b.count(name))
      return true;
  return false;
}

namespace {

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

class FindAccesses : public IRVisitor {
public:
  FindAccesses(const Names &ownMemory, Names &reads, Names &writes)
      : ownMemory(ownMemory), reads(reads), writes(writes) {}

private:
  using IRVisitor::visit;

  void visit(const Load *op) override {
    if (!ownMemory.count(op->name))
      reads.insert(op->name);
    IRVisitor::visit(op);
  }

  void visit(const Store *op) override {
    if (!ownMemory.count(op->name))
      writes.insert(op->name);
    IRVisitor::visit(op);
  }

  const Names &ownMemory;
  Names &reads, &writes;
};

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

} // namespace

Names heddle::ownMemory(const Stmt &statement) {
  FindPrivate visitor;
  statement.accept(&visitor);
  return visitor.names;
}

Names heddle::partedRegisters(const Stmt &statement) {
  FindParted visitor;
  statement.accept(&visitor);
  return visitor.names;
}

bool heddle::isOfOneThread(const Stmt &statement, const Names &ownMemory) {
  return OneThread::does(statement, ownMemory);
}

//===-- Accesses ----------------------------------------------------------===//

Accesses::Accesses(const Names &ownMemory, const Stmt &statement) {
  FindAccesses visitor(ownMemory, reads, writes);
  statement.accept(&visitor);
}

Accesses::Accesses(const Names &ownMemory, const Halide::Expr &value) {
  FindAccesses visitor(ownMemory, reads, writes);
  value.accept(&visitor);
}

bool Accesses::mustEndBefore(const Accesses &next) const {
  return overlap(writes, next.reads) || overlap(writes, next.writes) ||
         overlap(reads, next.writes);
}

void Accesses::include(const Accesses &other) {
  reads.insert(other.reads.begin(), other.reads.end());
  writes.insert(other.writes.begin(), other.writes.end());
}

void Accesses::clear() {
  reads.clear();
  writes.clear();
}
