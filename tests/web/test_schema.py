"""The API by its own description: whatever is sent, no answer is a fault of the server; problems are told as such."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from web.harness import Player, quick_passwords, seated, serving, with_caravans

EXAMPLES = 12
SKIPPED = {"follow_table", "sign_out", "sign_out_everywhere"}
"""a stream has no end; whoever signs out could not go on"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Player, str]]:
    """Somebody at a table."""
    with pytest.MonkeyPatch.context() as patch:
        quick_passwords(patch)
        with_caravans(patch)
        folder: Path = tmp_path_factory.mktemp("schema")
        with serving(folder / "foedus.db") as server:
            anna = server.person("Anna")
            yield anna, seated(server, anna, {"SA": anna, "SB": anna})


def test_nothing_that_is_sent_breaks_the_server(there: tuple[Player, str]) -> None:
    player, table = there
    schema: Any = schemathesis.openapi.from_dict(player.ok("GET", "/api/schema/openapi.json"))
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) > 15
    statuses: set[int] = set()
    for operation in operations:
        if operation.definition.raw.get("operationId") in SKIPPED:
            continue

        @given(case=operation.as_strategy())
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        )
        def send(case: Any) -> None:
            if "id" in case.path_parameters:
                case.path_parameters["id"] = table
            told = case.as_transport_kwargs(base_url=player.url)
            headers = {name: str(value) for name, value in (told.get("headers") or {}).items()}
            headers["x-csrftoken"] = player.client.cookies.get("csrftoken") or ""
            answer = player.client.request(
                told["method"],
                told["url"],
                params=told.get("params"),
                json=told.get("json"),
                headers={name: value for name, value in headers.items() if value.isascii() and value.isprintable()},
            )
            statuses.add(answer.status_code)
            assert answer.status_code < 500, f"{told['method']} {told['url']}: {answer.text}"
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == "application/problem+json"

        send()
    assert {200, 400, 422} <= statuses
