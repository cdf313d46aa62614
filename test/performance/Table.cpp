// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Table.h"
#include "test/performance/Machine.h"

#include <algorithm>
#include <cstdio>

constexpr int kRounds = 5;
// Rounds of one engine take about so many seconds at most.
constexpr double kPatience = 4;

void Table::printHeader() const {
  std::printf("%-22s %-18s %-12s %9s %-8s %9s %8s\n", "case", "size", "engine",
              "rate", "", "peak", "of peak");
  std::fflush(stdout);
}

void Table::print(const Case &row, const Peak &peak, double work,
                  std::vector<Engine> engines) const {
  std::vector<double> best(engines.size());
  std::vector<char> canMeasure(engines.size(), true);
  double top = 0, end = seconds() + kPatience * double(engines.size());
  auto measurePeak = [&] {
    if (peak.measure)
      top = std::max(top, peak.measure());
  };
  measurePeak();
  for (int round = 0; round < kRounds && (round == 0 || seconds() < end);
       ++round)
    for (size_t i = 0; i < engines.size(); ++i) {
      if (!canMeasure[i])
        continue;
      double time = engines[i].time();
      canMeasure[i] = time > 0;
      if (canMeasure[i])
        best[i] = std::max(best[i], work / time / peak.scale);
      measurePeak();
    }
  for (size_t i = 0; i < engines.size(); ++i) {
    if (best[i] <= 0)
      continue;
    std::printf("%-22s %-18s %-12s %9.1f %-8s", row.name.c_str(),
                row.size.c_str(), engines[i].name.c_str(), best[i],
                peak.unit.c_str());
    if (top > 0)
      std::printf(" %9.1f %7.1f%%", top, 100 * best[i] / top);
    std::printf("\n");
  }
  std::fflush(stdout);
}
