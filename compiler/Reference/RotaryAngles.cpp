// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/RotaryAngles.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace heddle::reference {

constexpr double pi = 3.14159265358979323846;

//===-- Frequencies -------------------------------------------------------===//

// Each formula stands in transformers' modeling_rope_utils.py.

static double given(mlir::FloatAttr attribute, double otherwise) {
  return attribute ? attribute.getValueAsDouble() : otherwise;
}

// _compute_default_rope_parameters
static double plain(int64_t pair, int64_t dimension, double base) {
  return 1 / std::pow(base, double(2 * pair) / dimension);
}

// _compute_dynamic_ntk_parameters
static double scaleDynamically(int64_t pair, int64_t dimension, double base,
                               double factor, double original, double length) {
  double longest = length > original ? length : original;
  double growth = (factor * longest / original) - (factor - 1);
  double d = dimension;
  return plain(pair, dimension, base * std::pow(growth, d / (d - 2)));
}

// _compute_llama3_parameters
static double scaleLikeLlama3(double frequency, double factor, double low,
                              double high, double original) {
  double wavelength = 2 * pi / frequency;
  if (wavelength < original / high)
    return frequency;
  if (wavelength > original / low)
    return frequency / factor;
  double smooth = (original / wavelength - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

// _compute_yarn_parameters
static double scaleLikeYarn(int64_t pair, int64_t dimension, double base,
                            RopeScalingAttr scaling) {
  double original = scaling.getOriginal().getInt();
  auto correction = [&](double rotations) {
    return dimension * std::log(original / (rotations * 2 * pi)) /
           (2 * std::log(base));
  };
  double low = correction(given(scaling.getFast(), 32));
  double high = correction(given(scaling.getSlow(), 1));
  bool isTruncated = !scaling.getTruncate() || scaling.getTruncate().getValue();
  if (isTruncated) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = low < 0 ? 0 : low;
  high = high > dimension - 1 ? dimension - 1 : high;
  if (low == high)
    high += 0.001;
  double ramp = (pair - low) / (high - low);
  ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
  double extrapolated = plain(pair, dimension, base);
  double interpolated = extrapolated / scaling.getFactor().getValueAsDouble();
  return interpolated * ramp + extrapolated * (1 - ramp);
}

double rotaryFrequency(int64_t pair, int64_t dimension, double base,
                       RopeScalingAttr scaling, double position) {
  double frequency = plain(pair, dimension, base);
  if (!scaling)
    return frequency;
  double factor = scaling.getFactor().getValueAsDouble();
  switch (scaling.getKind()) {
  case RopeScalingKind::Linear:
    return frequency / factor;
  case RopeScalingKind::Dynamic:
    return scaleDynamically(pair, dimension, base, factor,
                            scaling.getOriginal().getInt(),
                            scaling.getLength().getInt());
  case RopeScalingKind::Llama3:
    return scaleLikeLlama3(frequency, factor,
                           scaling.getLow().getValueAsDouble(),
                           scaling.getHigh().getValueAsDouble(),
                           double(scaling.getOriginal().getInt()));
  case RopeScalingKind::Yarn:
    return scaleLikeYarn(pair, dimension, base, scaling);
  case RopeScalingKind::LongRope: { // _compute_longrope_parameters
    double length = scaling.getLength() ? double(scaling.getLength().getInt())
                                        : position + 1;
    return frequency / (length > double(scaling.getOriginal().getInt())
                            ? scaling.getLongFactor()
                            : scaling.getShortFactor())[pair];
  }
  }
  llvm_unreachable("covered switch");
}

double rotaryAttention(RopeScalingAttr scaling) {
  if (!scaling)
    return 1;
  if (scaling.getAttention())
    return scaling.getAttention().getValueAsDouble();
  double factor = scaling.getFactor().getValueAsDouble();
  if (factor <= 1)
    return 1;
  if (scaling.getKind() == RopeScalingKind::Yarn)
    return 0.1 * std::log(factor) + 1;
  if (scaling.getKind() == RopeScalingKind::LongRope)
    return std::sqrt(1 + std::log(factor) /
                             std::log(double(scaling.getOriginal().getInt())));
  return 1;
}

//===-- Tables ------------------------------------------------------------===//

static Tensor makeTable(RotaryTableOp op) {
  constexpr int64_t fine = RotaryTableOp::kFineRows;
  Tensor table = Tensor::zeros(op.getType().getShape());
  int64_t dimension = op.getDimension(), half = dimension / 2;
  double base = op.getBase().convertToDouble();
  double attention = rotaryAttention(op.getScalingAttr());
  for (int64_t i = 0; i < half; ++i) {
    for (int64_t r = 0; r < table.shape[0]; ++r) {
      int64_t position = r < fine ? r : fine * (r - fine);
      double frequency = rotaryFrequency(i, dimension, base,
                                         op.getScalingAttr(), double(position));
      double factor = r < fine ? attention : 1;
      table.data[(2 * r + 0) * half + i] =
          factor * std::cos(position * frequency);
      table.data[(2 * r + 1) * half + i] =
          factor * std::sin(position * frequency);
    }
  }
  return table;
}

// Of the angle p base^(-2i / c), or in halves p base^(-i / (c/2 - 1)), the sine
// and the cosine: side by side, or, in halves and split, c/2 apart.
static Tensor makeTable(SinusoidalPositionsOp op) {
  Tensor table = Tensor::zeros(op.getType().getShape());
  int64_t positions = table.shape[0], c = table.shape[1];
  double base = op.getBase().convertToDouble();
  bool isApart = op.getHalves() || op.getSplit();
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < c / 2; ++i) {
      double *row = table.data.data() + p * c;
      double power = op.getHalves() ? i / (c / 2 - 1.0) : 2.0 * i / c;
      double angle = p / std::pow(base, power);
      row[isApart ? i : 2 * i] = std::sin(angle);
      row[isApart ? c / 2 + i : 2 * i + 1] = std::cos(angle);
    }
  return table;
}

Tensor tableOf(TableOpInterface op) {
  return llvm::TypeSwitch<mlir::Operation *, Tensor>(op)
      .Case<RotaryTableOp, SinusoidalPositionsOp>(
          [](auto table) { return makeTable(table); });
}

} // namespace heddle::reference
