"""Plugins that tests write into files."""

import subprocess
import sys
from pathlib import Path


def put(folder: Path, text: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text("import headgate\n" + text)
    return file


CONTROL = """
@headgate.control("own"{options})
class Own:
    '''A control of one's own.'''
    size: float = headgate.parameter(10.0, min=1, max=100, doc="Packets of the window.")
    def on_start(self, window):
        self.window, self.calls = self.size, 0
    def on_ack(self, ack):
        self.calls += 1
{body}
"""


def control(body: str = "        pass", options: str = "") -> str:
    return CONTROL.format(body=body, options=options)


QUEUE = """
from collections import deque
@headgate.discipline("own"{options})
class Own:
    '''A discipline of one's own.'''
    limit: int = headgate.parameter(50, min=1, doc="Packets of the buffer.")
    def on_start(self):
        self.queue, self.calls = deque(), 0
    def enqueue(self, packet, cx):
        self.calls += 1
{enqueue}
    def dequeue(self, cx):
{dequeue}
"""
PUT = "        cx.drop(packet) if cx.packets >= self.limit else self.queue.append(packet)"
GET = "        return self.queue.popleft() if self.queue else None"


def queue(enqueue: str = PUT, dequeue: str = GET, options: str = "") -> str:
    return QUEUE.format(enqueue=enqueue, dequeue=dequeue, options=options)


def data(control: object = "reno", queue: object = "fcfs", **more: object) -> dict:
    flow = {"name": "own", "from": "a", "to": "b", "packet": "1500B", "control": control}
    nodes = [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}]
    links = [
        {"from": "a", "to": "g", "rate": "100Mbit/s"},
        {"name": "line", "from": "g", "to": "b", "rate": "10Mbit/s", "delay": "10ms", "queue": queue},
    ]
    return {"duration": "5s", "nodes": nodes, "links": links, "flows": [flow], **more}


def headgate_command(*words: str, cwd: Path) -> subprocess.CompletedProcess:
    code = "import sys; from headgate.cli import main; sys.argv[0] = 'headgate'; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=cwd, check=False)
