"""Static cost of the four structures (Keshav 1991, table 3.2): instructions in the machine code of insert() and of all that it calls.

    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 cargo build --release -p headgate-bench --example code_size
    python benches/code_size.py target/release/examples/code_size

What grows memory and the standard library are left out: the thesis's C has fixed arrays. Needs objdump (binutils) and x86-64.
"""

import re
import subprocess
import sys
from dataclasses import dataclass

STRUCTURES = ("link", "tree", "heap", "perc")
#: What fills the space up to the next function.
PADDING = re.compile(r"nop|int3|cs nop|data16|xchg +%ax,%ax")


@dataclass(frozen=True)
class Function:
    """A function of the program: its name and its instructions."""

    name: str
    code: list[str]


def disassembled(program: str, *options: str) -> list[str]:
    """The output of objdump, line by line."""
    command = ["objdump", "-C", "--no-show-raw-insn", *options, program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def functions(program: str) -> dict[int, Function]:
    """Every function by its address."""
    found: dict[int, Function] = {}
    code: list[str] = []
    for line in disassembled(program, "-d"):
        if begins := re.fullmatch(r"([0-9a-f]+) <(.*)>:", line):
            code = []
            found[int(begins[1], 16)] = Function(begins[2], code)
        elif "\t" in line:
            code.append(line.split("\t")[1])
    return found


def pointers(program: str) -> dict[int, int]:
    """The table of addresses, through which other crates are called."""
    entries = (
        re.match(r"([0-9a-f]+) R_X86_64_RELATIVE +\*ABS\*\+0x([0-9a-f]+)", x) for x in disassembled(program, "-R")
    )
    return {int(m[1], 16): int(m[2], 16) for m in entries if m}


def called(line: str, through: dict[int, int]) -> int | None:
    """The address that an instruction calls, jumps to or loads from the table."""
    if direct := re.match(r"(?:call|jmp) +([0-9a-f]+) <", line):
        return int(direct[1], 16)
    place = re.search(r"# ([0-9a-f]+)", line)
    return through.get(int(place[1], 16)) if place else None


def weigh(of: dict[int, Function], through: dict[int, int], start: str) -> list[Function]:
    """A function and all of this project's that it calls, each once."""
    todo, seen = [next(a for a, f in of.items() if f.name == start)], dict[int, Function]()
    while todo:
        address = todo.pop()
        seen[address] = of[address]
        calls = {called(line, through) for line in of[address].code}
        todo += [
            a
            for a in calls - seen.keys() - {None}
            if a in of and a not in todo and re.match(r"<?headgate_queue::", of[a].name) and "::grow" not in of[a].name
        ]
    return list(seen.values())


def main() -> None:
    """Prints a row per structure."""
    of, through = functions(sys.argv[1]), pointers(sys.argv[1])
    parts = {s: weigh(of, through, f"code_size::weigh_{s}") for s in STRUCTURES}
    sizes = {s: sum(not PADDING.match(line) for f in p for line in f.code) for s, p in parts.items()}
    for s in STRUCTURES:
        inner = ", ".join(f.name.removeprefix("headgate_queue::parts::") for f in parts[s][1:])
        print(
            f"{s.upper()}: {sizes[s]} instructions, {sizes[s] / sizes['link']:.1f} times LINK's {f'({inner})' if inner else ''}"
        )


if __name__ == "__main__":
    main()
