"""Makes the page of attacks again: `python docs/attacks.py [known] [breaks] [NAME ...]`, from the root of a checkout.

`known` searches for the breaks of the literature, and `breaks` for some of every flow control and queue, or of those that are named; both
unless one is named. What was found is kept in docs/_evidence/attacks.json, and each break as docs/_evidence/breaks/NAME.toml, both
out of git (docs/evidence.py). Those that docs/attacks.toml names stand in docs/breaks, with a picture. With `--write` only these and the
page are written; with `--check` it fails if they are not those of what was found, or if what was asked is not what would be asked today.
"""

from __future__ import annotations

import json
import statistics
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import evidence

ROOT = Path(__file__).parent.parent
FOUND, ALL = "attacks.json", "breaks"
PAGE = ROOT / "docs/_generated/attacks.md"
CHOSEN = ROOT / "docs/attacks.toml"
BREAKS = ROOT / "docs/breaks"
MADE = evidence.FOLDER / ALL

CONTROLS = ["reno", "cubic", "cubic_linux", "bbr1", "bbr3", "dctcp", "prague", "vegas", "ledbat", "ledbat_plus_plus", "copa",
            "swift", "timely", "vivace", "allegro", "scream", "packet_pair", "pp_cth"]  # fmt: skip
QUEUES = [
    "fcfs",
    "red",
    "codel",
    "pie",
    "fq_codel",
    "fq_pie",
    "cake",
    "dualpi2",
    "linux_fq",
    "drr",
    "fq",
    "csfq",
    "sfb",
    "choke",
]

#: What is looked for.
OBJECTIVES = {"control": ("goodput", "share", "loss", "delay"), "queue": ("victim-delay", "wrong-drops", "unfairness")}

#: What is compared on the breaks of the literature.
ARMS = ("search", "random")

#: The goal: so many breaks that the search finds with most seeds, and drawing at random with at most half as many.
GOAL = 6

#: What a row of a known break has of its criteria.
CRITERIA = ("source", "objective", "severity")

#: Candidates of each search, and breaks after which it ends.
CANDIDATES, FINDINGS = 300, 1


def search_known(kept: dict[str, Any], names: list[str]) -> None:
    """Searches for the breaks of the literature, by search and at random, with each seed."""
    from known_breaks import KNOWN, RUNS, SEEDS, find

    from headgate.lab.attacks.sentences import sentence

    kept["budget"] = {"runs": RUNS, "seeds": list(SEEDS)}
    for known in KNOWN:
        if names and known.name not in names:
            continue
        row: dict[str, Any] = {"source": known.source, "what": known.what, "severity": known.severity}
        row |= {"objective": known.objective, "search": {}, "random": {}}
        for seed in SEEDS:
            for arm in ARMS:
                made = find(known, arm == "random", seed=seed, workers=0)
                row[arm][str(seed)] = {
                    "found": made.found is not None,
                    "after": None if made.found is None else made.found.runs,
                    "sentence": "" if made.found is None else sentence(made.result.at, made.found),
                    "others": len(made.result.findings) - (made.found is not None),
                    "candidates": made.result.candidates,
                    "runs": made.result.runs,
                    "cpu_s": round(made.result.cpu_s, 1),
                }
                print(known.name, seed, arm, row[arm][str(seed)], flush=True)
        kept["known"][known.name] = row
        keep(kept)


def search_breaks(kept: dict[str, Any], names: list[str]) -> None:
    """Searches for breaks of all controls and queues."""
    from headgate.base.atomic import write_text
    from headgate.lab.attacks import Budget, attack
    from headgate.lab.attacks.break_runs import told
    from headgate.lab.attacks.outputs import file_of
    from headgate.lab.attacks.sentences import sentence
    from headgate.lab.frame.subjects import named

    for judges, subjects in (("control", CONTROLS), ("queue", QUEUES)):
        for subject in subjects:
            if names and subject not in names:
                continue
            scheme = named(subject, "control" if judges == "control" else "aqm")
            for file in MADE.glob(f"{subject}-*.toml"):
                file.unlink()
            kept["breaks"] = {k: v for k, v in kept["breaks"].items() if v["subject"] != subject}
            for objective in OBJECTIVES[judges]:
                result = attack(
                    scheme if judges == "control" else None, None if judges == "control" else scheme, objective_name=objective,
                    budget=Budget(CANDIDATES, findings=FINDINGS),
                )  # fmt: skip
                kept["searches"][f"{subject} {objective}"] = {
                    "candidates": result.candidates,
                    "runs": result.runs,
                    "cpu_s": round(result.cpu_s, 1),
                    "found": len(result.findings),
                }
                for number, finding in enumerate(result.findings, 1):
                    stem = f"{subject}-{objective}-{number}"
                    write_text(
                        MADE / f"{stem}.toml",
                        file_of(result, finding, told(result.at, finding, result.references), stem),
                    )
                    kept["breaks"][stem] = {
                        "subject": subject,
                        "judges": judges,
                        "objective": objective,
                        "sentence": sentence(result.at, finding),
                        "value": finding.value,
                        "references": finding.references,
                        "genome": asdict(finding.candidate),
                        "active": list(finding.active),
                        "failed": finding.failed,
                        "limit": result.limit,
                    }
                print(subject, objective, len(result.findings), flush=True)
            keep(kept)


