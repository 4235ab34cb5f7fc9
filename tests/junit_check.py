#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is FILE what both schemas of JUnit's XML accept: that of Ant's files (JUnit.xsd, github.com/windyroad/JUnit-Schema), and
that of Jenkins (junit-10.xsd of its xUnit plug-in)? Where they differ, the narrower one counts. And do the counts add up?"""

import re
import sys
import xml.etree.ElementTree

TOKEN = r"\S+( \S+)*"
SECONDS = r"[0-9]+(\.[0-9]+)?"
SUITE = {"id": r"[0-9]+", "package": TOKEN, "name": TOKEN, "tests": r"[0-9]+", "failures": r"[0-9]+", "errors": r"[0-9]+",
         "skipped": r"[0-9]+", "time": SECONDS, "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "hostname": TOKEN}
CASE = {"name": TOKEN, "classname": TOKEN, "time": SECONDS}
OUTCOMES = {"failure": {"message": r"(?s).*", "type": r".*"}, "skipped": {"message": r"(?s).*"}}


def wrong(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def check(element, tag, attributes):
    if element.tag != tag:
        wrong(f"<{element.tag}> where <{tag}> belongs")
    for name in set(attributes) ^ set(element.attrib):
        wrong(f"<{tag}> {'has' if name in element.attrib else 'lacks'} '{name}'")
    for name, value in element.attrib.items():
        if not re.fullmatch(attributes[name], value):
            wrong(f"<{tag} {name}=\"{value}\">")


root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
check(root, "testsuites", {})
for number, suite in enumerate(root):
    check(suite, "testsuite", SUITE)
    properties, *cases, out, err = suite
    check(properties, "properties", {})
    for item in properties:
        check(item, "property", {"name": TOKEN, "value": r".*"})
    counts = {"failure": 0, "skipped": 0}
    for case in cases:
        check(case, "testcase", CASE)
        if len(case) > 1:
            wrong(f"{case.get('name')} ended more than once")
        for outcome in case:
            check(outcome, outcome.tag if outcome.tag in OUTCOMES else "failure", OUTCOMES.get(outcome.tag, {}))
            counts[outcome.tag] += 1
    check(out, "system-out", {})
    check(err, "system-err", {})
    stated = [int(suite.get(name)) for name in ("id", "tests", "failures", "skipped", "errors")]
    if stated != [number, len(cases), counts["failure"], counts["skipped"], 0]:
        wrong(f"{suite.get('name')} states {stated}, and has {len(cases)} cases, {counts}")
