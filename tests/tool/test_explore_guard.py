"""Who may ask the explorer: only its own page, with its token; and what no request reaches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..explorer import BASE, PORT, Page, content, scenario
from ..explorer import page as page

SERVED = [
    ("GET", "/api/start"), ("POST", "/api/controls"), ("POST", "/api/set"), ("POST", "/api/run"), ("GET", "/api/run/x/series"),
    ("GET", "/api/run/x/packets"), ("GET", "/api/run/x/packet/slow/1"), ("GET", "/api/run/x/network"),
    ("GET", "/api/run/x/export"), ("GET", "/api/run/x/rows"), ("POST", "/api/compare"), ("POST", "/api/link"), ("POST", "/api/unlink"),
    ("GET", "/api/lessons/game"), ("POST", "/api/lessons/game/answer"), ("GET", "/api/study"), ("GET", "/api/study/grid"),
    ("GET", "/api/study/variant/0"), ("GET", "/api/papers"), ("GET", "/api/papers/item"), ("GET", "/api/papers/open"),
    ("POST", "/api/papers/measure"), ("POST", "/api/papers/reproduce"), ("POST", "/api/phase"), ("GET", "/api/front"),
    ("GET", "/api/front/files"), ("POST", "/api/front/open"), ("POST", "/api/quick"),
]  # fmt: skip


def test_the_list_of_requests_is_complete(page: Page) -> None:
    paths = {r.path for r in page.explorer.app().routes if getattr(r, "path", "").startswith("/api")}
    assert len(paths) == len(SERVED)


@pytest.mark.parametrize(("method", "path"), SERVED)
@pytest.mark.parametrize(
    "wrong",
    [
        {"X-Headgate-Token": ""},
        {"X-Headgate-Token": "wrong"},
        {"X-Headgate-Token": "ü".encode().decode("latin-1")},
        {"Host": "evil.example"},
        {"Host": f"evil.example:{PORT}"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_strangers_get_nothing(page: Page, method: str, path: str, wrong: dict[str, str]) -> None:
    answer = page.client.request(method, path, wrong, b"{}")
    assert answer.status_code == 403
    assert set(answer.json()) == {"error"}
    # Else it waits for a next request, as those of pages do, of which only so many may.
    assert answer.headers["connection"] == "close"


def test_without_a_token_there_is_nothing(page: Page) -> None:
    del page.client.headers["X-Headgate-Token"]
    assert page.get("/api/start").status_code == 403
    assert page.get("/api/start", t="wrong").status_code == 403
    answer = page.get("/api/start", t=page.explorer.token)
    assert answer.status_code == 200 and "connection" not in answer.headers


def test_its_own_page_may_ask(page: Page) -> None:
    for origin in (BASE, f"http://localhost:{PORT}"):
        headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
        assert page.get("/api/start", headers=headers).status_code == 200
    assert page.get("/api/start", headers={"Host": f"localhost:{PORT}"}).status_code == 200


def test_the_page_needs_no_token_after_a_reload_but_refuses_a_wrong_one(page: Page) -> None:
    del page.client.headers["X-Headgate-Token"]
    assert page.get("/", t="wrong").status_code == 403
    assert page.get("/").status_code in (200, 500)
    assert page.get("/", headers={"Host": "evil.example"}).status_code == 403


def test_every_answer_forbids_scripts_from_elsewhere(page: Page) -> None:
    for answer in (page.get("/"), page.get("/api/start"), page.get("/nothing"), page.get("/api/start", t="x")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../server.py", "/assets/%2e%2e/server.py", "/assets/..%2fserver.py", "/assets/%2e%2e%2f%2e%2e%2fscenario.py",
        "/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/assets/....//server.py", "/assets/..%5cserver.py", "/assets/", "/../wire.py",
        "/assets/%00", "/assets/index.html%00.js",
    ],
)  # fmt: skip
def test_no_file_outside_the_folder_is_read(page: Page, path: str) -> None:
    answer = page.get(path)
    assert answer.status_code in (404, 405), (path, answer.text[:200])
    assert "import" not in answer.text
    assert "root:" not in answer.text


def test_a_link_in_the_folder_leads_nowhere(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "assets/out.js").symlink_to(tmp_path / "secret")
    (tmp_path / "assets/in.js").write_text("inside")
    monkeypatch.setattr("headgate.explore.server.STATIC", tmp_path)
    page = Page()
    assert page.get("/assets/in.js").text == "inside"
    assert page.get("/assets/out.js").status_code == 404


SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def test_names_full_of_markup_come_back_as_data() -> None:
    given = scenario(name=SCRIPT, description=SCRIPT)
    given["flows"][0]["name"] = SCRIPT
    given["links"][1]["name"] = SCRIPT
    given["nodes"][0]["name"] = given["links"][0]["from"] = SCRIPT
    for flow in given["flows"]:
        flow["from"] = SCRIPT
    page = Page(content())
    answer = page.post("/api/run", {"scenario": given, "seed": None, "tab": "x"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    done = json.loads(answer.text.splitlines()[-1])["done"]
    assert done["flows"][0]["name"] == SCRIPT
    assert done["ports"][0]["name"] == SCRIPT
    answer = page.post("/api/controls", {"scenario": given})
    assert answer.headers["content-type"] == "application/json"
    assert any(SCRIPT[:20] in c["label"] for c in answer.json()["controls"])
    found = page.get(f"/api/run/{done['run']}/packets", port=SCRIPT, limit=1).json()["packets"]
    assert found[0]["flow"] == SCRIPT
    for form in ("toml", "csv", "parquet", "python"):
        answer = page.get(f"/api/run/{done['run']}/export", form=form)
        assert "html" not in answer.headers["content-type"]
        name = answer.headers["content-disposition"]
        assert name.startswith("attachment; filename=")
        assert not set("<>'&\n") & set(name)
    fault = page.post("/api/set", {"scenario": given, "path": f"links.{SCRIPT}", "value": 1})
    assert fault.status_code == 422
    assert fault.headers["content-type"] == "application/json"


def test_long_and_wrong_bodies_are_refused(page: Page) -> None:
    for text, status in [
        (b"x" * 8_000_001, 413), (b"", 400), (b"[" * 100_000, 400), (b"[]", 400), (b"{}", 400), (b'{"scenario": []}', 400),
        (b'{"scenario": {"a": ' + b'{"a":' * 60 + b"1" + b"}" * 61 + b"}", 422), (b'{"scenario": {"duration": NaN}}', 422),
        (b'{"scenario": {}}', 422), (b"\xff\xfe", 400),
    ]:  # fmt: skip
        answer = page.client.request("POST", "/api/controls", content=text)
        assert answer.status_code == status, (text[:50], answer.text[:300])
        assert len(answer.json()["error"]["message"]) < 1000


def test_errors_of_a_scenario_name_the_place(page: Page) -> None:
    answer = page.post("/api/set", {"scenario": scenario(), "path": "links.slow.rate", "value": "fast"})
    assert answer.status_code == 422
    assert answer.json()["error"]["path"] == "links[1].rate"
    assert "fast" in answer.json()["error"]["message"]
    last = page.lines("/api/run", {"scenario": scenario(duration="soon"), "seed": None, "tab": "x"})[-1]
    assert last["error"]["path"] == "duration"