def keep(kept: dict[str, Any]) -> None:
    """Writes what was found, one entry a line."""
    text = json.dumps(kept, separators=(",", ":"), sort_keys=True).replace('},"', '},\n"')
    evidence.keep(FOUND, text + "\n")


def known_part(kept: dict[str, Any]) -> list[str]:
    """The lines of the page on the breaks of the literature."""
    known, budget = kept["known"], kept["budget"]
    seeds = len(budget["seeds"])
    lines = ["## Known breaks, found again", ""]
    lines += [_row(["break", "source", "search", "at random", "CPU s, search and random", "goal"]), _row(["---"] * 6)]
    for name, row in known.items():
        cpu = ", ".join(f"{sum(made['cpu_s'] for made in row[arm].values()) / seeds:.0f}" for arm in ARMS)
        told = [_times(row[arm]) for arm in ARMS]
        lines.append(_row([name, row["source"], *told, cpu, "met" if _met(row) else "missed"]))
    met = sum(map(_met, known.values()))
    found = [sum(made["found"] for row in known.values() for made in row[arm].values()) for arm in ARMS]
    pairs = [
        tuple(row[arm][seed]["found"] for arm in ARMS) for row in known.values() for seed in map(str, budget["seeds"])
    ]
    lines += [
        "",
        f"Each cell says with how many of {seeds} seeds the break was found, and the median number of runs until then, of these seeds. "
        f"A search ends after {budget['runs']:,} runs. The goal of a break: the search finds it with at least two of three seeds, and "
        f"drawing at random with at most half as many. It was met for {met} of {len(known)} breaks, and {GOAL} were wanted: the goal of "
        f"the whole is {'met' if met >= GOAL else 'missed'}. Together the search found {found[0]} of {len(pairs)}, drawing at "
        f"random {found[1]}; {pairs.count((True, False))} were found by the search alone, {pairs.count((False, True))} by drawing at "
        "random alone.",
        "",
    ]
    for name, row in known.items():
        first = next((made["sentence"] for made in row["search"].values() if made["found"]), "not found.")
        lines.append(f"- **{name}**. {row['what']} {row['severity']} Found: {first}")
    return lines


def _found(made: dict[str, Any]) -> int:
    return sum(own["found"] for own in made.values())


def _met(row: dict[str, Any]) -> bool:
    """Whether the search finds a break with most seeds, and drawing at random with at most half as many."""
    by_search, at_random = (_found(row[arm]) for arm in ARMS)
    return 3 * by_search >= 2 * len(row["search"]) and 2 * at_random <= by_search


def _times(made: dict[str, Any]) -> str:
    """With how many seeds a break was found, and after how many runs."""
    after = [own["after"] for own in made.values() if own["found"]]
    runs = f", after {statistics.median_low(after):,} runs" if after else ""
    return f"{len(after)} of {len(made)}{runs}"


def page(kept: dict[str, Any]) -> str:
    """The page's tables and pictures."""
    chosen = tomllib.loads(CHOSEN.read_text("utf-8")) if CHOSEN.exists() else {}
    lines = ["<!-- Generated by docs/attacks.py; do not edit. -->", "", *known_part(kept)]
    lines += ["", "## The most instructive ones", ""]
    for number, (stem, words) in enumerate(chosen.items(), 1):
        lines += [f"### {number}. {words['title']}", "", kept["breaks"][stem]["sentence"], "", words["why"], ""]
        lines += [f"![{words['title']}: goodput and waiting times against time](breaks/{stem}.svg)", ""]
        lines += [f"`headgate explore docs/breaks/{stem}.toml`", ""]
    lines += ["## All breaks", ""]
    for subject in dict.fromkeys(b["subject"] for b in kept["breaks"].values()):
        lines += [f"### `{subject}`", ""]
        own = {stem: b for stem, b in kept["breaks"].items() if b["subject"] == subject}
        lines += [
            f"- {_link(stem) if stem in chosen else f'`{stem}`'}: {b['sentence'].removeprefix(subject + ': ')}"
            for stem, b in own.items()
        ] + [""]
    none = [name for name, made in kept["searches"].items() if not made["found"]]
    lines += [
        "Nothing was found in these searches, which says nothing of what was not tried: "
        + ", ".join(f"`{n}`" for n in none)
        + "."
    ]
    total = [sum(s[key] for s in kept["searches"].values()) for key in ("candidates", "runs", "cpu_s")]
    lines += [
        "",
        f"All searches together: {total[0]:,} candidates, {total[1]:,} runs, {total[2] / 60:.0f} minutes of processor time.",
    ]
    return "\n".join(lines) + "\n"


