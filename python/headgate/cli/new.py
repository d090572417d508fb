"""headgate new: the beginning of a flow control or a discipline of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from ..base.errors import HeadgateError, cut

#: The files that are written, of each kind: the template, and the file's name.
_FILES = {
    ("control", False): {"control.py.txt": "{name}.py"},
    ("discipline", False): {"discipline.py.txt": "{name}.py"},
    ("control", True): {"Cargo.toml.txt": "{name}/Cargo.toml", "lib.rs.txt": "{name}/src/lib.rs"},
}


@click.command(
    epilog="""\b
Examples:
  headgate new control mine
  headgate new discipline mine
  headgate new control mine --rust
  headgate new control mine --out plugins --force"""
)
@click.argument("kind", type=click.Choice(["control", "discipline"]))
@click.argument("name")
@click.option(
    "--python", "language", flag_value="python", default="python", help="A file in Python; this is the default."
)
@click.option(
    "--rust", "language", flag_value="rust", help="A crate in Rust that makes a shared object; for a control."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for what is written; the current one unless given.",
)
@click.option("--force", is_flag=True, help="Overwrite files.")
def new(kind: str, name: str, language: str, out: Path | None, force: bool) -> None:
    """Write the beginning of a flow control or a discipline called NAME, which runs as it is and is to be changed."""
    from ..base.atomic import write_text
    from ..base.catalogue import is_own

    if not (name.isidentifier() and name.isascii() and name == name.lower() and len(name) <= 64):
        raise HeadgateError(
            f"NAME: found {cut(repr(name))}; expected lower-case letters, digits and underscores, and no digit first"
        )
    if is_own(name, kind):
        raise HeadgateError(f"NAME: found {cut(repr(name))}; expected one that no {kind} of headgate has")
    rust = language == "rust"
    if (kind, rust) not in _FILES:
        raise HeadgateError("--rust: expected a control; disciplines of one's own are in Python")
    folder = out or Path()
    crate, made = name.replace("_", "-"), f"lib{name}.so"
    words = {
        "NAME": name,
        "FILE": f"{name}/target/release/{made}" if rust else f"{name}.py",
        "CRATE": crate,
        "CLASS": "".join(part.capitalize() for part in name.split("_")),
    }
    templates = Path(__file__).parent.parent / "plugins" / "templates"
    files = {
        folder / file.format(name=name): (templates / template).read_text("utf-8")
        for template, file in _FILES[kind, rust].items()
    }
    for file in files:
        if file.exists() and not force:
            raise HeadgateError(f"{file}: there is such a file; expected none, or --force")
    for file, text in files.items():
        write_text(file, _filled(text, words))
        click.echo(f"wrote {file}")
    if rust:
        click.echo(f"Build it:  cargo build --release --manifest-path {folder / name / 'Cargo.toml'}")
    key = "control" if kind == "control" else "queue"
    click.echo(f'Use it in a scenario:  plugins = ["{words["FILE"]}"] and {key} = "{name}"')


def _filled(text: str, words: dict[str, str]) -> str:
    """A template with its words: in Rust, NAME is also the name of a constant."""
    import re

    text = text.replace('c"NAME"', f'c"{words["NAME"]}"')
    return re.sub(r"\b(NAME|FILE|CRATE|CLASS)\b(?!\s*:\s*&CStr|\.as_ptr)", lambda m: words[m[0]], text)
