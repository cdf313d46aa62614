// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one call may cost, whatever a tokenizer's files ask for.

#ifndef HEDDLE_TEXT_BUDGET_H
#define HEDDLE_TEXT_BUDGET_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::text {

/// The steps of matching and the memory that one call may use. Both are
/// counted, not measured, so that a call that fails does so on every machine.
class Budget {
public:
  /// `textBytes` is the size of the text as the caller gave it: what steps make
  /// of it does not raise the limits, however many there are.
  explicit Budget(size_t textBytes);

  /// False if more than all steps are used up. A step is what ICU calls one
  /// when it matches, about 10 ns.
  bool trySpend(int64_t steps) { return (left -= steps) >= 0; }

  /// The same, with an error that starts with `where`.
  void spend(int64_t steps, const std::string &where);

  /// An error that starts with `where` if a text would have more than
  /// maxBytes(). `unit` is what is counted.
  void checkSize(size_t size, const std::string &where,
                 const char *unit = "bytes") const;

  size_t maxBytes() const { return longest; }

private:
  size_t textBytes;
  size_t longest;
  int64_t left;
};

/// Counts the bytes of a text, or of several, while a step builds them.
class GrowingText {
public:
  GrowingText(Budget &budget, const std::string &where)
      : budget(budget), where(where) {}

  /// An error if `bytes` more are too many.
  void add(size_t bytes);

private:
  Budget &budget;
  const std::string &where;
  size_t size = 0;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_BUDGET_H
