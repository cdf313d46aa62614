// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows that a benchmark prints.

#ifndef HEDDLE_TEST_PERFORMANCE_TABLE_H
#define HEDDLE_TEST_PERFORMANCE_TABLE_H

#include <functional>
#include <string>

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

class Table {
public:
  /// Measures once and returns the seconds; 0 if it cannot.
  using Timer = std::function<double()>;

  void printHeader() const;

  /// Runs `timer` between measurements of the peak, `rounds` times, since
  /// neighbours on a shared machine come and go, and prints the best of each.
  /// Stops early when that takes long. No row if there is no time.
  void print(const Case &row, const std::string &engine, const Peak &peak,
             double work, const Timer &timer, int rounds) const;
};

#endif // HEDDLE_TEST_PERFORMANCE_TABLE_H
