# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums up the results that `./dev test` left in a folder.

Reads NAME.json and NAME.status (an exit status) of each GoogleTest binary, and
lit.json and lit.status. Prints what failed, why tests were skipped, and last
`N passed, N failed, N skipped`. Fails if a test failed or none ran.
"""

import json
import pathlib
import re
import sys

LIT_PASSES = {"PASS", "FLAKYPASS", "XFAIL"}
TIMEOUT_STATUSES = {124, 137}


class Summary:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def add_google_tests(self, name, report):
        for suite in report.get("testsuites", []):
            for case in suite["testsuite"]:
                full_name = f"{name}: {suite['name']}.{case['name']}"
                if "failures" in case:
                    self.failures.append(full_name)
                elif case["result"] == "SKIPPED":
                    # "file:line\nreason"
                    message = case["skipped"][0]["message"] if "skipped" in case else ""
                    self.skips.append((full_name, message.partition("\n")[2]))
                elif case["status"] == "NOTRUN":
                    self.skips.append((full_name, "disabled"))
                else:
                    self.passed += 1

    def add_lit_tests(self, report):
        for test in report["tests"]:
            if test["code"] in LIT_PASSES:
                self.passed += 1
            elif test["code"] == "UNSUPPORTED":
                missing = re.search(r"unavailable features: (.*)", test["output"])
                reason = f"needs {missing[1]}" if missing else test["output"]
                self.skips.append((test["name"], reason))
            else:
                self.failures.append(f"{test['name']}: {test['code']}")

    def add_binary(self, status_file):
        """Adds a binary's report; a status that no test explains is a failure."""
        name = status_file.stem
        status = int(status_file.read_text())
        failed_before = len(self.failures)
        report_file = status_file.with_suffix(".json")
        try:
            report = json.loads(report_file.read_text())
        except (OSError, ValueError):
            report = None
        if report and name == "lit":
            self.add_lit_tests(report)
        elif report:
            self.add_google_tests(name, report)
        if not report or (status != 0 and len(self.failures) == failed_before):
            what = "ran too long" if status in TIMEOUT_STATUSES else "crashed or stopped"
            self.failures.append(f"{name}: {what}, exit status {status}")


def main(folder):
    summary = Summary()
    for path in sorted(folder.glob("*.status")):
        summary.add_binary(path)
    for path in sorted(folder.glob("*.failed")):
        summary.failures.append(path.read_text().strip())

    print("----")
    for name, reason in summary.skips:
        print(f"SKIPPED: {name}: {' '.join(reason.split())}")
    for name in summary.failures:
        print(f"FAILED: {name}")
    passed, failed, skipped = summary.passed, len(summary.failures), len(summary.skips)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
