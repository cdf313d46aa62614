// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a body of scalar ops into this process and runs it on arrays.

#ifndef HEDDLE_TEST_CODEGEN_KERNELTESTING_H
#define HEDDLE_TEST_CODEGEN_KERNELTESTING_H

#include "compiler/CodeGen/KernelCompiler.h"
#include "compiler/Lowering/Passes.h"
#include "runtime/heddle_abi.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

namespace heddle {

/// f(x, y) for each pair of elements; a body of one operand ignores y.
class Kernel {
public:
  /// Elements of a call.
  static constexpr int32_t kCount = 4096;

  /// `body` computes %r from %x and %y. Types are those of the element: "f32",
  /// "i8", ... `cpu` is one whose instructions this CPU has.
  Kernel(const std::string &body, const std::string &operand,
         const std::string &result, llvm::StringRef cpu);

  template <typename In, typename Out>
  std::vector<Out> operator()(std::vector<In> x, std::vector<In> y) {
    size_t count = x.size();
    x.resize(kCount);
    y.resize(kCount);
    std::vector<Out> r(kCount);
    call(x.data(), sizeof(In), y.data(), r.data(), sizeof(Out));
    r.resize(count);
    return r;
  }

private:
  void call(void *x, size_t inBytes, void *y, void *r, size_t outBytes);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  int (*function)(void *, heddle_buffer *, heddle_buffer *, heddle_buffer *);
};

/// The CPUs to compile for: with AVX2, and with AVX-512 where this one has it.
std::vector<std::string> cpusToTest();

// Equal, signs of zeros included, or both NaN.
template <typename T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a) ? std::isnan(b)
                         : a == b && std::signbit(a) == std::signbit(b);
  else
    return a == b;
}

// `body`, which computes %r of %x and %y, on all pairs of `values` and every
// CPU.
template <typename In, typename Out>
void expectPairs(const std::string &body, const std::string &in,
                 const std::string &out, const std::vector<In> &values,
                 const std::function<Out(In, In)> &expected) {
  std::vector<In> x, y;
  for (In a : values)
    for (In b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  for (const std::string &cpu : cpusToTest()) {
    Kernel kernel(body, in, out, cpu);
    std::vector<Out> r = kernel.operator()<In, Out>(x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      Out e = expected(x[i], y[i]);
      EXPECT_TRUE(same(r[i], e))
          << body << " of " << +x[i] << ", " << +y[i] << " is " << +r[i]
          << ", not " << +e << " on " << cpu;
    }
  }
}

} // namespace heddle

#endif // HEDDLE_TEST_CODEGEN_KERNELTESTING_H
