// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Object.h"
#include "compiler/CodeGen/Optimize.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

// The error of emitting an object of `text`.
static std::string emit(llvm::StringRef text) {
  auto machine = llvm::cantFail(MachineModel::forCpu("x86-64-v3"));
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return diagnostic.getMessage().str();
  auto target = createTargetMachine(machine);
  module->setTargetTriple(target->getTargetTriple());
  module->setDataLayout(target->createDataLayout());
  llvm::SmallVector<char> object;
  if (llvm::Error error = emitObject(*module, machine, "tiny",
                                     llvm::CodeGenFileType::ObjectFile, object))
    return llvm::toString(std::move(error));
  return object.empty() ? "an empty object" : "";
}

TEST(ObjectTest, MayCopyMemory) {
  EXPECT_EQ(emit(R"(
    define void @tiny_f(ptr %to, ptr %from, i64 %size) {
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
      ret void
    })"),
            "");
}

TEST(ObjectTest, MayNotCallMathematics) {
  EXPECT_THAT(emit(R"(
    define float @tiny_f(float %x) {
      %y = call float @llvm.exp2.f32(float %x)
      ret float %y
    })"),
              HasSubstr("calls exp2f, which compiled models do not have"));
}

TEST(ObjectTest, MayNotCallTheCompilersRuntime) {
  EXPECT_THAT(emit(R"(
    define bfloat @tiny_f(float %x) {
      %y = fptrunc float %x to bfloat
      ret bfloat %y
    })"),
              HasSubstr("calls __truncsfbf2, "));
}
