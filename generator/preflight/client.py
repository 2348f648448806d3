"""GET, and nothing else, with bounds: of time, of tries, of bytes and of objects. No answer is trusted to be whole."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from generator.finding import FatalError

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

    from generator.preflight.access import Access

TRIES = 4
PAGE = 500
MOST_OBJECTS = 200_000
MOST_BYTES = 128 * 2**20  # of one answer
LONGEST_PAUSE = 10.0  # seconds, whatever Retry-After says
_BUSY = frozenset((429, 500, 502, 503, 504))
_CHUNK = 1 << 16


class UnreadError(Exception):
    """One thing cannot be read, and others can: the account may not, or the answer is broken."""


class NotServedError(UnreadError):
    """There is no such path."""


class _GoneError(Exception):
    """A list that is read in pages has become too old to go on with."""


class _BrokenError(Exception):
    """No answer, or half of one; `is_total`: nothing at all was reached."""

    def __init__(self, why: str, *, is_total: bool = False) -> None:
        super().__init__(why)
        self.why, self.is_total = why, is_total


class Client:
    """Reads of one cluster, all of them within `limit` seconds; each answer within `timeout`."""

    def __init__(self, access: Access, limit: float, timeout: float = 15.0, pause: float = 0.5) -> None:
        self._access, self._limit, self._timeout, self._pause = access, limit, timeout, pause
        self._end = time.monotonic() + limit

    @property
    def server(self) -> str:
        """The address of the API server."""
        return self._access.server

    def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the object at a path.

        Raises:
            UnreadError: forbidden, absent, or no JSON object, also when asked again.
            FatalError: nothing can be read: not let in, not reached, not in time, or not who it should be.
        """
        url = f"{self._access.server}{path}" + (f"?{urlencode(query)}" if query else "")
        for attempt in range(1, TRIES + 1):
            wait, is_total = self._pause * 2**attempt, False
            try:
                status, headers, body = self._ask(url)
            except _BrokenError as problem:
                why, is_total = problem.why, problem.is_total
            else:
                if status not in _BUSY:
                    return self._read(path, status, body)
                why = f"the API server answers {status}"
                wait = min(_retry_after(headers, wait), LONGEST_PAUSE)
            if attempt < TRIES:
                self._wait(wait, why)
        if is_total:
            raise self._unreachable(why)
        raise UnreadError(f"{why}, {TRIES} times")

    def all_of(self, path: str, query: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """Return all objects of a list, read in pages; from the start again, once, where its snapshot is gone.

        Raises:
            UnreadError, FatalError: as `get`; or more than MOST_OBJECTS.
        """
        for _ in range(2):
            try:
                return self._pages(path, dict(query or {}))
            except _GoneError:
                continue
        raise UnreadError("the list changes faster than it can be read")

    def _pages(self, path: str, query: dict[str, str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        query["limit"] = str(PAGE)
        while True:
            page = self.get(path, query)
            items = page.get("items")
            if items is None and str(page.get("kind", "")).endswith("List"):
                items = []  # as Go writes an empty list
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise UnreadError("the answer is no list of objects")
            found += items
            metadata = page.get("metadata")
            token = metadata.get("continue") if isinstance(metadata, dict) else None
            if not token:
                return found
            if not isinstance(token, str) or token == query.get("continue") or not items:
                raise UnreadError("the list does not say how it goes on")
            if len(found) > MOST_OBJECTS:
                raise UnreadError(f"there are more than {MOST_OBJECTS} objects")
            query["continue"] = token

    def _ask(self, url: str) -> tuple[int, Mapping[str, str], bytes]:
        from urllib3 import Timeout
        from urllib3 import exceptions as of

        seconds = min(self._timeout, self._end - time.monotonic())
        if seconds <= 0:
            raise self._late("there was more to read")
        try:
            response = self._access.pool.request(
                "GET",
                url,
                headers={"Accept": "application/json", "User-Agent": "apportion-preflight", **self._access.headers},
                timeout=Timeout(total=seconds),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            try:
                body = _body(response, time.monotonic() + seconds)
            except BaseException:
                response.close()
                raise
            response.release_conn()
            return response.status, response.headers, body
        except of.SSLError as problem:
            if (why := _unverified(problem)) is not None:
                raise self._untrusted(why) from None
            raise _BrokenError(f"TLS: {_reason(problem)}", is_total=True) from None
        except (of.NewConnectionError, of.ProxyError) as problem:
            raise _BrokenError(_reason(problem), is_total=True) from None
        except (of.TimeoutError, TimeoutError):
            raise _BrokenError(f"no answer within {seconds:.3g} s", is_total=True) from None
        except (of.HTTPError, OSError, ValueError) as problem:
            raise _BrokenError(_reason(problem)) from None

    def _read(self, path: str, status: int, body: bytes) -> dict[str, Any]:
        if status == 401:
            raise FatalError(
                f"{self._access.server} does not know the account (401 Unauthorized)",
                "log in again, or renew the token",
            )
        if status == 403:
            raise UnreadError("the account may not (403 Forbidden)")
        if status == 404:
            raise NotServedError(f"{path} is not served")
        if status == 410:
            raise _GoneError
        if status != 200:
            raise UnreadError(f"the API server answers {status}")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            raise UnreadError("the answer is no JSON") from None
        if not isinstance(found, dict):
            raise UnreadError("the answer is no object")
        return found

    def _wait(self, seconds: float, why: str) -> None:
        if time.monotonic() + seconds > self._end:
            raise self._late(why)
        time.sleep(seconds)

    def _late(self, why: str) -> FatalError:
        return FatalError(
            f"{self._access.server} was not read within {self._limit:.3g} s: {why}",
            "see whether it answers (oc get --raw /readyz), or give it more with --timeout",
        )

    def _unreachable(self, why: str) -> FatalError:
        return FatalError(
            f"{self._access.server} cannot be reached: {why}",
            "see whether it can be from here (oc get --raw /readyz), and HTTPS_PROXY and NO_PROXY",
        )

    def _untrusted(self, why: str) -> FatalError:
        return FatalError(
            f"{self._access.server} is not who it should be: {why}",
            "name its certificate authority in the kubeconfig (certificate-authority-data); this is never left out",
        )


def _body(response: BaseHTTPResponse, end: float) -> bytes:
    """Return the whole body; what comes in drops has the time of one answer, too."""
    chunks: list[bytes] = []
    size = 0
    while chunk := response.read1(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            raise UnreadError(f"one answer is larger than {MOST_BYTES // 2**20} MiB")
        if time.monotonic() > end:
            raise TimeoutError
    return b"".join(chunks)


def _unverified(problem: Exception) -> str | None:
    """Return why a server's certificate was refused, or None where it was not that."""
    return next((c.verify_message for c in _causes(problem) if isinstance(c, ssl.SSLCertVerificationError)), None)


def _reason(problem: Exception) -> str:
    """Return why a connection failed, in the words of the system, which hold nothing of what was sent."""
    told = (c.strerror for c in _causes(problem) if isinstance(c, OSError) and c.strerror)
    return next(told, "the connection broke off")


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what caused it, as the library wraps one into another."""
    while problem is not None:
        yield problem
        inner = next((arg for arg in problem.args if isinstance(arg, Exception)), None)
        problem = inner or problem.__cause__ or problem.__context__


def _retry_after(headers: Mapping[str, str], default: float) -> float:
    """Return the seconds that a busy server asks for; it may also name a time, which is not waited for."""
    written = headers.get("Retry-After", "")
    return float(written) if written.isascii() and written.isdigit() else default
