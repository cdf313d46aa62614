// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recordings in files.

#ifndef HEDDLE_TEXT_RECORDING_H
#define HEDDLE_TEXT_RECORDING_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

/// Samples from -1 to 1 of the bytes of a WAV file, the mean of its channels.
/// `file` names it in errors, such as where its rate is another one.
std::vector<float> readRecording(std::string_view bytes,
                                 const std::string &file, uint32_t rate);

} // namespace heddle::text

#endif // HEDDLE_TEXT_RECORDING_H
