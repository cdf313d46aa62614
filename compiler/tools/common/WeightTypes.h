// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --weight-type of the command line.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H
#define HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/tools/common/Options.h"

namespace heddle {

inline constexpr llvm::StringLiteral kWeightTypeText =
    "What matrices of weights become: stored (default), as the checkpoint has "
    "them; f32, bf16 or f16, embeddings, too; int8, integers of linear layers "
    "with a scale for each output channel; int4, with a scale for each 32 "
    "inputs. int8:64 and int4:64 have one for each 64";

/// The values of --weight-type.
OptionValues::Kind weightTypeKind();
/// The values of --arithmetic.
OptionValues::Kind arithmeticKind();
inline constexpr llvm::StringLiteral kArithmeticText =
    "How linear layers compute: f32 (default); bf16, of matrices of bf16, "
    "whose "
    "inputs are rounded to bf16 first, on CPUs that multiply such "
    "(AVX512-BF16; "
    "else f32); int16 or int8, of matrices of integers of 8 bits or fewer, "
    "whose "
    "inputs become integers of so many bits first; auto, int16 and bf16 where "
    "there are such matrices, on CPUs";

/// Sets what --arithmetic says, which is of that kind, for a model that devices
/// run, or CPUs alone.
void setArithmetic(ImportOptions &options, llvm::StringRef text,
                   bool hasDevice);
/// Sets what --weight-type says, which is of that kind, and --keep.
llvm::Error setWeightType(ImportOptions &options, llvm::StringRef text,
                          llvm::ArrayRef<std::string> keep);
/// The text that says it.
std::string weightTypeText(const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H
