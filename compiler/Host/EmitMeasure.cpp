// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @f.measure(%sizes, %argument, %result: heddle_measurement) -> i32 {
//   switch (%argument) { case 0: *result = sizes of argument 0; ...
//                        default: *result = that of the workspace }
// }

#include "compiler/Host/EmitMeasure.h"

#include "compiler/Host/EmitSize.h"
#include "compiler/Host/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

// Where the fields of heddle_measurement lie, in numbers of 64 bits.
constexpr int64_t kBytesField = offsetof(heddle_measurement, bytes) / 8;
constexpr int64_t kExtentField = offsetof(heddle_measurement, extent) / 8;
constexpr int64_t kMaximumField = offsetof(heddle_measurement, maximum) / 8;
constexpr int64_t kAddedField = offsetof(heddle_measurement, added) / 8;
constexpr int64_t kFields = sizeof(heddle_measurement) / 8;

namespace {

class MeasureEmitter {
public:
  MeasureEmitter(OpBuilder &builder, Location loc, const EntryPlan &entry)
      : b(builder), loc(loc), entry(entry) {}

  void run(SizeAttr workspace, const BoundMap &bounds);

private:
  SizeEmitter sizes() { return {b, loc, symbols, /*checksOverflow=*/true}; }
  Value status(heddle_measured status) {
    return arith::ConstantIntOp::create(b, loc, status, 32);
  }
  void store(Value value, int64_t field);
  void emitArgument(const ArgumentPlan &argument);
  void emitWorkspace(SizeAttr workspace, const BoundMap &bounds);
  Value emitCountable(Value found, const BoundMap &bounds);
  Value emitBroadcasts(Value found);

  OpBuilder &b;
  Location loc;
  const EntryPlan &entry;
  llvm::StringMap<Value> symbols;
  Value result;
};

} // namespace

void MeasureEmitter::store(Value value, int64_t field) {
  Value index = arith::ConstantIndexOp::create(b, loc, field);
  memref::StoreOp::create(b, loc, value, result, index);
}

void MeasureEmitter::emitArgument(const ArgumentPlan &argument) {
  SizeEmitter size = sizes();
  store(size.emit(argument.bytes), kBytesField);
  for (auto [axis, extent] : llvm::enumerate(argument.extents))
    store(size.emit(extent), kExtentField + axis);
  if (argument.values) {
    store(size.emit(argument.values.getMaximum()), kMaximumField);
    if (argument.values.getSize())
      store(size.emit(argument.values.getSize()), kAddedField);
  }
  Value found =
      arith::SelectOp::create(b, loc, size.fits(), status(HEDDLE_MEASURED),
                              status(HEDDLE_MEASURED_TOO_LARGE));
  scf::YieldOp::create(b, loc, found);
}

// How far numbers keep to their bounds: none may be too large, and then none
// too small.
Value MeasureEmitter::emitCountable(Value found, const BoundMap &bounds) {
  SizeEmitter size = sizes();
  Value no = arith::ConstantIntOp::create(b, loc, 0, 1);
  Value isTooLarge = no, isTooSmall = no;
  auto check = [&](Value &flag, arith::CmpIPredicate predicate, Value number,
                   int64_t bound) {
    Value limit = arith::ConstantIntOp::create(b, loc, bound, 64);
    Value isOutside = arith::CmpIOp::create(b, loc, predicate, number, limit);
    flag = arith::OrIOp::create(b, loc, flag, isOutside);
  };
  for (auto [expression, least] : bounds) {
    Value number = size.emit(expression);
    check(isTooLarge, arith::CmpIPredicate::sgt, number, kLargestCount);
    check(isTooSmall, arith::CmpIPredicate::slt, number, least);
  }
  found = arith::SelectOp::create(b, loc, isTooSmall,
                                  status(HEDDLE_MEASURED_TOO_SMALL), found);
  found = arith::SelectOp::create(b, loc, isTooLarge,
                                  status(HEDDLE_MEASURED_UNCOUNTABLE), found);
  return arith::SelectOp::create(b, loc, size.fits(), found,
                                 status(HEDDLE_MEASURED_UNCOUNTABLE));
}

// Sizes that are neither 1 nor what they are broadcast to; of several, the
// first are told.
Value MeasureEmitter::emitBroadcasts(Value found) {
  SizeEmitter size = sizes();
  Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
  Value first = one, second = one;
  auto areEqual = [&](Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  };
  for (BroadcastAttr broadcast : llvm::reverse(entry.broadcasts)) {
    Value own = size.emit(broadcast.getSize());
    Value target = size.emit(broadcast.getTarget());
    Value fits =
        arith::OrIOp::create(b, loc, areEqual(own, one), areEqual(own, target));
    auto unlessFits = [&](Value other, Value value) {
      return arith::SelectOp::create(b, loc, fits, other, value);
    };
    first = unlessFits(first, own);
    second = unlessFits(second, target);
    found = unlessFits(found, status(HEDDLE_MEASURED_NOT_BROADCAST));
  }
  store(first, kExtentField);
  store(second, kExtentField + 1);
  return arith::SelectOp::create(b, loc, size.fits(), found,
                                 status(HEDDLE_MEASURED_TOO_LARGE));
}

void MeasureEmitter::emitWorkspace(SizeAttr workspace, const BoundMap &bounds) {
  SizeEmitter size = sizes();
  store(size.emit(workspace), kBytesField);
  Value found =
      arith::SelectOp::create(b, loc, size.fits(), status(HEDDLE_MEASURED),
                              status(HEDDLE_MEASURED_TOO_LARGE));
  if (!bounds.empty())
    found = emitCountable(found, bounds);
  if (!entry.broadcasts.empty())
    found = emitBroadcasts(found);
  scf::YieldOp::create(b, loc, found);
}

void MeasureEmitter::run(SizeAttr workspace, const BoundMap &bounds) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto type =
      b.getFunctionType({MemRefType::get({int64_t(entry.symbols.size())}, i64),
                         i32, MemRefType::get({kFields}, i64)},
                        i32);
  auto function =
      func::FuncOp::create(b, loc, (entry.name + kMeasureSuffix).str(), type);
  OpBuilder::InsertionGuard guard(b);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  result = body->getArgument(2);
  for (auto [number, symbol] : llvm::enumerate(entry.symbols)) {
    Value index = arith::ConstantIndexOp::create(b, loc, number);
    symbols[symbol.getName().getValue()] =
        memref::LoadOp::create(b, loc, body->getArgument(0), index);
  }
  Value which = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                           body->getArgument(1));
  auto cases = llvm::to_vector(llvm::seq<int64_t>(entry.arguments.size()));
  auto choice =
      scf::IndexSwitchOp::create(b, loc, i32, which, cases, cases.size());
  for (auto [argument, region] :
       llvm::zip_equal(entry.arguments, choice.getCaseRegions())) {
    b.setInsertionPointToStart(&region.emplaceBlock());
    emitArgument(argument);
  }
  b.setInsertionPointToStart(&choice.getDefaultRegion().emplaceBlock());
  emitWorkspace(workspace, bounds);
  b.setInsertionPointToEnd(body);
  func::ReturnOp::create(b, loc, choice.getResults());
}

void heddle::emitMeasure(OpBuilder &builder, Location loc,
                         const EntryPlan &entry, SizeAttr workspace,
                         const BoundMap &bounds) {
  MeasureEmitter(builder, loc, entry).run(workspace, bounds);
}
