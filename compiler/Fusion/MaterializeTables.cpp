// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rotary x at(s) ...  ->  rotary x at(s) ... table(rotary_table ...)
// One table serves all rotary ops of a function that have equal parameters.

#include "compiler/Fusion/Passes.h"

#include "mlir/IR/Builders.h"

namespace heddle {
#define GEN_PASS_DEF_MATERIALIZETABLES
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct MaterializeTables
    : heddle::impl::MaterializeTablesBase<MaterializeTables> {
  void runOnOperation() override {
    getOperation()->walk([&](FunctionOpInterface function) {
      // Parameters of a table -> the table.
      llvm::DenseMap<Attribute, Value> tables;
      function.walk([&](RotaryOp op) {
        if (op.getTable())
          return;
        OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
        Attribute parameters = builder.getArrayAttr(
            {builder.getI64IntegerAttr(op.getHeadDim()), op.getPositionsAttr(),
             op.getBaseAttr(),
             op.getScalingAttr() ? Attribute(op.getScalingAttr())
                                 : builder.getUnitAttr()});
        Value &table = tables[parameters];
        if (!table) {
          auto type = RankedTensorType::get(
              RotaryTableOp::shapeOf(op.getHeadDim(), op.getPositions()),
              builder.getF32Type());
          table = RotaryTableOp::create(
              builder, op.getLoc(), type,
              builder.getI64IntegerAttr(op.getHeadDim()), op.getPositionsAttr(),
              op.getBaseAttr(), op.getScalingAttr());
        }
        op.getTableMutable().assign(table);
      });
    });
  }
};
} // namespace
