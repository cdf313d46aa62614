// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structs of runtime/heddle_abi.h as LLVM types, and constants of them.

#ifndef HEDDLE_COMPILER_CODEGEN_ABITYPES_H
#define HEDDLE_COMPILER_CODEGEN_ABITYPES_H

#include "compiler/CodeGen/Glue.h"
#include "compiler/Host/EntryPlan.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

namespace heddle {

class AbiTypes {
public:
  AbiTypes(llvm::Module &module, llvm::StringRef prefix);

  llvm::Type *i32, *i64;
  llvm::PointerType *pointer;
  llvm::StructType *context, *frame, *symbol, *argument, *entry;
  llvm::StructType *deviceFunction, *rules, *generation, *model;

  // Positions of the fields that generated code uses.
  enum ContextField { ContextParallelFor, ContextParallelForData };
  enum FrameField { FrameLaunch = 5 };

  /// A private constant string.
  llvm::Constant *string(llvm::StringRef text) const;
  /// A constant heddle_entry of these functions.
  llvm::Constant *describe(const EntryPlan &entry, const MachineModel &machine,
                           const GlueOptions &options, llvm::Function *measure,
                           llvm::Function *run) const;
  /// The constant heddle_model, visible as <prefix>_model.
  llvm::Constant *describe(const ModelPlan &plan, const MachineModel &machine,
                           const GlueOptions &options,
                           llvm::ArrayRef<llvm::Constant *> entries) const;

private:
  llvm::Constant *integer(llvm::Type *type, int64_t value) const;
  llvm::Constant *extents(llvm::ArrayRef<SizeAttr> sizes) const;
  llvm::Constant *describe(const ArgumentPlan &plan) const;
  /// A pointer to a constant heddle_generation_defaults, or null.
  llvm::Constant *describeGeneration(const ModelPlan &plan) const;
  llvm::GlobalVariable *global(llvm::Constant *value, llvm::Twine name) const;
  /// What the next target's program has by that name; null where there is none.
  llvm::Constant *next(const GlueOptions &options, llvm::Type *type,
                       llvm::Twine name) const;
  llvm::Constant *array(llvm::Type *type,
                        llvm::ArrayRef<llvm::Constant *> values,
                        llvm::Twine name) const;

  llvm::Module &module;
  std::string prefix;
  mutable llvm::StringMap<llvm::Constant *> strings;
};

/// A role as heddle_argument has it.
heddle_role roleCode(ArgumentRole role);

/// The instruction set extensions among LLVM's `features`, as the runtime
/// checks them: "avx2,fma,...". Tuning hints are left out, and tile registers,
/// which nothing uses unasked, where there are none `withTiles`.
std::string instructionSets(llvm::StringRef features, bool withTiles);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_ABITYPES_H
