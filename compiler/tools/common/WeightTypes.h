// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --weight-type, --arithmetic and --cache-type of the command line.

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
    "How linear layers compute: f32 (default); bf16, of matrices of bf16, with "
    "inputs rounded to it, on CPUs that multiply such (AVX512-BF16 or AMX; "
    "elsewhere f32); int16 or int8, of matrices of integers of 8 bits or "
    "fewer, with "
    "inputs that become integers of so many bits; bf16 and int8 round what "
    "attention multiplies to bf16, too, on those CPUs; auto, on CPUs what they "
    "do "
    "fastest of such matrices where inputs are rounded by no more than 0.007 "
    "of their root mean square, or as much as auto:0.01 says";
/// Sets what --arithmetic says, which is of that kind.
void setArithmetic(ImportOptions &options, llvm::StringRef text);
/// Sets what --weight-type says, which is of that kind, and --keep.
llvm::Error setWeightType(ImportOptions &options, llvm::StringRef text,
                          llvm::ArrayRef<std::string> keep);
/// The text that says it.
std::string weightTypeText(const ImportOptions &options);
/// The values of --cache-type.
OptionValues::Kind cacheTypeKind();
inline constexpr llvm::StringLiteral kCacheTypeText =
    "What the caches of a model folder hold keys and values in: f32 (default), "
    "bf16, f16, or int8 with a scale for each head of a token";
/// Sets what --cache-type says, which is of that kind, or empty without one.
void setCacheType(ImportOptions &options, llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H
