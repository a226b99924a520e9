"""Notices: how a person is told of what touches him while he is not looking."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import get, post, put
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from foedus.table.notices import NoticeError, NoticeSettings
from foedus.web.api.people import signed_in
from foedus.web.site import AnyRequest, site_of


@get("/me/notices", operation_id="see_notices")
async def see_notices(request: AnyRequest) -> dict[str, Any]:
    """How one is told, and by which kinds of addresses one could be."""
    notices = site_of(request).notices
    settings = await notices.settings(signed_in(request).id)
    return {"settings": msgspec.to_builtins(settings), "schemes": list(notices.schemes)}


@put("/me/notices", operation_id="change_notices")
async def change_notices(request: AnyRequest, data: JSONBody[NoticeSettings]) -> dict[str, Any]:
    """Change how one is told."""
    notices = site_of(request).notices
    await notices.change(signed_in(request).id, data)
    return {"settings": msgspec.to_builtins(data), "schemes": list(notices.schemes)}


@post("/me/notices/test", operation_id="try_notices", status_code=HTTP_200_OK)
async def try_notices(request: AnyRequest) -> dict[str, Any]:
    """Have a notice sent at once, to see whether it comes."""
    person = signed_in(request)
    if not await site_of(request).notices.try_out(person.id, person.language):
        raise NoticeError("notice_failed", "to")
    return {"sent": True}


ROUTES = [see_notices, change_notices, try_notices]
