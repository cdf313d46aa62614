// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Tune/Neighbours.h"

#include "compiler/Configure/ConfigureKernels.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Collects the neighbours of one configuration.
class Neighbours {
public:
  Neighbours(KernelOp kernel, Attribute from, const MachineModel &machine)
      : kernel(kernel), context(kernel.getContext()), from(from),
        machine(machine) {}

  SmallVector<Attribute> find() {
    // Configurations that the kernel cannot have are left out without a word.
    ScopedDiagnosticHandler silent(context,
                                   [](Diagnostic &) { return success(); });
    if (auto tiles = dyn_cast<ProductTilesAttr>(from))
      addProducts(tiles);
    else if (auto tiles = dyn_cast<AttentionTilesAttr>(from))
      addAttention(tiles);
    else if (auto tiles = dyn_cast<RowTilesAttr>(from))
      addRows(tiles);
    return std::move(found);
  }

private:
  // The accumulators of a register tile are at most as many as registers, if
  // tile registers have not the sums.
  bool haveRegisters(int64_t rows, int64_t columns, int64_t vector) {
    return rows > 0 && rows * int64_t(llvm::divideCeil(columns, vector)) <=
                           machine.vectorRegisters;
  }

  template <typename Configuration, typename... Numbers>
  void add(Numbers... numbers) {
    auto emitError = [&] { return kernel.emitError(); };
    auto other =
        Configuration::getChecked(emitError, context, int64_t(numbers)...);
    if (other && other != from && !llvm::is_contained(found, other) &&
        succeeded(checkConfiguration(kernel, other, machine, emitError)))
      found.push_back(other);
  }

  void addProducts(ProductTilesAttr t) {
    bool areInTiles = t.getRows() == machine.tileRegisterRows;
    auto addTile = [&](int64_t rows, int64_t columns) {
      if (haveRegisters(rows, columns, t.getVector()) ||
          (areInTiles && rows <= machine.tileRegisterRows))
        add<ProductTilesAttr>(rows, columns, t.getVector(), t.getDepth(),
                              t.getBlock(), t.getTask(), t.getGroup());
    };
    auto addTask = [&](int64_t block, int64_t task, int64_t group) {
      add<ProductTilesAttr>(t.getRows(), t.getColumns(), t.getVector(),
                            t.getDepth(), block, task, group);
    };
    for (int64_t step : {1, -1, 2, -2})
      addTile(t.getRows() + step, t.getColumns());
    for (int64_t step : {1, -1})
      addTile(t.getRows(), t.getColumns() + step * t.getVector());
    addTask(t.getBlock() * 2, t.getTask(), t.getGroup());
    addTask(t.getBlock() / 2, t.getTask(), t.getGroup());
    addTask(t.getBlock(), t.getTask() * 2, t.getGroup());
    addTask(t.getBlock(), t.getTask() / 2, t.getGroup());
    addTask(t.getBlock(), t.getTask(), t.getGroup() * 2);
    addTask(t.getBlock(), t.getTask(), t.getGroup() / 2);
  }

  void addAttention(AttentionTilesAttr t) {
    bool areInTiles = t.getRegisterRows() == machine.tileRegisterRows;
    auto addTile = [&](int64_t rows, int64_t registerRows, int64_t keys,
                       int64_t columns) {
      bool stayInTiles = areInTiles && registerRows == t.getRegisterRows() &&
                         columns <= machine.tileRegisterColumns;
      if (stayInTiles || (haveRegisters(registerRows, keys, t.getVector()) &&
                          haveRegisters(registerRows, columns, t.getVector())))
        add<AttentionTilesAttr>(llvm::alignTo(rows, registerRows), t.getChunk(),
                                registerRows, keys, columns, t.getVector());
    };
    auto addChunk = [&](int64_t rows, int64_t chunk) {
      add<AttentionTilesAttr>(rows, chunk, t.getRegisterRows(), t.getKeys(),
                              t.getColumns(), t.getVector());
    };
    for (int64_t step : {1, -1, 2, -2})
      addTile(t.getRows(), t.getRegisterRows() + step, t.getKeys(),
              t.getColumns());
    addTile(t.getRows(), t.getRegisterRows(), t.getKeys() * 2, t.getColumns());
    addTile(t.getRows(), t.getRegisterRows(), t.getKeys() / 2, t.getColumns());
    addTile(t.getRows(), t.getRegisterRows(), t.getKeys(), t.getColumns() * 2);
    addTile(t.getRows(), t.getRegisterRows(), t.getKeys(), t.getColumns() / 2);
    addChunk(t.getRows() * 2, t.getChunk());
    addChunk(llvm::alignTo(t.getRows() / 2, t.getRegisterRows()), t.getChunk());
    addChunk(t.getRows(), t.getChunk() * 2);
    addChunk(t.getRows(), t.getChunk() / 2);
  }

  void addRows(RowTilesAttr t) {
    for (int64_t task :
         {t.getTask() * 2, t.getTask() / 2, t.getTask() * 4, t.getTask() / 4})
      add<RowTilesAttr>(task, t.getStrip(), t.getVector());
    for (int64_t strip : {t.getStrip() * 2, t.getStrip() / 2})
      add<RowTilesAttr>(t.getTask(), strip, t.getVector());
  }

  KernelOp kernel;
  MLIRContext *context;
  Attribute from;
  const MachineModel &machine;
  SmallVector<Attribute> found;
};

} // namespace

SmallVector<Attribute> heddle::neighboursOf(KernelOp kernel,
                                            Attribute configuration,
                                            const MachineModel &machine) {
  return Neighbours(kernel, configuration, machine).find();
}
