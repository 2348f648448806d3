"""A fake API server: real HTTP/1.1 and TLS with a CA of its own, discovery, lists in pages, and every way to fail."""

from __future__ import annotations

import http.server
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme
import yaml

TOKEN = "sha256~never-to-be-seen"
Object = dict[str, Any]
Answer = Callable[["_Handler"], bool]
"""What to do instead of answering; False: answer after all."""


def plural(kind: str) -> str:
    name = kind.lower()
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}es" if name.endswith("s") else f"{name}s"


@cache
def authority() -> trustme.CA:
    """The one that all fake servers have."""
    return trustme.CA()


class Fake:
    """The state of the server: objects, the kinds it serves, and how it misbehaves at which path."""

    def __init__(self, objects: Iterable[Object], served: Iterable[tuple[str, str]], host: str = "127.0.0.1") -> None:
        self.objects = list(objects)
        self.served = set(served)
        self.host = host
        self.page: int | None = None
        self.scheme = "Bearer"
        self.asks_for_certificates = False
        self.misbehaves: dict[str, Answer] = {}
        self.seen: list[tuple[str, str]] = []
        self.port = 0
        self.ca = authority()

    def at(self, path: str, answer: Answer) -> None:
        """Misbehave at every path that ends so."""
        self.misbehaves[path] = answer

    @contextmanager
    def running(self) -> Iterator[Fake]:
        class Handler(_Handler):
            fake = self

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert(self.host).configure_cert(context)
        if self.asks_for_certificates:
            context.verify_mode = ssl.CERT_REQUIRED
            self.ca.configure_trust(context)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are part of the tests
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def kubeconfig(self, folder: Path, ca: trustme.CA | None = None, **user: Any) -> str:
        """Write a kubeconfig that trusts a CA, by default the server's own; return its path."""
        import base64

        data = base64.b64encode((ca or self.ca).cert_pem.bytes()).decode()
        cluster = {"server": f"https://127.0.0.1:{self.port}", "certificate-authority-data": data}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": "me", "user": user or {"token": TOKEN}}],
        }
        path = folder / "kubeconfig"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return str(path)

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Object]:
        """Return status and body for a path."""
        parts = path.strip("/").split("/")
        if parts == ["apis"]:
            return 200, {"kind": "APIGroupList", "groups": list(self._groups())}
        api, rest = ("/".join(parts[1:3]), parts[3:]) if parts[0] == "apis" else (parts[1], parts[2:])
        kinds = {plural(kind): kind for version, kind in self.served if version == api}
        if not kinds and api != "v1":
            return 404, {"kind": "Status", "code": 404}
        if not rest:
            return 200, {"kind": "APIResourceList", "resources": list(_resources(kinds))}
        space = rest[1] if rest[0] == "namespaces" and len(rest) > 2 else None
        rest = rest[2:] if space else rest
        if rest[0] not in kinds:
            return 404, {"kind": "Status", "code": 404}
        return self._list(api, kinds[rest[0]], space, rest[1] if len(rest) > 1 else None, query)

    def _groups(self) -> Iterator[Object]:
        names = sorted({api.rpartition("/")[0] for api, _ in self.served} - {""})
        for name in names:
            found = sorted({api for api, _ in self.served if api.rpartition("/")[0] == name}, reverse=True)
            versions = [{"groupVersion": api, "version": api.rpartition("/")[2]} for api in found]
            yield {"name": name, "versions": versions, "preferredVersion": versions[0]}

    def _list(
        self, api: str, kind: str, space: str | None, name: str | None, query: dict[str, str]
    ) -> tuple[int, Object]:
        group = api.rpartition("/")[0]
        found = [
            o
            for o in self.objects
            if (o["apiVersion"].rpartition("/")[0], o["kind"]) == (group, kind)
            and space in (None, o["metadata"].get("namespace"))
        ]
        if name is not None:
            one = next((o for o in found if o["metadata"]["name"] == name), None)
            return (200, one) if one else (404, {"kind": "Status", "code": 404})
        start, size = int(query.get("continue", "0")), self.page or int(query.get("limit", "100000"))
        metadata = {"resourceVersion": "1"}
        if start + size < len(found):
            metadata["continue"] = str(start + size)
        return 200, {
            "kind": f"{kind}List",
            "apiVersion": api,
            "metadata": metadata,
            "items": found[start : start + size],
        }


def _resources(kinds: dict[str, str]) -> Iterator[Object]:
    for name, kind in kinds.items():
        yield {"name": name, "kind": kind, "namespaced": True, "verbs": ["get", "list", "watch"]}
        yield {"name": f"{name}/status", "kind": kind, "namespaced": True, "verbs": ["get"]}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement
    fake: Fake

    def _any(self) -> None:
        split = urlsplit(self.path)
        self.fake.seen.append((self.command, self.path))
        is_known = self.fake.asks_for_certificates  # TLS has seen to it
        if not is_known and self.headers.get("Authorization") != f"{self.fake.scheme} {TOKEN}":
            self.send(401, {"kind": "Status", "code": 401})
            return
        for path, answer in self.fake.misbehaves.items():
            if split.path.endswith(path) and answer(self):
                return
        query = {key: values[0] for key, values in parse_qs(split.query).items()}
        self.send(*self.fake.answer(split.path, query))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _any  # noqa: N815 - names that http.server asks for

    def send(self, status: int, body: object, **headers: str) -> None:
        self.raw(status, json.dumps(body).encode(), headers=headers)

    def raw(
        self, status: int, data: bytes, length: int | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the overridden method
        pass


def always(status: int, body: object = None, **headers: str) -> Answer:
    """Answer with a status, every time."""

    def answered(handler: _Handler) -> bool:
        handler.send(status, body or {"kind": "Status", "code": status}, **headers)
        return True

    return answered


def first(times: int, answer: Answer) -> Answer:
    """Misbehave the first times, then no more."""
    left = [times]

    def answered(handler: _Handler) -> bool:
        left[0] -= 1
        return left[0] >= 0 and answer(handler)

    return answered


def hang(seconds: float) -> Answer:
    """Say nothing for a while."""

    def answered(handler: _Handler) -> bool:
        time.sleep(seconds)
        return False

    return answered


def drip(seconds: float) -> Answer:
    """Send the answer byte by byte, so slowly that no single wait is too long."""

    def answered(handler: _Handler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            handler.wfile.write(b" ")
            time.sleep(0.02)
        return True

    return answered


def cut(handler: _Handler) -> bool:
    """Promise more bytes than are sent, and hang up."""
    handler.raw(200, b'{"kind": "List", "items": [', length=5000)
    handler.close_connection = True
    return True


def reset(handler: _Handler) -> bool:
    """Reset the connection."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    handler.close_connection = True
    os.close(handler.connection.detach())
    return True


def raw(data: bytes) -> Answer:
    """Answer 200 with these bytes."""

    def answered(handler: _Handler) -> bool:
        handler.raw(200, data)
        return True

    return answered
