// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds which of many texts begin at a place.

#ifndef HEDDLE_TEXT_TRIE_H
#define HEDDLE_TEXT_TRIE_H

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::text {

/// Ids of texts, by their bytes.
class Trie {
public:
  using Node = uint32_t;

  static constexpr Node root = 0;
  /// No text continues like this.
  static constexpr Node none = UINT32_MAX;
  /// Looking for a node takes about as long as so many steps of ICU's.
  static constexpr int64_t stepsPerNode = 4;

  /// The id of `text`, which is `id` unless it is in the trie already.
  int32_t &insert(std::string_view text, int32_t id);

  /// The node behind `node` and `byte`.
  Node child(Node node, uint8_t byte) const {
    auto found = children.find(key(node, byte));
    return found == children.end() ? none : found->second;
  }

  /// The id of the text that ends at `node`; -1 where none does.
  int32_t idAt(Node node) const { return ids[node]; }

private:
  static uint64_t key(Node node, uint8_t byte) {
    return uint64_t(node) << 8 | byte;
  }

  std::unordered_map<uint64_t, Node> children;
  std::vector<int32_t> ids = {-1};
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_TRIE_H
