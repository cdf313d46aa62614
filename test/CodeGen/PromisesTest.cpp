// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What schedules promise of extents, in pipelines that no lowering makes.

#include "compiler/Lowering/Names.h"
#include "compiler/Translate/HalideTranslation.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

// Four elements of `@table` and those `distance` away from them, which are some
// four in a row or n + 4; the schedule promises that they are at most eight.
static std::string window(const std::string &distance) {
  return R"(
halide.pipeline @window {
  %n = halide.param "n"
  %none = arith.constant 0 : i32
  halide.func @table(%i) : i32 {
    %r = arith.muli %i, %i : i32
    halide.yield %r : i32
  }
  halide.func @out(%i, %j) : i32 {
    %x = halide.access @table(%i) : i32
    %far = arith.addi %i, )" +
         distance + R"( : i32
    %y = halide.access @table(%far) : i32
    %r = arith.subi %y, %x : i32
    halide.yield %r : i32
  }
  halide.output @out [4, %n] to result(0)
  halide.schedule {
    halide.compute_at @table @out "j"
    halide.bound_extent @table "i" 8
  }
})";
}

// The error of translating `text`.
static std::string translate(const std::string &text, bool isChecked = false) {
  mlir::MLIRContext context;
  context.loadDialect<halide::HalideDialect, mlir::arith::ArithDialect>();
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    error += d.str();
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return error;
  auto pipeline = *module->getOps<halide::PipelineOp>().begin();
  if (isChecked)
    pipeline->setAttr(kCheckedAttr, mlir::UnitAttr::get(&context));
  auto machine = llvm::cantFail(MachineModel::forCpu("x86-64-v3"));
  bool isRejected =
      failed(translateToHalide(pipeline, machine, TranslationOutput::Bitcode));
  EXPECT_EQ(isRejected, !error.empty());
  return error;
}

TEST(Promises, ThatHold) { EXPECT_EQ(translate(window("%none")), ""); }

// A kernel has no assertions, so that it would read what it never computed.
TEST(Promises, NegativeUnproven) {
  EXPECT_THAT(translate(window("%n")),
              HasSubstr("cannot be proven to compute what its schedule "
                        "promises: "));
  EXPECT_EQ(translate(window("%n"), /*isChecked=*/true), "");
}
