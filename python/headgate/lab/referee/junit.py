"""Verdicts as JUnit XML, which continuous integration reads."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from .report import CaseVerdict, RefereeReport, sentence

#: Characters that XML 1.0 does not have.
_NONE_OF_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(report: RefereeReport) -> str:
    """The document: a suite for each family, a test for each verdict. What is compared or reported only cannot fail.

    `open` and `n/a` are skipped tests, `invalid` is an error.
    """
    root = ET.Element("testsuites", name=_clean(f"headgate referee {report.subject}"))
    for family, cases in report.families():
        entries = [entry for case in cases for entry in report.of(case.name)]
        counted = {kind: sum(_kind(entry) == kind for entry in entries) for kind in ("failure", "error", "skipped")}
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_clean(family or "cases"),
            tests=str(len(entries)),
            failures=str(counted["failure"]),
            errors=str(counted["error"]),
            skipped=str(counted["skipped"]),
        )
        for entry in entries:
            name = " ".join(part for part in (entry.kind, entry.key, f"({entry.place})" if entry.place else "") if part)
            test = ET.SubElement(suite, "testcase", classname=_clean(f"{family}.{entry.case}"), name=_clean(name))
            if kind := _kind(entry):
                ET.SubElement(test, kind, message=_clean(sentence(entry)))
            elif entry.kind != "report":
                ET.SubElement(test, "system-out").text = _clean(sentence(entry))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _kind(entry: CaseVerdict) -> str:
    return {"fail": "failure", "invalid": "error", "open": "skipped", "n/a": "skipped"}.get(entry.verdict, "")


def _clean(words: str) -> str:
    return _NONE_OF_XML.sub("?", words)
