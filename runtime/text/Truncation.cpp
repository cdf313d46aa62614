// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Truncation.h"

#include "runtime/text/Failure.h"

#include <algorithm>

using namespace heddle::text;

static void cutTo(size_t length, bool atBegin, std::vector<int32_t> &ids) {
  if (length >= ids.size())
    return;
  if (atBegin)
    ids.erase(ids.begin(), ids.end() - ptrdiff_t(length));
  else
    ids.resize(length);
}

/// What is left of two texts that have `room` together, the shorter one first.
/// Where both are cut, the longer one gets the odd id.
static std::pair<size_t, size_t> sharesOf(size_t shorter, size_t room) {
  if (shorter <= room / 2)
    return {shorter, room - shorter};
  return {room / 2, room - room / 2};
}

static void truncateOne(bool isFirst, size_t excess, bool atBegin,
                        std::vector<int32_t> &ids) {
  // One id has to be left.
  if (ids.size() <= excess)
    throw Failure(std::string("cannot truncate the ") +
                  (isFirst ? "first" : "second") + " text alone: it has " +
                  std::to_string(ids.size()) + " ids, and " +
                  std::to_string(excess) + " are too many");
  cutTo(ids.size() - excess, atBegin, ids);
}

void heddle::text::truncate(const Truncation &truncation, bool atBegin,
                            size_t added, std::vector<int32_t> &first,
                            std::vector<int32_t> *second) {
  if (truncation.maximumLength == 0)
    return;
  if (truncation.maximumLength < int64_t(added))
    throw Failure("expected a maximum length of at least " +
                  std::to_string(added) +
                  ", as many special ids are added, "
                  "got " +
                  std::to_string(truncation.maximumLength));
  size_t room = size_t(truncation.maximumLength) - added;
  size_t total = first.size() + (second ? second->size() : 0);
  if (total <= room)
    return;
  if (room == 0) {
    first.clear();
    if (second)
      second->clear();
    return;
  }
  switch (truncation.strategy) {
  case TruncationStrategy::OnlyFirst:
    return truncateOne(true, total - room, atBegin, first);
  case TruncationStrategy::OnlySecond:
    if (!second)
      throw Failure("cannot truncate the second text alone: there is none");
    return truncateOne(false, total - room, atBegin, *second);
  case TruncationStrategy::LongestFirst:
    break;
  }
  if (!second)
    return cutTo(room, atBegin, first);
  bool secondIsShorter = first.size() > second->size();
  std::vector<int32_t> &shorter = secondIsShorter ? *second : first;
  std::vector<int32_t> &longer = secondIsShorter ? first : *second;
  auto [ofShorter, ofLonger] = sharesOf(shorter.size(), room);
  cutTo(ofShorter, atBegin, shorter);
  cutTo(ofLonger, atBegin, longer);
}
