// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors in NumPy's .npy files.
//
// The format is that of NumPy's "NEP 1 - A Simple File Format for NumPy
// Arrays": magic, version, the length of a header, the header (a Python
// dictionary) and the data.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_NPY_H
#define HEDDLE_COMPILER_TOOLS_COMMON_NPY_H

#include "runtime/heddle.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// An element type as NumPy writes it: "<f4", "|b1". NumPy has no bf16, and no
/// floats of eight bits: their bits are written as those of ml_dtypes are,
/// "<V2" and "|V1", so that `numpy.load(file).view(ml_dtypes.bfloat16)`, or
/// `.view("<u2")`, has the values.
llvm::StringRef npyType(heddle_type type);

/// Whether elements that a file says are of type `descr` are of `type`. Of bf16
/// that is "<V2", "|V2" as NumPy writes it once more, or the bits as "<u2"; of
/// floats of eight bits likewise.
bool isNpyType(heddle_type type, llvm::StringRef descr);

/// A tensor in row-major order, little-endian.
struct NpyArray {
  heddle_type type;
  /// Outermost first; none for a scalar.
  llvm::SmallVector<int64_t> shape;
  std::vector<char> data;
};

/// The bytes of `shape`; none where a dimension is negative or the product
/// overflows.
std::optional<uint64_t> npyDataSize(heddle_type type,
                                    llvm::ArrayRef<int64_t> shape);

/// `shape` as NumPy writes it: "()", "(3,)", "(2, 3)".
std::string describeShape(llvm::ArrayRef<int64_t> shape);

/// Reads the whole file `bytes`, of version 1.0, 2.0 or 3.0, with elements of
/// type `expected`; `name` starts each message.
llvm::Expected<NpyArray> parseNpy(llvm::StringRef bytes, llvm::StringRef name,
                                  heddle_type expected);
llvm::Expected<NpyArray> readNpy(llvm::StringRef path, heddle_type expected);

/// The file that holds `array`: version 1.0, or 2.0 where the header is long.
std::string formatNpy(const NpyArray &array);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_NPY_H
