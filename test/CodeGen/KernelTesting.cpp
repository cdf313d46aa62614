// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/CodeGen/KernelTesting.h"

#include "compiler/CodeGen/KernelNames.h"

using namespace heddle;

static std::string pipeline(const std::string &body, const std::string &operand,
                            const std::string &result) {
  return R"(
halide.pipeline @kernel {
  halide.input @in0 [4096] : )" +
         operand + R"(
  halide.input @in1 [4096] : )" +
         operand + R"(
  halide.func @out(%i) : )" +
         result + R"( {
    %x = halide.access @in0(%i) : )" +
         operand + R"(
    %y = halide.access @in1(%i) : )" +
         operand + "\n" + body + R"(
    halide.yield %r : )" +
         result + R"(
  }
  halide.output @out [4096]
  halide.schedule {
    halide.vectorize @out "i" by 16
  }
})";
}

Kernel::Kernel(const std::string &body, const std::string &operand,
               const std::string &result, llvm::StringRef cpu) {
  mlir::MLIRContext context;
  context.loadDialect<halide::HalideDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      pipeline(body, operand, result), &context);
  if (!module)
    llvm::report_fatal_error("the test's pipeline does not parse");
  mlir::PassManager passes(&context);
  passes.addPass(createExpandMath());
  MachineModel machine = llvm::cantFail(MachineModel::forCpu(cpu));
  auto pipelines = llvm::to_vector(module->getOps<halide::PipelineOp>());
  if (failed(passes.run(*module)))
    llvm::report_fatal_error("the test's maths cannot be expanded");
  auto kernels = compileKernels(pipelines, machine, KernelCache(),
                                [](size_t, size_t, llvm::StringRef) {});
  if (failed(kernels))
    llvm::report_fatal_error("the test's pipeline cannot be compiled");
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto compiled = llvm::cantFail(
      llvm::parseBitcodeFile(*kernels->kernels.front().bitcode, *llvmContext));
  jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  // Objects of models have the same few functions of the C library.
  for (const llvm::Function &callee : *compiled)
    EXPECT_TRUE(!callee.isDeclaration() || callee.isIntrinsic())
        << body << " calls " << callee.getName().str();
  llvm::cantFail(
      jit->addIRModule({std::move(compiled), std::move(llvmContext)}));
  function =
      llvm::cantFail(jit->lookup(kKernelName)).toPtr<decltype(function)>();
}

void Kernel::call(void *x, size_t inBytes, void *y, void *r, size_t outBytes) {
  heddle_dimension dimension = {0, kCount, 1, 0};
  auto buffer = [&](void *data, size_t bytes) {
    heddle_buffer result = {};
    result.data = static_cast<uint8_t *>(data);
    result.type_bits = 8 * bytes;
    result.type_lanes = 1;
    result.rank = 1;
    result.dimensions = &dimension;
    return result;
  };
  heddle_buffer in0 = buffer(x, inBytes), in1 = buffer(y, inBytes),
                out = buffer(r, outBytes);
  EXPECT_EQ(function(nullptr, &in0, &in1, &out), 0);
}

std::vector<std::string> heddle::cpusToTest() {
  std::vector<std::string> cpus = {"x86-64-v3"};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    cpus.push_back("x86-64-v4");
  return cpus;
}
