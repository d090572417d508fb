"""`--link` of commands that read a scenario: they print the link that holds it instead of running it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..base.errors import HeadgateError
from .command import option
from .printed import Shape, key
from .show import output, print_json

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario


class LinkJson(Shape):
    """A link that holds a scenario."""

    value: str = key("The value of the option, where one has several.", always=False)
    link: str = key("The link: the address of the page, `#s=` and the scenario.")
    characters: int = key("Its length.")


def as_link() -> Any:
    """`--link`, of a command that runs a scenario."""
    return option("Print a link that holds the scenario instead of running it.", False, "--link")


def site(
    about: str = (
        "Address of the page that the link of --link opens, such as https://example.org/headgate/; without one it is #s=... alone."
    ),
) -> Any:
    """`--site`, of a command that makes links."""
    return option(about, metavar="URL", envvar="HEADGATE_SITE", show_envvar=True)


def require_page(site: str | None) -> None:
    """Whether links can lead to a page.

    Raises:
        HeadgateError: `site` is no address of one.
    """
    from ..scenario.links import link_of
    from ..scenario.scenario import Scenario

    link_of(Scenario({}), site or "")


def require_one(replications: int) -> None:
    """Whether a link can say what the command would do.

    Raises:
        HeadgateError: it would make several runs.
    """
    if replications != 1:
        raise HeadgateError(
            f"--replications: found {replications}; expected 1 with --link, which holds a scenario and no number of runs"
        )


def print_links(scenarios: dict[str, Scenario], site: str | None, as_json: bool, many: bool = False) -> None:
    """Prints the link of each scenario; of `many`, its value stands before it.

    Raises:
        HeadgateError: a scenario does not fit into a link.
        ScenarioError: something in a scenario is wrong.
    """
    from ..scenario.links import SITE, TYPED, link_of

    links = {}
    for value, scenario in scenarios.items():
        scenario.resolve()
        links[value] = link_of(scenario, site or "")
    if as_json:
        found = [{"value": v} | _of(link) if many else _of(link) for v, link in links.items()]
        print_json(found if many else found[0])
        return
    with output():
        for value, link in links.items():
            click.echo(f"{value}\t{link}" if many else link)
    longest = max(map(len, links.values()))
    if longest > TYPED:
        from .terminal import warn

        warn(
            f"the link has {longest:,} characters: browsers open it where it is clicked, but their address bars take {TYPED:,} at most"
        )
    if not (site or SITE):
        from .terminal import note

        note(
            "no page is named by --site or HEADGATE_SITE; headgate explore 'LINK' opens it, and any explorer under \"Save and share\""
        )


def _of(link: str) -> dict[str, Any]:
    return {"link": link, "characters": len(link)}
