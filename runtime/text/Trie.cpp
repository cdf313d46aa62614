// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Trie.h"

using namespace heddle::text;

int32_t &Trie::insert(std::string_view text, int32_t id) {
  Node node = root;
  for (uint8_t byte : text) {
    auto [child, isNew] =
        children.try_emplace(key(node, byte), Node(ids.size()));
    if (isNew)
      ids.push_back(-1);
    node = child->second;
  }
  if (ids[node] < 0)
    ids[node] = id;
  return ids[node];
}
