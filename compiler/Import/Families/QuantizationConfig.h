// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `quantization_config` of a config.json, and MLX's `quantization`.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_QUANTIZATIONCONFIG_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_QUANTIZATIONCONFIG_H

#include "compiler/Import/Families/ModelConfig.h"
#include "compiler/Import/Models/QuantizationDescription.h"

namespace heddle {

/// None where the config has neither field. Failures are those of the config.
std::optional<QuantizationDescription> readQuantization(ModelConfig &config);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_QUANTIZATIONCONFIG_H
