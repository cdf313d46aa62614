// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the C library's mathematics, which kernels call where they
// compute in f64: a program that links such a model needs -lm.

#ifndef HEDDLE_COMPILER_LOWERING_LIBRARYFUNCTIONS_H
#define HEDDLE_COMPILER_LOWERING_LIBRARYFUNCTIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

/// An op on f64, and the function that it is.
struct LibraryFunction {
  llvm::StringLiteral op, name;
};

inline constexpr LibraryFunction kLibraryFunctions[] = {
    {"arith.remf", "fmod"},  {"math.acos", "acos"},   {"math.acosh", "acosh"},
    {"math.asin", "asin"},   {"math.asinh", "asinh"}, {"math.atan", "atan"},
    {"math.atan2", "atan2"}, {"math.atanh", "atanh"}, {"math.cbrt", "cbrt"},
    {"math.cos", "cos"},     {"math.cosh", "cosh"},   {"math.erf", "erf"},
    {"math.erfc", "erfc"},   {"math.exp", "exp"},     {"math.exp2", "exp2"},
    {"math.expm1", "expm1"}, {"math.fpowi", "pow"},   {"math.log", "log"},
    {"math.log10", "log10"}, {"math.log1p", "log1p"}, {"math.log2", "log2"},
    {"math.powf", "pow"},    {"math.round", "round"}, {"math.sin", "sin"},
    {"math.sinh", "sinh"},   {"math.tan", "tan"},     {"math.tanh", "tanh"},
};

inline bool isLibraryFunction(llvm::StringRef name) {
  return llvm::any_of(kLibraryFunctions,
                      [&](const auto &known) { return known.name == name; });
}

/// Prefix of the names that Halide has for such functions: of their own names
/// LLVM 14 makes something else, which is exact for real numbers alone, or
/// which models may not call.
inline constexpr llvm::StringLiteral kLibraryPrefix = "heddle_library_";

/// Functions of kernels that CodeGen/HalfInstructions.h makes instructions of:
/// the bits of an f16 as f32, and back to nearest, ties to even; and the bits
/// of a bf16 of an f32 that is not subnormal: such a one may become 0.
inline constexpr llvm::StringLiteral kWidenHalf = "heddle_widen_half",
                                     kNarrowHalf = "heddle_narrow_half",
                                     kNarrowBFloat = "heddle_narrow_bfloat";

/// Functions of kernels that CodeGen/TileInstructions.h defines: the sums of a
/// tile of rows by so many times 16 columns, over so many places of terms. What
/// follows is what is multiplied: "ss", "su", "us", "uu", bytes of rows and of
/// columns with a sign or without, four of which are a place; or "bf16", two of
/// which are. Arguments are three times a buffer, the byte in it that the first
/// element begins at, and how many bytes the next one is away: sums, by rows;
/// rows; columns, by places. Then the numbers of rows, at most 16, of columns
/// and of places.
inline constexpr llvm::StringLiteral kTileSums = "heddle_tile_sums_",
                                     kTileAdditions = "heddle_tile_add_";
inline constexpr llvm::StringLiteral kTileFunctions[] = {kTileSums,
                                                         kTileAdditions};
inline constexpr llvm::StringLiteral kTileKinds[] = {"ss", "su", "us", "uu",
                                                     "bf16"};
/// Rows of a register, its columns of 32 bits, which are places of what is
/// multiplied, and how many registers have sums at most.
inline constexpr int kTileRows = 16, kTileColumns = 16, kMostTileParts = 4;

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_LIBRARYFUNCTIONS_H
