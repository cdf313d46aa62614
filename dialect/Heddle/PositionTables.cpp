// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/PositionTables.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace heddle;

//===-- Frequencies: see RopeScaling.td -----------------------------------===//

static double valueOr(FloatAttr attribute, double fallback) {
  return attribute ? attribute.getValueAsDouble() : fallback;
}

static std::vector<double> unscaled(int64_t dimension, double base) {
  std::vector<double> frequencies;
  for (int64_t pair = 0; pair < dimension / 2; ++pair)
    frequencies.push_back(std::pow(base, -2.0 * pair / dimension));
  return frequencies;
}

static double stretchDynamicBase(int64_t dimension, double base,
                                 RopeScalingAttr scaling) {
  double factor = valueOr(scaling.getFactor(), 1);
  double original = scaling.getOriginal().getInt();
  double length = std::max<double>(scaling.getLength().getInt(), original);
  double power = double(dimension) / (dimension - 2);
  return base * std::pow(factor * length / original - (factor - 1), power);
}

static double stretchLlama3(double frequency, RopeScalingAttr scaling) {
  double factor = valueOr(scaling.getFactor(), 1);
  double low = valueOr(scaling.getLow(), 1);
  double high = valueOr(scaling.getHigh(), 1);
  double original = scaling.getOriginal().getInt();
  double wavelength = 2 * llvm::numbers::pi / frequency;
  if (wavelength > original / low)
    return frequency / factor;
  if (wavelength < original / high)
    return frequency;
  double smooth = (original / wavelength - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

// Where pairs change from what is kept to what is divided.
static std::pair<double, double> yarnRamp(int64_t dimension, double base,
                                          RopeScalingAttr scaling) {
  double original = scaling.getOriginal().getInt();
  auto place = [&](double rotations) {
    double longest = original / (rotations * 2 * llvm::numbers::pi);
    return dimension * std::log(longest) / (2 * std::log(base));
  };
  double low = place(valueOr(scaling.getFast(), RopeScalingAttr::kFast));
  double high = place(valueOr(scaling.getSlow(), RopeScalingAttr::kSlow));
  if (!scaling.getTruncate() || scaling.getTruncate().getValue()) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min<double>(high, dimension - 1);
  return {low, low == high ? high + 0.001 : high};
}

static void stretchYarn(std::vector<double> &frequencies, int64_t dimension,
                        double base, RopeScalingAttr scaling) {
  double factor = valueOr(scaling.getFactor(), 1);
  auto [low, high] = yarnRamp(dimension, base, scaling);
  for (auto [pair, frequency] : llvm::enumerate(frequencies)) {
    double ramp = std::clamp((pair - low) / (high - low), 0.0, 1.0);
    frequency = ramp * frequency / factor + (1 - ramp) * frequency;
  }
}

static double attentionFactor(RopeScalingAttr scaling) {
  double factor = valueOr(scaling.getFactor(), 1), natural = 1;
  if (factor > 1 && scaling.getKind() == RopeScalingKind::Yarn)
    natural = 0.1 * std::log(factor) + 1;
  if (factor > 1 && scaling.getKind() == RopeScalingKind::LongRope)
    natural = std::sqrt(1 + std::log(factor) /
                                std::log(scaling.getOriginal().getInt()));
  return valueOr(scaling.getAttention(), natural);
}

RotaryFrequencies heddle::rotaryFrequencies(int64_t dimension, double base,
                                            RopeScalingAttr scaling) {
  RotaryFrequencies result{unscaled(dimension, base)};
  if (!scaling)
    return result;
  std::vector<double> &frequencies = result.ofPairs;
  double factor = valueOr(scaling.getFactor(), 1);
  result.attention = attentionFactor(scaling);
  switch (scaling.getKind()) {
  case RopeScalingKind::Linear:
    for (double &frequency : frequencies)
      frequency /= factor;
    break;
  case RopeScalingKind::Dynamic:
    frequencies =
        unscaled(dimension, stretchDynamicBase(dimension, base, scaling));
    break;
  case RopeScalingKind::Llama3:
    for (double &frequency : frequencies)
      frequency = stretchLlama3(frequency, scaling);
    break;
  case RopeScalingKind::Yarn:
    stretchYarn(frequencies, dimension, base, scaling);
    break;
  case RopeScalingKind::LongRope: {
    bool isLong = scaling.getLength().getInt() > scaling.getOriginal().getInt();
    DenseF64ArrayAttr divisors =
        isLong ? scaling.getLongFactor() : scaling.getShortFactor();
    for (auto [frequency, divisor] :
         llvm::zip_equal(frequencies, divisors.asArrayRef()))
      frequency /= divisor;
    break;
  }
  }
  return result;
}

//===-- Tables ------------------------------------------------------------===//

std::vector<double> RotaryTableOp::computeTable() {
  RotaryFrequencies frequencies = rotaryFrequencies(
      getDimension(), getBase().convertToDouble(), getScalingAttr());
  std::vector<double> table;
  for (int64_t row = 0, rows = getType().getDimSize(0); row < rows; ++row) {
    bool isFine = row < kFineRows;
    double position = isFine ? row : (row - kFineRows) * kFineRows;
    double factor = isFine ? frequencies.attention : 1;
    for (double frequency : frequencies.ofPairs)
      table.push_back(factor * std::cos(position * frequency));
    for (double frequency : frequencies.ofPairs)
      table.push_back(factor * std::sin(position * frequency));
  }
  return table;
}

std::vector<double> SinusoidalPositionsOp::computeTable() {
  int64_t positions = getType().getDimSize(0),
          channels = getType().getDimSize(1);
  int64_t half = channels / 2;
  double base = getBase().convertToDouble();
  std::vector<double> table(positions * channels);
  for (int64_t i = 0; i < half; ++i) {
    double power = getHalves() ? double(i) / (half - 1) : 2.0 * i / channels;
    double frequency = std::pow(base, -power);
    bool isSplit = getHalves() || getSplit();
    int64_t sine = isSplit ? i : 2 * i;
    int64_t cosine = isSplit ? half + i : 2 * i + 1;
    for (int64_t p = 0; p < positions; ++p) {
      table[p * channels + sine] = std::sin(p * frequency);
      table[p * channels + cosine] = std::cos(p * frequency);
    }
  }
  return table;
}
