// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows that a benchmark prints.

#ifndef HEDDLE_TEST_PERFORMANCE_TABLE_H
#define HEDDLE_TEST_PERFORMANCE_TABLE_H

#include <functional>
#include <string>
#include <vector>

/// What is measured.
struct Case {
  std::string name, size;
};

/// What a rate is compared with.
struct Peak {
  std::string unit;
  double scale; ///< "GB/s" has 1e9
  /// The machine's own rate; empty where there is none to compare with.
  std::function<double()> measure;
};

/// One of those that are measured beside each other.
struct Engine {
  std::string name;
  /// Measures once and returns the seconds; 0 if it cannot.
  std::function<double()> time;
};

class Table {
public:
  void printHeader() const;

  /// Lets each engine measure in turn, in so many rounds between measurements
  /// of the peak, since neighbours on a shared machine come and go, and prints
  /// the best of each. Begins no further round when that takes long. No row of
  /// an engine that cannot. `work` is what is done in the measured time.
  void print(const Case &row, const Peak &peak, double work,
             std::vector<Engine> engines) const;
};

#endif // HEDDLE_TEST_PERFORMANCE_TABLE_H
