#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# failing_calls.sh ARGUMENT...: runs ./failing with these once for each request of the stand-in
# for a driver, which fails. Each run says what has failed, or does without; none leaves anything
# of the driver's, unless its context is lost ($LOST), or of the host's, which the program's
# sanitizers look at.
set -euo pipefail
failed=0 survived=0
for ((at = 1;; ++at)); do
  status=0
  FAIL_AT=$at ./failing "$@" > message 2> log || status=$?
  if [[ $status -gt 1 ]]; then
    echo "request $at ends the program with $status:"
    cat message log
    exit 1
  fi
  if [[ -z ${LOST-} ]]; then
    grep -qx "left: 0 allocations, 0 streams, 0 modules, 0 contexts, 0 graphs" log || {
      echo "request $at:"
      cat message log
      exit 1
    }
  fi
  if [[ $(grep -c "^c[ul][A-Z]" log) -lt $at ]]; then # there are no more requests
    break
  elif [[ $status == 1 ]]; then
    cat message >> messages
    failed=$((failed + 1))
  else
    survived=$((survived + 1))
  fi
done
echo "$failed failures were told, $survived did not matter"
