// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/Explanation.h"

#include "compiler/Explain/ExplainMasks.h"
#include "compiler/Import/ElementFormats.h"
#include "compiler/Verify/VerifyBuffers.h"
#include "compiler/tools/common/NamedValue.h"
#include "compiler/tools/common/Npy.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

using Texts = std::map<std::string, std::string>;

static llvm::Expected<Texts> parseInputs(ArrayRef<std::string> texts,
                                         const ModelPlan &plan,
                                         StringRef model) {
  Texts values;
  for (const std::string &text : texts) {
    auto pair = splitPair(text, "input");
    if (!pair)
      return pair.takeError();
    StringRef name = pair->first;
    bool isKnown = llvm::any_of(plan.entries, [&](const EntryPlan &entry) {
      return llvm::any_of(entry.arguments, [&](const ArgumentPlan &argument) {
        return argument.kind == HEDDLE_ARGUMENT_INPUT && argument.name == name;
      });
    });
    if (!isKnown)
      return llvm::createStringError("model '" + model + "' has no input '" +
                                     name + "'");
    if (!values.emplace(name.str(), pair->second.str()).second)
      return llvm::createStringError("input '" + name + "' is given twice");
  }
  return values;
}

// All elements are one number.
static llvm::Expected<Tensor> fill(const ArgumentPlan &input, int64_t number,
                                   ArrayRef<int64_t> shape) {
  bool fits = isFloat(input.type) || visitElement(input.type, [&](auto zero) {
                using T = decltype(zero);
                return int64_t(T(number)) == number &&
                       (number >= 0 || std::is_signed_v<T>);
              });
  if (!fits)
    return llvm::createStringError("input '" + llvm::Twine(input.name) +
                                   "' is " + llvm::Twine(number) +
                                   ", which its elements cannot hold");
  Tensor tensor = Tensor::zeros(shape);
  llvm::fill(tensor.data, double(number));
  if (isWideInteger(input.type))
    tensor.integers.assign(tensor.data.size(), number);
  return tensor;
}

static llvm::Expected<Tensor> read(const ArgumentPlan &input, StringRef text,
                                   ArrayRef<int64_t> shape) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return fill(input, number, shape);
  auto array = readNpy(text, input.type);
  if (!array)
    return array.takeError();
  if (ArrayRef<int64_t>(array->shape) != shape)
    return llvm::createStringError("input '" + llvm::Twine(input.name) +
                                   "' has shape " +
                                   describeShape(array->shape) + ", expected " +
                                   describeShape(shape) + " with these sizes");
  return readTensor(input.type, array->data.data(), shape);
}

llvm::Expected<std::string> heddle::explainMasks(ModuleOp module,
                                                 const TensorSource *tensors,
                                                 StringRef name,
                                                 const CallOptions &options) {
  ModelPlan plan = planModel(module);
  auto parsed = options.parseSizes(plan, name);
  if (!parsed)
    return parsed.takeError();
  ExplainedCall call;
  call.entry = options.entry;
  call.sizes = std::move(*parsed);
  auto texts = parseInputs(options.inputs, plan, name);
  if (!texts)
    return texts.takeError();
  call.readInput =
      [&](const ArgumentPlan &input,
          ArrayRef<int64_t> shape) -> llvm::Expected<std::optional<Tensor>> {
    auto found = texts->find(input.name);
    if (found == texts->end())
      return std::nullopt;
    auto tensor = read(input, found->second, shape);
    if (!tensor)
      return tensor.takeError();
    return std::move(*tensor);
  };
  return explainMasks(module, tensors, call);
}
