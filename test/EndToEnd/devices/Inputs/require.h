/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The end of a test program where a call of the runtime fails. */
#ifndef HEDDLE_TEST_REQUIRE_H
#define HEDDLE_TEST_REQUIRE_H

#include "heddle.h"

#include <stdio.h>
#include <stdlib.h>

static heddle_error error; /* of the last call */

static void require(heddle_status status) {
  if (status == HEDDLE_OK)
    return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

#endif /* HEDDLE_TEST_REQUIRE_H */
