// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders of ONNX's tests: input_0.pb, .. and output_0.pb, .., numbered as the
// model has them.
// (https://github.com/onnx/onnx, docs/OnnxBackendTest.md)

#ifndef HEDDLE_TOOLS_TESTDATA_H
#define HEDDLE_TOOLS_TESTDATA_H

#include "compiler/tools/common/Npy.h"

namespace heddle {

/// The array in FOLDER/input_2.pb, `kind` being "input" and `number` 2. None
/// where there is no such file.
llvm::Expected<std::optional<NpyArray>> readTestArray(llvm::StringRef folder,
                                                      llvm::StringRef kind,
                                                      int64_t number,
                                                      heddle_type type);

/// How far results may be from what is expected: `absolute + relative *
/// |expected|`, as numpy.testing.assert_allclose has it.
struct Tolerance {
  double relative, absolute;
};

/// Fails, with the element that is furthest off, where `found` is not within
/// `tolerance` of `expected`. NaN is as good as NaN. `name` is that of the
/// output.
llvm::Error compareArrays(llvm::StringRef name, const NpyArray &found,
                          const NpyArray &expected, Tolerance tolerance);

} // namespace heddle

#endif // HEDDLE_TOOLS_TESTDATA_H
