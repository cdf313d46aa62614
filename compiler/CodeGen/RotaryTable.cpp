// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/RotaryTable.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// Llama 3.1's stretching (transformers, _compute_llama3_parameters).
static double stretchLlama3(double frequency, RopeScalingAttr scaling) {
  double factor = scaling.getFactor().getValueAsDouble();
  double low = scaling.getLow().getValueAsDouble();
  double high = scaling.getHigh().getValueAsDouble();
  double original = scaling.getOriginal().getInt();
  double wavelength = 2 * llvm::numbers::pi / frequency;
  if (wavelength > original / low)
    return frequency / factor;
  if (wavelength < original / high)
    return frequency;
  double smooth = (original / wavelength - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

std::vector<double> heddle::rotaryFrequencies(int64_t dimension, double base,
                                              RopeScalingAttr scaling) {
  std::vector<double> frequencies;
  for (int64_t i = 0; i < dimension / 2; ++i) {
    double frequency = std::pow(base, -2.0 * i / dimension);
    if (scaling && scaling.getKind() == RopeScalingKind::Linear)
      frequency /= scaling.getFactor().getValueAsDouble();
    if (scaling && scaling.getKind() == RopeScalingKind::Llama3)
      frequency = stretchLlama3(frequency, scaling);
    frequencies.push_back(frequency);
  }
  return frequencies;
}

std::vector<float> heddle::rotaryTable(RotaryTableOp op) {
  std::vector<double> frequencies = rotaryFrequencies(
      op.getDimension(), op.getBase().convertToDouble(), op.getScalingAttr());
  std::vector<float> table;
  int64_t fine = RotaryTableOp::kFineRows;
  for (int64_t row = 0, rows = op.getType().getDimSize(0); row < rows; ++row) {
    double position = row < fine ? row : (row - fine) * fine;
    for (double frequency : frequencies)
      table.push_back(std::cos(position * frequency));
    for (double frequency : frequencies)
      table.push_back(std::sin(position * frequency));
  }
  return table;
}
