// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Table.h"
#include "test/performance/Machine.h"

#include <algorithm>
#include <cstdio>

// A row is not measured anew after so many seconds.
constexpr double kPatience = 4;

void Table::printHeader() const {
  std::printf("%-22s %-18s %-12s %9s %-8s %9s %8s\n", "case", "size", "engine",
              "rate", "", "peak", "of peak");
  std::fflush(stdout);
}

void Table::print(const Case &row, const std::string &engine, const Peak &peak,
                  double work, const Timer &timer, int rounds) const {
  double best = 0, top = 0, end = seconds() + kPatience;
  auto measurePeak = [&] {
    if (peak.measure)
      top = std::max(top, peak.measure());
  };
  measurePeak();
  for (int round = 0; round < rounds && (round == 0 || seconds() < end);
       ++round) {
    double time = timer();
    if (time <= 0)
      return;
    best = std::max(best, work / time / peak.scale);
    measurePeak();
  }
  std::printf("%-22s %-18s %-12s %9.1f %-8s", row.name.c_str(),
              row.size.c_str(), engine.c_str(), best, peak.unit.c_str());
  if (top > 0)
    std::printf(" %9.1f %7.1f%%", top, 100 * best / top);
  std::printf("\n");
  std::fflush(stdout);
}
