"""A forge of one pull request: the comments API of GitHub and the notes API of GitLab over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token-of-the-test"
OURS, THEIRS = "github-actions[bot]", "somebody"


class Forge:
    """Its comments, oldest first; `asked` are method and path of every request that had the token."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.may_write = True
        self.url = ""

    def add(self, body: str, author: str = OURS) -> None:
        number = max((comment["id"] for comment in self.comments), default=100) + 1
        user = {"login": author, "id": 7 if author == OURS else 8}
        self.comments.append({"id": number, "body": body, "user": user, "author": user})

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]

    @property
    def writes(self) -> list[str]:
        return [line.split()[0] for line in self.asked if not line.startswith("GET")]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: str | None) -> tuple[int, Any]:
        """Return status and JSON; collections end in comments or notes, one of them in its number."""
        if method == "GET" and path.endswith("/user"):
            return 200, {"id": 7}
        if method == "GET":
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[size * (page - 1) : size * page]
        if not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "POST":
            assert body is not None
            self.add(body)
            return 201, self.comments[-1]
        (comment,) = (found for found in self.comments if found["id"] == int(path.rsplit("/", 1)[1]))
        if method == "DELETE":
            self.comments.remove(comment)
            return 204, None
        comment["body"] = body
        return 200, comment


def _handler(forge: Forge) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            if TOKEN not in (self.headers["PRIVATE-TOKEN"], (self.headers["Authorization"] or "").split(" ")[-1]):
                self.send_error(401)
                return
            forge.asked.append(f"{self.command} {address.path}")
            text = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            body = None
            if text:
                is_form = self.headers["Content-Type"] == "application/x-www-form-urlencoded" and text[0] != "{"
                body = parse_qs(text, strict_parsing=True)["body"][0] if is_form else json.loads(text)["body"]
            status, found = forge.answer(self.command, address.path, parse_qs(address.query), body)
            self.send_response(status)
            data = b"" if found is None else json.dumps(found).encode()
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815 - their names there

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Stay silent."""

    return Handler


@contextmanager
def serving() -> Iterator[Forge]:
    """Serve a forge on a free port of this machine."""
    forge = Forge()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(forge)) as server:
        forge.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield forge
        finally:
            server.shutdown()
            thread.join()