def _link(stem: str) -> str:
    return f"[`{stem}`](breaks/{stem}.toml)"


def shown() -> dict[Path, str]:
    """The breaks that stand in docs/breaks."""
    return {
        BREAKS / f"{stem}.toml": (MADE / f"{stem}.toml").read_text("utf-8")
        for stem in tomllib.loads(CHOSEN.read_text("utf-8"))
    }


def asked(kept: dict[str, Any]) -> dict[str, Any]:
    """What was asked: the criteria of the literature's breaks, and the searches."""
    return {
        **{f"known: {name}": [row[key] for key in CRITERIA] for name, row in kept["known"].items()},
        "budget": kept["budget"],
        "searches": sorted(kept["searches"]),
    }


def today() -> dict[str, Any]:
    """The same as it would be asked."""
    from known_breaks import KNOWN, RUNS, SEEDS

    subjects = (("control", CONTROLS), ("queue", QUEUES))
    return asked({
        "known": {known.name: {key: getattr(known, key) for key in CRITERIA} for known in KNOWN},
        "budget": {"runs": RUNS, "seeds": list(SEEDS)},
        "searches": [f"{subject} {objective}" for judges, names in subjects for subject in names for objective in OBJECTIVES[judges]],
    })  # fmt: skip


def check() -> str:
    """What is not as it was found; nothing if all is."""
    return (
        evidence.check(FOUND, today(), lambda kept: {PAGE: page(kept)}, "docs/attacks.py")
        or evidence.check(ALL, {}, lambda _: shown(), "docs/attacks.py")
    )  # fmt: skip


def pictures(kept: dict[str, Any]) -> None:
    """Draws those of the chosen breaks."""
    from headgate.lab.attacks.break_runs import told
    from headgate.lab.attacks.finding import FoundBreak
    from headgate.lab.attacks.genome import Candidate
    from headgate.lab.attacks.judge import CandidateScore
    from headgate.lab.attacks.picture import draw
    from headgate.lab.attacks.run import setting
    from headgate.lab.frame.subjects import Judged, named

    for stem in tomllib.loads(CHOSEN.read_text("utf-8")) if CHOSEN.exists() else {}:
        row = kept["breaks"][stem]
        scheme = named(row["subject"], "control" if row["judges"] == "control" else "aqm")
        at = setting(
            scheme if row["judges"] == "control" else None,
            None if row["judges"] == "control" else scheme,
            row["objective"],
        )
        genome = row["genome"]
        c = Candidate(genome["numbers"], genome["queue"], genome["pattern"], tuple(genome["times"]))
        scores = [0.0] * row["failed"] + [-1.0] * (10 - row["failed"])
        finding = FoundBreak(
            c, tuple(row["active"]), tuple(CandidateScore(s, row["value"], row["references"]) for s in scores), c, 0
        )
        others = [Judged(name, {"kind": name}) for name in row["references"]]
        draw(at, finding, told(at, finding, others)).save(BREAKS / f"{stem}.svg")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Searches, writes or checks."""
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    words = [word for word in sys.argv[1:] if word not in options]
    what = {word for word in words if word in ("known", "breaks")} or {"known", "breaks"}
    names = [word for word in words if word not in what]
    empty: dict[str, Any] = {"known": {}, "breaks": {}, "searches": {}, "budget": {"runs": 0, "seeds": []}}
    if "--check" in options:
        if wrong := check():
            print(f"docs/attacks.py: {wrong}", file=sys.stderr)
        return int(bool(wrong))
    kept = evidence.read(FOUND, alone=not words and "--write" not in options) or empty
    MADE.mkdir(parents=True, exist_ok=True)
    if "--write" not in options:
        if "known" in what:
            search_known(kept, names)
        if "breaks" in what:
            search_breaks(kept, names)
    PAGE.write_text(page(kept), "utf-8")
    for file in BREAKS.glob("*"):
        file.unlink()
    for path, text in shown().items():
        path.write_text(text, "utf-8")
    pictures(kept)
    evidence.wrote(FOUND, asked(kept), [PAGE], CHOSEN)
    evidence.wrote(ALL, {}, shown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
