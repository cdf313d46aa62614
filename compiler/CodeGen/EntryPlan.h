// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry point does, before any code is made of it: its symbols and
// arguments, where every buffer lives, and the kernels to call in order.

#ifndef HEDDLE_COMPILER_CODEGEN_ENTRYPLAN_H
#define HEDDLE_COMPILER_CODEGEN_ENTRYPLAN_H

#include "compiler/Fusion/Sizes.h"
#include "compiler/Schedule/MachineModel.h"
#include "dialect/Halide/HalideDialect.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace heddle {

/// A product of symbols and numbers, "batch*length"; how many blocks it fills,
/// "capacity/32"; or how many those have room for, "capacity/32*32". What
/// halide.param and buffers' extents are made of.
struct SizeExpr {
  /// Multiplies by a number; a product past 64 bits becomes the largest.
  void scale(int64_t number);

  llvm::SmallVector<unsigned> symbols;
  int64_t factor = 1;
  int64_t divisor = 1;    ///< the quotient is rounded up
  int64_t multiplier = 1; ///< of the quotient
};

/// One packed tensor of the weights file.
struct PackedWeight {
  mlir::Operation *source; ///< heddle.weight, or heddle.rotary_table
  int64_t offset = 0;      ///< in bytes, a multiple of HEDDLE_ALIGNMENT
  int64_t size = 0;        ///< in bytes
};

/// Where a buffer of a launch lives.
struct BufferPlace {
  enum Kind { Argument, Weight, Workspace, Cache } kind;
  unsigned argument = 0; ///< Argument, Cache: of the entry point
  int64_t offset = 0; ///< Weight: bytes. Workspace: bytes per row of the arena
  unsigned arena = 0; ///< Workspace
  int64_t layer = 0;  ///< Cache
  int64_t part = 0;   ///< Cache: 0 keys, 1 values
};

struct LaunchPlan {
  halide::PipelineOp pipeline;
  llvm::SmallVector<SizeExpr> params;
  /// One for each halide.input and halide.output, in order.
  std::vector<BufferPlace> buffers;
};

struct ArgumentPlan {
  std::string name;
  heddle_argument_kind kind;
  heddle_type type;
  heddle_value_rule rule = HEDDLE_RULE_NONE;
  int64_t limit = 0;
  int64_t tokens = 0;                 ///< as in heddle_argument
  llvm::SmallVector<int64_t> extents; ///< as in heddle_argument
  CacheType cache;                    ///< for caches
  mlir::Value source; ///< for outputs: what the function returns
};

struct SymbolPlan {
  std::string name;
  int64_t minimum = 1;
  int64_t maximum;
  SizeRole role = SizeRole::Other;
};

struct ArenaPlan {
  SizeAttr rows;
  SizeExpr units;
  int64_t unitMultiple = 1;
  int64_t bytesPerUnit = 0;
};

struct EntryPlan {
  std::string name;
  std::vector<SymbolPlan> symbols;
  std::vector<ArgumentPlan> arguments;
  std::vector<ArenaPlan> arenas;
  std::vector<LaunchPlan> launches;
  /// Products that kernels count with 32 bits: a call fails where one is larger
  /// than kLargestCount.
  std::vector<SizeExpr> bounds;

  std::optional<unsigned> symbol(llvm::StringRef name) const;
  /// The first symbol with that role.
  std::optional<unsigned> symbol(SizeRole role) const;
  SizeExpr parse(SizeAttr size) const;
};

/// The whole object.
struct ModelPlan {
  std::vector<EntryPlan> entries;
  std::vector<PackedWeight> weights;
  int64_t weightsSize = 0;
};

/// Plans every func.func of `module`, whose pipelines are scheduled.
mlir::FailureOr<ModelPlan> planModel(mlir::ModuleOp module,
                                     const MachineModel &machine);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_ENTRYPLAN_H
