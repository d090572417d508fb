"""headgate conform: whether a flow control or discipline keeps the contract."""

from __future__ import annotations

from ...cli import shared, signals
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import ReportJson, RunsJson, Shape, key


class ConformJson(ReportJson):
    """The tests and what they found."""

    file: str = key("What was tested.")
    passed: bool = key("Whether all tests passed.")
    checks: list[CheckedJson] = key("Each test.")


class CheckedJson(Shape):
    """A test."""

    plugin: str = key("The flow control or the discipline.")
    name: str = key("What the test looks at.")
    passed: bool = key("Whether it passed.")
    found: str = key("What was found if it did not.")
    traceback: str = key("The lines of the file where an exception came from.")


class ConformCommand(Command):
    """Test the flow controls and disciplines of SUBJECT as those of headgate are tested.

    SUBJECT is a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, a program as a list of its arguments, or a name of
    the list.

    They run over many paths, with losses, marks, pauses and changes of the network, with their parameters at their bounds, and twice
    with the same result. Exit code 1 if a test fails.
    """

    group = "Judge a control or a queue"
    page = "how-to/your-own-control"
    question = "does my control keep the rules of the engine?"
    examples = """\
headgate conform mine.py
headgate conform mine.py --name my_codel
headgate conform package.module:Class --json
headgate conform '["./mine", "--fast"]'
"""
    prints = {"": ConformJson, "With `--part`": RunsJson}

    subject: str = argument(metavar="SUBJECT")
    name: str = option("Test only this one of the flow controls and disciplines in the file.", "", metavar="NAME")
    out: str | None = shared.kept_in()
    resume: bool = shared.resume_there()
    workers: int | None = option(
        "Number of processes; unless given, this one alone, and one per processor for a shared object.", least=1
    )
    engine: str = shared.engine()
    address: str | None = shared.address()
    part: str | None = shared.part()
    html: str | None = shared.html()
    as_json: bool = shared.as_json("the report")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ..conformance import conform as test
            from ..frame import page
            from ..frame.judging import judging
            from ..frame.terminal import print_report

        index = page.asked(self.html, self.out if self.part is None else None, "conform", self.subject)
        with judging(self, "testing", self.out) as where:
            report = test(self.subject, self.name, **where)
        alone = {"out": None, "html": None, "resume": False, "as_json": False}
        said = report.answer(lambda plugin: line_of(self, "conform", name=plugin, **alone))
        if index is not None:
            page.write(said, index)
        everything = line_of(self, "conform", html="report.html", as_json=False)
        return print_report(said, index, everything, report.to_dict() if self.as_json else None)
