// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a checkpoint stores the matrices that were quantised before it was saved.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_QUANTIZATIONDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_QUANTIZATIONDESCRIPTION_H

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// Which tensors a matrix W of [outputs n, inputs k] is in: the names that
/// follow the layer's, and their shapes. A word is an I32 with b bits an
/// integer, from its lowest bit on.
enum class MatrixFormat {
  /// qweight [k b / 32, n], qzeros [groups, n b / 32], scales [groups, n],
  /// g_idx [k]: W[n, k] = scales[g, n] * (q[k, n] - qzeros[g, n] - zerosOffset)
  GPTQ,
  /// qweight [k, n / 8], qzeros [groups, n / 8], scales [groups, n]: the same
  /// with columns 0, 2, 4, 6, 1, 3, 5, 7 in a word
  AWQ,
  /// weight_packed [n, k b / 32], weight_scale [n, groups], weight_zero_point
  /// [n b / 32, groups] unless it is symmetric, weight_shape [2]:
  /// W[n, k] = weight_scale[n, g] * (q[n, k] - 2^(b - 1)), or less the zero
  PackedIntegers,
  /// weight I8 [n, k], weight_scale [n, groups], weight_zero_point [n, groups]
  Integers,
  /// weight F8_E4M3 [n, k], weight_scale [n, 1] or [1]
  Floats,
  /// weight F8_E4M3 [n, k], and weight_scale_inv of blocks, which multiplies
  BlockFloats,
  /// Of experts: _blocks U8 [e, n, k / 32, 16] and _scales U8 [e, n, k / 32]:
  /// numbers of F4E2M1, two in a byte, times 2^(scale - 127)
  MXFP4,
  /// weight U32 [n, k b / 32], scales and biases [n, groups]:
  /// W[n, k] = scales[n, g] * q[n, k] + biases[n, g]
  MLX,
  /// weight of a type of ggml's that has blocks, [.., n, k], and its parts:
  /// weight.codes [.., n, k], weight.scales and weight.minimums [.., n,
  /// groups]:
  /// W[.., n, k] = scales[.., n, g] * codes[.., n, k] - minimums[.., n, g]
  Blocks,
};

/// A layer's own bits and group, in place of those of all; no bits of one that
/// is not quantised.
struct LayerQuantization {
  int64_t bits = 0, group = 0;
};

struct QuantizationDescription {
  MatrixFormat format;
  int64_t bits = 4;
  /// Inputs that share a scale; 0 for all.
  int64_t group = 0;
  bool isSymmetric = true;
  /// The difference of zeros and what is stored of them (GPTQ).
  int64_t zerosOffset = 0;
  /// Outputs and inputs that share a scale (BlockFloats).
  int64_t blockOutputs = 0, blockInputs = 0;
  /// Layers with bits and groups of their own, by their names (MLX).
  std::map<std::string, LayerQuantization> layers = {};
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_QUANTIZATIONDESCRIPTION_H
