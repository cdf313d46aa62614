// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/RotaryAngles.h"

#include <cmath>

namespace heddle::reference {

// transformers, modeling_rope_utils.py, _compute_llama3_parameters.
static double scaleLikeLlama3(double frequency, double factor, double low,
                              double high, double original) {
  constexpr double pi = 3.14159265358979323846;
  double wavelength = 2 * pi / frequency;
  if (wavelength < original / high)
    return frequency;
  if (wavelength > original / low)
    return frequency / factor;
  double smooth = (original / wavelength - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

double rotaryFrequency(int64_t pair, int64_t dimension, double base,
                       RopeScalingAttr scaling) {
  double frequency = std::pow(base, -2.0 * pair / dimension);
  if (!scaling)
    return frequency;
  double factor = scaling.getFactor().getValueAsDouble();
  switch (scaling.getKind()) {
  case RopeScalingKind::Linear:
    return frequency / factor;
  case RopeScalingKind::Llama3:
    return scaleLikeLlama3(frequency, factor,
                           scaling.getLow().getValueAsDouble(),
                           scaling.getHigh().getValueAsDouble(),
                           double(scaling.getOriginal().getInt()));
  }
  llvm_unreachable("covered switch");
}

Tensor rotaryTable(RotaryTableOp op) {
  constexpr int64_t fine = RotaryTableOp::kFineRows;
  Tensor table = Tensor::zeros(op.getType().getShape());
  int64_t dimension = op.getDimension(), half = dimension / 2;
  double base = op.getBase().convertToDouble();
  for (int64_t i = 0; i < half; ++i) {
    double frequency = rotaryFrequency(i, dimension, base, op.getScalingAttr());
    for (int64_t r = 0; r < table.shape[0]; ++r) {
      int64_t position = r < fine ? r : fine * (r - fine);
      table.data[(2 * r + 0) * half + i] = std::cos(position * frequency);
      table.data[(2 * r + 1) * half + i] = std::sin(position * frequency);
    }
  }
  return table;
}

} // namespace heddle::reference
