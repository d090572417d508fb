"""The tools, in the order in which a client sees them: a file each."""

from __future__ import annotations

from ..tool import Tool
from .check import CheckTool
from .evaluate import EvaluateTool
from .example import ExampleTool
from .explain import ExplainTool
from .list import ListTool
from .quick import QuickTool
from .replay import ReplayTool
from .run import RunTool
from .schema import SchemaTool

#: All tools by their names.
TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        QuickTool(),
        RunTool(),
        CheckTool(),
        ReplayTool(),
        EvaluateTool(),
        SchemaTool(),
        ExampleTool(),
        ListTool(),
        ExplainTool(),
    )
}
