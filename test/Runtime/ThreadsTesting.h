// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_RUNTIME_THREADSTESTING_H
#define HEDDLE_TEST_RUNTIME_THREADSTESTING_H

#include "runtime/heddle.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace threads_testing {

struct Destroy {
  void operator()(heddle_threads *pool) const { heddle_threads_destroy(pool); }
};
using Pool = std::unique_ptr<heddle_threads, Destroy>;

inline Pool makePool(int count) {
  heddle_threads *pool = nullptr;
  heddle_error error = {};
  EXPECT_EQ(heddle_threads_create(count, nullptr, &pool, &error), HEDDLE_OK)
      << error.message;
  EXPECT_EQ(error.status, HEDDLE_OK);
  return Pool(pool);
}

using Body = std::function<int(int32_t)>;

inline int parallelFor(heddle_threads *pool, int32_t first, int32_t count,
                       const Body &body) {
  auto task = [](void *context, int32_t index, uint8_t *) {
    return (*static_cast<const Body *>(context))(index);
  };
  return heddle_threads_parallel_for(pool, task, const_cast<Body *>(&body),
                                     first, count, nullptr);
}

} // namespace threads_testing

#endif // HEDDLE_TEST_RUNTIME_THREADSTESTING_H
