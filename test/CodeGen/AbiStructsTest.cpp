// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structs of heddle_abi.h as the compiler declares them lie in memory as
// those of C do.

#include "compiler/Host/AbiStructs.h"
#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/CodeGen/Optimize.h"

#include "runtime/heddle_abi.h"

#include "mlir/Target/LLVMIR/TypeToLLVM.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

class AbiStructsTest : public testing::Test {
protected:
  AbiStructsTest() : module("abi", context) {
    auto machine = llvm::cantFail(MachineModel::forCpu("x86-64-v3"));
    module.setDataLayout(createTargetMachine(machine)->createDataLayout());
    dialects.loadDialect<mlir::LLVM::LLVMDialect>();
  }

  /// `offsets`: of each field in C, and behind them the size of the struct.
  void expect(llvm::Type *type, std::vector<uint64_t> offsets) {
    auto *declared = llvm::cast<llvm::StructType>(type);
    const llvm::StructLayout *layout =
        module.getDataLayout().getStructLayout(declared);
    std::vector<uint64_t> found;
    for (unsigned i = 0; i < declared->getNumElements(); ++i)
      found.push_back(layout->getElementOffset(i));
    found.push_back(layout->getSizeInBytes());
    EXPECT_EQ(found, offsets);
  }

  void expect(mlir::Type type, std::vector<uint64_t> offsets) {
    expect(mlir::LLVM::TypeToLLVMIRTranslator(context).translateType(type),
           std::move(offsets));
  }

  llvm::LLVMContext context;
  llvm::Module module;
  mlir::MLIRContext dialects;
};

#define AT(field) offsetof(Struct, field)

const std::vector<uint64_t> contextOffsets = [] {
  using Struct = heddle_context;
  return std::vector<uint64_t>{AT(parallel_for),
                               AT(parallel_for_data),
                               AT(observer),
                               AT(observer_data),
                               AT(error),
                               AT(stream),
                               AT(device_arguments),
                               AT(argument_bytes),
                               sizeof(Struct)};
}();

const std::vector<uint64_t> frameOffsets = [] {
  using Struct = heddle_frame;
  return std::vector<uint64_t>{AT(context), AT(weights),   AT(buffers),
                               AT(sizes),   AT(workspace), AT(launch),
                               AT(copy),    AT(launcher),  sizeof(Struct)};
}();

TEST_F(AbiStructsTest, OfCalls) {
  AbiTypes types(module, "abi");
  AbiStructs structs(&dialects);
  expect(types.context, contextOffsets);
  expect(structs.context, contextOffsets);
  expect(types.frame, frameOffsets);
  expect(structs.frame, frameOffsets);
}

TEST_F(AbiStructsTest, OfKernels) {
  AbiStructs structs(&dialects);
  {
    using Struct = heddle_kernel_event;
    expect(structs.event, {AT(entry), AT(kernel), AT(launch), AT(finished),
                           AT(buffer_count), AT(buffers), sizeof(Struct)});
  }
  {
    using Struct = heddle_buffer;
    expect(structs.buffer,
           {AT(device), AT(device_interface), AT(data), AT(flags),
            AT(type_code), AT(type_bits), AT(type_lanes), AT(rank),
            AT(dimensions), AT(reserved), sizeof(Struct)});
  }
  {
    using Struct = heddle_dimension;
    expect(structs.dimension,
           {AT(min), AT(extent), AT(stride), AT(flags), sizeof(Struct)});
  }
}

TEST_F(AbiStructsTest, OfDescriptions) {
  AbiTypes types(module, "abi");
  {
    using Struct = heddle_symbol;
    expect(types.symbol, {AT(name), AT(counts), AT(reserved), AT(minimum),
                          AT(maximum), sizeof(Struct)});
  }
  {
    using Struct = heddle_argument;
    expect(types.argument,
           {AT(name), AT(kind), AT(type), AT(role), AT(rank), AT(extent),
            AT(minimum), AT(maximum), AT(added), AT(lengths), AT(padding),
            AT(parts), AT(layout), AT(part_bytes), sizeof(Struct)});
  }
  {
    using Struct = heddle_entry;
    expect(types.entry,
           {AT(name), AT(symbol_count), AT(argument_count), AT(kernel_count),
            AT(device_kind), AT(symbols), AT(arguments), AT(measure), AT(run),
            AT(next_target), sizeof(Struct)});
  }
  {
    using Struct = heddle_device_function;
    expect(types.deviceFunction, {AT(name), AT(code), sizeof(Struct)});
  }
  {
    using Struct = heddle_generation_defaults;
    expect(types.generation,
           {AT(end_ids), AT(start_ids), AT(end_count), AT(start_count),
            AT(temperature), AT(top_p), AT(min_p), AT(repetition_penalty),
            AT(length_penalty), AT(early_stopping), AT(beams), AT(reserved),
            AT(top_k), AT(limit), AT(maximum_length), AT(rules),
            sizeof(Struct)});
  }
  {
    using Struct = heddle_rules;
    expect(types.rules,
           {AT(suppressed_ids), AT(suppressed_first), AT(forced_first),
            AT(forced_last), AT(suppressed_count), AT(suppressed_first_count),
            AT(renormalizes), AT(reserved), AT(minimum_length), AT(minimum_new),
            AT(unique_run), sizeof(Struct)});
  }
  {
    using Struct = heddle_model;
    expect(types.model,
           {AT(abi_version), AT(struct_size), AT(name), AT(target_cpu),
            AT(cpu_features), AT(fingerprint), AT(weights_size),
            AT(entry_count), AT(device_kind), AT(entries), AT(embedded_weights),
            AT(embedded_size), AT(device), AT(device_function_count),
            AT(device_functions), AT(next_target), AT(generation),
            sizeof(Struct)});
  }
}

} // namespace
