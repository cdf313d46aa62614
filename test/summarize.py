# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums up the results that `./dev test` left in a folder.

Reads NAME.xml and NAME.status (an exit status) of each GoogleTest binary,
lit.json and lit.status, and fuzz-TARGET.status of each target of libFuzzer. Prints what failed, why tests were skipped, and last
`N passed, N failed, N skipped`. Fails if a test failed or none ran.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree

LIT_PASSES = {"PASS", "FLAKYPASS", "XFAIL"}
TIMEOUT_STATUSES = {124, 137}


class Summary:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def add_google_tests(self, report_file):
        """Adds each test case of one binary."""
        root = xml.etree.ElementTree.parse(report_file).getroot()
        for case in root.iter("testcase"):
            name = f"{report_file.stem}: {case.get('classname')}.{case.get('name')}"
            skip = case.find("skipped")
            if case.find("failure") is not None:
                self.failures.append(name)
            elif skip is not None:
                # "file:line", then the reason.
                self.skips.append((name, skip.get("message").partition("\n")[2]))
            elif case.get("status") == "notrun":
                self.skips.append((name, "disabled"))
            else:
                self.passed += 1

    def add_lit_tests(self, report_file):
        """Adds each file that lit ran."""
        for test in json.loads(report_file.read_text())["tests"]:
            if test["code"] in LIT_PASSES:
                self.passed += 1
            elif test["code"] == "UNSUPPORTED":
                missing = re.search(r"unavailable features: (.*)", test["output"])
                reason = f"needs {missing[1]}" if missing else test["output"]
                self.skips.append((test["name"], reason))
            else:
                self.failures.append(f"{test['name']}: {test['code']}")

    def add_binary(self, status_file):
        """Adds a binary's report; a status that no test explains is a failure.

        lit writes no report, and succeeds, where a filter leaves no test.
        """
        name = status_file.stem
        status = int(status_file.read_text())
        failed_before = len(self.failures)
        report_file = status_file.with_suffix(".json" if name == "lit" else ".xml")
        if report_file.exists() and name == "lit":
            self.add_lit_tests(report_file)
        elif report_file.exists():
            self.add_google_tests(report_file)
        elif name.startswith("fuzz-") and status == 0:
            self.passed += 1
        elif status in TIMEOUT_STATUSES:
            self.failures.append(f"{name}: took too long")
        if status != 0 and len(self.failures) == failed_before:
            self.failures.append(f"{name}: stopped with exit status {status}")


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
    if not passed and not failed:
        print("no test passed: none has that name, or all were skipped")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
