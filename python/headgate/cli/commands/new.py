"""headgate new: the beginning of a flow control or a discipline of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from ...base.errors import HeadgateError, cut
from ..command import Command, argument, made, option

#: The files that are written, of each kind: the template, and the file's name.
_FILES = {
    ("control", False): {"control.py.txt": "{name}.py"},
    ("discipline", False): {"discipline.py.txt": "{name}.py"},
    ("control", True): {"Cargo.toml.txt": "{name}/Cargo.toml", "lib.rs.txt": "{name}/src/lib.rs"},
}


class NewCommand(Command):
    """Write the beginning of a flow control or a discipline called NAME, which runs as it is and is to be changed."""

    group = "Write your own"
    at_once = True
    page = "how-to/your-own-control"
    examples = """\
headgate new control mine
headgate new discipline mine
headgate new control mine --rust
headgate new control mine --out plugins --force
"""

    kind: str = argument(choices=["control", "discipline"])
    name: str = argument()
    language: str = made(
        click.Option(
            ["--python", "language"],
            flag_value="python",
            default="python",
            help="A file in Python; this is the default.",
        ),
        click.Option(
            ["--rust", "language"], flag_value="rust", help="A crate in Rust that makes a shared object; for a control."
        ),
    )
    out: Path | None = option("Folder for the new files; the current one unless given.", metavar="DIR")
    force: bool = option("Overwrite files.")

    def run(self) -> None:
        from ...base.atomic import write_text
        from ...base.catalogue import is_own

        if not (
            self.name.isidentifier() and self.name.isascii() and self.name == self.name.lower() and len(self.name) <= 64
        ):
            raise HeadgateError(
                f"NAME: found {cut(repr(self.name))}; expected lower-case letters, digits and underscores, and no digit first"
            )
        if is_own(self.name, self.kind):
            raise HeadgateError(f"NAME: found {cut(repr(self.name))}; expected one that no {self.kind} of headgate has")
        rust = self.language == "rust"
        if (self.kind, rust) not in _FILES:
            raise HeadgateError("--rust: expected a control; disciplines of one's own are in Python")
        folder = self.out or Path()
        crate, made = self.name.replace("_", "-"), f"lib{self.name}.so"
        words = {
            "NAME": self.name,
            "FILE": f"{self.name}/target/release/{made}" if rust else f"{self.name}.py",
            "CRATE": crate,
            "CLASS": "".join(part.capitalize() for part in self.name.split("_")),
        }
        templates = Path(__file__).parents[2] / "plugins" / "templates"
        files = {
            folder / file.format(name=self.name): (templates / template).read_text("utf-8")
            for template, file in _FILES[self.kind, rust].items()
        }
        for file in files:
            if file.exists() and not self.force:
                raise HeadgateError(f"{file}: there is such a file; expected none, or --force")
        for file, text in files.items():
            write_text(file, _filled(text, words))
            click.echo(f"wrote {file}")
        if rust:
            click.echo(f"Build it:  cargo build --release --manifest-path {folder / self.name / 'Cargo.toml'}")
        key = "control" if self.kind == "control" else "queue"
        click.echo(f'Use it in a scenario:  plugins = ["{words["FILE"]}"] and {key} = "{self.name}"')


def _filled(text: str, words: dict[str, str]) -> str:
    """A template with its words: in Rust, NAME is also the name of a constant."""
    import re

    text = text.replace('c"NAME"', f'c"{words["NAME"]}"')
    return re.sub(r"\b(NAME|FILE|CRATE|CLASS)\b(?!\s*:\s*&CStr|\.as_ptr)", lambda m: words[m[0]], text)
