"""Improves flow controls by chance and selection, and says what is left of it on numbers that the search did not see.

    python examples/improve.py --generations 5 --key-file secret.txt

Three kinds of controls begin with values that anybody would write down: AIMD and CUBIC, whose constants change, and a tree of rules,
whose conditions and actions change. In each generation some changed copies of the best are judged by `headgate.evaluate` on the open suite
`smoke`, and the best one stays. The best three of all, and what the search began with, are judged on the open suite `internet-1`, whose
best is what was found. Then the beginning and the find are judged on a hidden suite. The same seed gives the same controls.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headgate

AIMD = '''import headgate


@headgate.control("improved")
class Improved:
    """The window doubles until the first loss, then grows by {increase} packets a round trip; a loss leaves {decrease} of it."""

    def on_start(self, window):
        self.window, self.ceiling = window, float("inf")

    def on_ack(self, ack):
        if not ack.limited or ack.recovering:
            return
        if self.window < self.ceiling:
            self.window += ack.credit
        else:
            self.window += {increase} * ack.credit / self.window

    def on_loss(self, loss):
        self.window = self.ceiling = max(self.window * {decrease}, 2)
'''

TREE = '''import headgate


@headgate.control("improved", every="round")
class Improved:
    """The window doubles until the first loss or a long round trip; then, once a round trip, a tree of rules says what becomes of it."""

    def on_start(self, window):
        self.window, self.slow, self.least = window, True, float("inf")

    def on_ack(self, ack):
        if ack.mean_rtt is None:
            return
        self.least = min(self.least, ack.min_rtt)
        features = {{
            "delay": ack.mean_rtt / self.least,
            "loss": ack.lost / (ack.lost + ack.delivered + 1),
            "marks": ack.marks / (ack.delivered + 1),
            "window": self.window,
        }}
        if self.slow:
            self.slow = features["delay"] < {leave}
            self.window += ack.credit if ack.limited else 0
        elif ack.limited and not ack.recovering:
            factor, more = self.rule(features)
            self.window = min(max(self.window * factor + more, 2), 1e5)

    def rule(self, features):
{rules}

    def on_loss(self, loss):
        self.slow = False
        self.window = max(self.window * {decrease}, 2)
'''

#: The key of the hidden suite unless a file has another: it stands here, so that it is hidden no more.
KEY = "the key of the example, which hides nothing"

#: Where thresholds of features begin.
THRESHOLDS = {"delay": 1.5, "loss": 0.01, "marks": 0.1, "window": 50.0}

#: Genes are numbers by name; those of a tree have its root, too: `(factor, more)`, or `(feature, threshold, below, above)`.
Genes = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """What the search begins with, how a change is made, and the control that genes stand for: its text, and its parameters."""

    start: Genes
    change: Callable[[Genes, random.Random], Genes]
    control: Callable[[Genes], tuple[str, dict[str, float]]]


def moved(value: float, chance: random.Random, least: float, most: float) -> float:
    """A number near another one, in three digits."""
    return float(f"{min(max(value * 2 ** chance.gauss(0, 0.6), least), most):.3g}")


def constants(bounds: dict[str, tuple[float, float]]) -> Callable[[Genes, random.Random], Genes]:
    """Changes one of some constants."""

    def change(genes: Genes, chance: random.Random) -> Genes:
        name = chance.choice(sorted(bounds))
        return {**genes, name: moved(genes[name], chance, *bounds[name])}

    return change


def grown(node: tuple[Any, ...], chance: random.Random, depth: int = 0) -> tuple[Any, ...]:
    """A tree with one change: of a number, of a rule that becomes two, or of two that become one."""
    if len(node) == 2:
        factor, more = node
        if depth < 3 and chance.random() < 0.3:
            feature = chance.choice(sorted(THRESHOLDS))
            other = (round(chance.uniform(0.7, 1.1), 3), round(chance.uniform(0, 4), 2))
            return (feature, THRESHOLDS[feature], node, other)
        if chance.random() < 0.5:
            return (round(min(max(factor + chance.gauss(0, 0.05), 0.3), 1.5), 3), more)
        return (factor, round(min(max(more + chance.gauss(0, 1), -10), 20), 2))
    feature, threshold, below, above = node
    what = chance.random()
    if what < 0.1:
        return tuple(chance.choice([below, above]))
    if what < 0.4:
        return (feature, moved(threshold, chance, 1e-4, 1e4), below, above)
    if what < 0.7:
        return (feature, threshold, grown(below, chance, depth + 1), above)
    return (feature, threshold, below, grown(above, chance, depth + 1))


def written(node: tuple[Any, ...], depth: int = 2) -> str:
    """A tree as lines of Python."""
    indent = "    " * depth
    if len(node) == 2:
        return f"{indent}return {node[0]}, {node[1]}"
    feature, threshold, below, above = node
    return f'{indent}if features["{feature}"] < {threshold}:\n{written(below, depth + 1)}\n{written(above, depth)}'


def change_tree(genes: Genes, chance: random.Random) -> Genes:
    """Changes the tree, or one of the two constants beside it."""
    if chance.random() < 0.6:
        return {**genes, "tree": grown(genes["tree"], chance)}
    return constants({"decrease": (0.3, 0.95), "leave": (1.05, 10)})(genes, chance)


def tree(genes: Genes) -> tuple[str, dict[str, float]]:
    """The control of a tree."""
    return TREE.format(rules=written(genes["tree"]), **{k: v for k, v in genes.items() if k != "tree"}), {}


KINDS = {
    "aimd": Kind(
        {"increase": 1.0, "decrease": 0.5},
        constants({"increase": (0.01, 50), "decrease": (0.1, 0.98)}),
        lambda genes: (AIMD.format(**genes), {}),
    ),
    "cubic": Kind(
        {"c": 0.4, "beta": 0.7},
        constants({"c": (0.001, 50), "beta": (0.2, 0.98)}),
        lambda genes: (headgate.plugins.example("cubic").read_text("utf-8"), genes),
    ),
    "tree": Kind({"tree": (1.0, 1.0), "decrease": 0.5, "leave": 10.0}, change_tree, tree),
}


def judged(kind: Kind, genes: Genes, suite: str, key: str = "") -> float:
    """The score of a control. It is text of our own, so that it may run within the simulator."""
    text, parameters = kind.control(genes)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "improved.py"
        file.write_text(text, "utf-8")
        found = headgate.evaluate(file, suite, key, parameters=parameters, rounds=1, trusted=True)
    return float(found["combined_score"])


def improve(kind: Kind, generations: int, children: int, seed: int) -> tuple[list[Genes], list[float]]:
    """The best three genes on the open suite `smoke`, and the best score of each generation, the first that of the start."""
    chance = random.Random(seed)
    tried = [(judged(kind, kind.start, "smoke"), kind.start)]
    scores = [tried[0][0]]
    for _ in range(generations):
        parent = tried[0][1]
        for _ in range(children):
            child = kind.change(parent, chance)
            if chance.random() < 0.3:
                child = kind.change(child, chance)
            if all(child != genes for _, genes in tried):
                tried.append((judged(kind, child, "smoke"), child))
        tried.sort(key=lambda pair: -pair[0])
        scores.append(tried[0][0])
    return [genes for _, genes in tried[:3]], scores


def main() -> None:
    """Improves all three kinds and prints a table."""
    options = argparse.ArgumentParser(description="Improves flow controls by chance and selection.")
    options.add_argument("--generations", type=int, default=5)
    options.add_argument("--children", type=int, default=4, help="changed copies in each generation")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--key-file", type=Path, help="a file with the key of the hidden suite")
    options.add_argument("--kind", choices=sorted(KINDS), action="append", help="only this kind")
    options.add_argument("--final", default="internet-1", help="the suite at the end")
    given = options.parse_args()
    key = given.key_file.read_text("utf-8").strip() if given.key_file else KEY
    for name in given.kind or KINDS:
        kind = KINDS[name]
        best, scores = improve(kind, given.generations, given.children, given.seed)
        print(f"{name}: on smoke, open, by generation: {' '.join(f'{x:.2f}' for x in scores)}", flush=True)
        before = judged(kind, kind.start, given.final)
        finals = [(judged(kind, genes, given.final), genes) for genes in best]
        for points, genes in finals:
            print(f"  {given.final}, open: {points:.2f} for {genes}", flush=True)
        after, found = max(finals, key=lambda pair: pair[0])
        if after <= before:
            after, found = before, kind.start
        print(f"  found: {found}")
        print(f"  {given.final}, open: {before:.2f} before, {after:.2f} after, {after - before:+.2f}", flush=True)
        before, after = (judged(kind, genes, given.final, key) for genes in (kind.start, found))
        print(f"  {given.final}, hidden: {before:.2f} before, {after:.2f} after, {after - before:+.2f}", flush=True)


# Runs are made in further processes, which import this file.
if __name__ == "__main__":
    main()
