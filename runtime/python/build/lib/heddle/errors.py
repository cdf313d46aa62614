# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libraries report."""

import ctypes

from heddle import _abi


class HeddleError(RuntimeError):
    """A failure of the runtime or of the text library; `status` is a heddle_status."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


def check(function, *arguments) -> None:
    """Calls a function whose last parameter is a heddle_error."""
    error = _abi.Error()
    status = function(*arguments, ctypes.byref(error))
    if status:
        raise HeddleError(status, error.message.decode("utf-8", "replace"))
