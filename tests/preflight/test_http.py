"""Over real HTTP and TLS: every way in which a server fails, and that nothing but GET is ever sent."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from generator.cli import main
from generator.finding import FatalError
from generator.preflight import client as limits
from generator.preflight.access import access
from generator.preflight.client import Client, NotServedError, UnreadError
from generator.preflight.live import Live
from generator.preflight.read import read
from tests.preflight import server, world
from tests.preflight.server import TOKEN, Fake, always, first

OBJECTS = world.synced(world.overlay())
EXPECTED = world.expected()
NODES = "/api/v1/nodes"
AUTHENTICATION = "client.authentication.k8s.io/v1"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY", "KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake() -> Iterator[Fake]:
    with Fake(OBJECTS, world.served(OBJECTS)).running() as running:
        yield running
        assert {method for method, _ in running.seen} <= {"GET"}


@contextmanager
def client(fake: Fake, folder: Path, limit: float = 5, timeout: float = 0.2) -> Iterator[Client]:
    with access(fake.kubeconfig(folder), None) as opened:
        yield Client(opened, limit, timeout, pause=0.001)


def live(fake: Fake, folder: Path) -> Live:
    with client(fake, folder) as reading:
        return read(reading, EXPECTED)


def run(fake: Fake, folder: Path, *more: str) -> int:
    root = world.written(folder)
    return main(["preflight", "prod", "--root", str(root), "--kubeconfig", fake.kubeconfig(folder), *more])


def test_a_healthy_cluster(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(fake, tmp_path) == 0
    assert capsys.readouterr() == ("prod against the live cluster: no findings\n", "")


def test_findings_stand_at_the_input_line(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake.objects = [o for o in fake.objects if o["metadata"]["name"] != "general-0"]
    assert run(fake, tmp_path) == 0
    assert run(fake, tmp_path, "--fail-on", "warning", "-q") == 1
    finding = (
        "environments/prod/inventory.yaml:18:5: warning[nodes-missing] pool general: 1 of 2 nodes can be used\n"
        "  fix: bring the nodes back, or correct nodes (or nodeLabels) in the inventory\n"
    )
    assert capsys.readouterr().out == f"{finding}prod against the live cluster: 1 warning\n{finding}"


def test_the_answer_is_read_in_pages(fake: Fake, tmp_path: Path) -> None:
    fake.page = 1
    assert [m.name for m in live(fake, tmp_path).of(("", "Node"))] == [
        o["metadata"]["name"] for o in OBJECTS if o["kind"] == "Node"
    ]
    assert (
        sum("continue=" in path for _, path in fake.seen if path.startswith(NODES))
        == sum(o["kind"] == "Node" for o in OBJECTS) - 1
    )


def test_ten_thousand_workloads(fake: Fake, tmp_path: Path) -> None:
    ours = {"app.kubernetes.io/managed-by": "apportion", "apportion.dev/environment": "prod", "apportion.dev/team": "a"}
    fake.objects = [
        *fake.objects,
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "old", "labels": ours}},
    ]
    fake.objects += [
        {"apiVersion": world.KUEUE, "kind": "Workload", "metadata": {"name": f"w{i}", "namespace": "old"}}
        for i in range(10_000)
    ]
    with client(fake, tmp_path, limit=30, timeout=10) as reading:
        assert read(reading, EXPECTED).contents["old"]["Kueue workloads"] == 10_000
    assert sum("/workloads?" in path for _, path in fake.seen) == 20


def test_a_list_that_is_gone_is_read_again(fake: Fake, tmp_path: Path) -> None:
    fake.page = 3
    fake.at("/clusterqueues", first(1, always(410)))
    assert {m.name for m in live(fake, tmp_path).of(("kueue.x-k8s.io", "ClusterQueue"))} >= {"vision-training"}
    fake.at(NODES, always(410))
    assert live(fake, tmp_path).unread == {("", "Node"): "the list changes faster than it can be read"}


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(fake: Fake, tmp_path: Path, status: int) -> None:
    fake.at(NODES, first(3, always(status)))
    assert live(fake, tmp_path).unread == {}
    fake.at(NODES, always(status))
    assert live(fake, tmp_path).unread == {("", "Node"): f"the API server answers {status}, 4 times"}


def test_retry_after_is_waited_for(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    for written in ("3", "100000", "Wed, 21 Oct 2026 07:28:00 GMT", "-1"):
        fake.at(NODES, first(1, always(429, Retry_After=written)))
        with client(fake, tmp_path, limit=60) as reading:
            reading.get(NODES)
    assert waited == [3.0, limits.LONGEST_PAUSE, 0.002, 0.002]


def test_there_is_no_waiting_beyond_the_limit(fake: Fake, tmp_path: Path) -> None:
    fake.at(NODES, always(429, Retry_After="9"))
    start = time.monotonic()
    with client(fake, tmp_path, limit=1) as reading, pytest.raises(FatalError, match="was not read within 1 s"):
        reading.get(NODES)
    assert time.monotonic() - start < 1


BROKEN = {
    "cut": (server.cut, "the connection broke off, 4 times"),
    "reset": (server.reset, "the connection broke off, 4 times"),
    "no JSON": (server.raw(b'{"items": [}'), "the answer is no JSON"),
    "no UTF-8": (server.raw(b"\xff\xfe{}"), "the answer is no JSON"),
    "nothing": (server.raw(b""), "the answer is no JSON"),
    "deep": (server.raw(b"[" * 100_000), "the answer is no JSON"),
    "a list": (server.raw(b"[]"), "the answer is no object"),
    "no items": (server.raw(b"{}"), "the answer is no list of objects"),
    "items of no objects": (server.raw(b'{"items": [1]}'), "the answer is no list of objects"),
    "items of no list": (server.raw(b'{"items": {"a": 1}}'), "the answer is no list of objects"),
    "no names": (server.raw(b'{"items": [{"metadata": []}]}'), "an object of kind Node has no name"),
    "endless": (
        server.raw(b'{"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": "x"}}'),
        "the list does not say how it goes on",
    ),
    "odd continuation": (
        server.raw(b'{"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": 7}}'),
        "the list does not say how it goes on",
    ),
    "a redirect": (always(302, Location="https://127.0.0.1/"), "the API server answers 302"),
    "teapot": (always(418), "the API server answers 418"),
    "forbidden": (always(403), "the account may not (403 Forbidden)"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_told_and_the_rest_is_read(fake: Fake, tmp_path: Path, name: str) -> None:
    answer, why = BROKEN[name]
    fake.at(NODES, answer)
    found = live(fake, tmp_path)
    assert found.unread == {("", "Node"): why}
    assert found.of(("kueue.x-k8s.io", "ClusterQueue"))


ODD: list[Any] = [
    {"metadata": {"name": "a", "labels": 7}, "spec": [], "status": "x"},
    {"metadata": {"name": "b"}, "spec": {"taints": {"a": 1}}, "status": {"allocatable": [1]}},
    {"metadata": {"name": "c", "labels": {"k": 1}, "annotations": []}, "status": {"conditions": [7, {}]}},
    {"metadata": {"name": "h100"}, "spec": {"nodeLabels": {"a": []}, "resourceGroups": [{"flavors": 7}], "levels": 1}},
    {
        "metadata": {"name": "vision-training"},
        "spec": 1,
        "status": {"flavorsReservation": [{"resources": [{"total": []}]}]},
    },
]
READ = ("nodes", "clusterqueues", "localqueues", "subscriptions", "hardwareprofiles", "topologies", "resourceflavors")


@pytest.mark.parametrize("resource", [*READ, "cohorts", "namespaces", "clusterserviceversions", "datascienceclusters"])
def test_odd_types_are_no_bug(fake: Fake, tmp_path: Path, resource: str, capsys: pytest.CaptureFixture[str]) -> None:
    fake.at(f"/{resource}", always(200, {"items": ODD, "metadata": 1}))
    assert run(fake, tmp_path, "--format", "json") in (0, 1)
    found = capsys.readouterr().out
    assert '"internal-error"' not in found
    assert '"not-read"' not in found


def test_an_empty_list_as_go_writes_it(fake: Fake, tmp_path: Path) -> None:
    fake.at(NODES, always(200, {"kind": "NodeList", "items": None}))
    found = live(fake, tmp_path)
    assert (found.of(("", "Node")), found.unread) == ([], {})


def test_too_much_is_not_read(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_OBJECTS", 2)
    fake.page = 1
    assert live(fake, tmp_path).unread[("", "Node")] == "there are more than 2 objects"
    monkeypatch.setattr(limits, "MOST_BYTES", 1 << 20)
    with client(fake, tmp_path) as reading:
        fake.at(NODES, server.raw(b" " * (1 << 21)))
        with pytest.raises(UnreadError, match="larger than 1 MiB"):
            reading.get(NODES)


@pytest.mark.parametrize("answer", [server.hang(0.5), server.drip(0.5)], ids=["hangs", "drips"])
def test_a_slow_server_stops_the_run(fake: Fake, tmp_path: Path, answer: server.Answer) -> None:
    fake.at(NODES, answer)
    start = time.monotonic()
    with client(fake, tmp_path, timeout=0.1) as reading, pytest.raises(FatalError, match=r"no answer within 0.1 s"):
        reading.get(NODES)
    assert time.monotonic() - start < 1


def test_the_time_for_all_is_kept(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake.at("/apis", server.hang(0.2))
    assert run(fake, tmp_path, "--timeout", "0.1s") == 2
    err = capsys.readouterr().err
    assert "was not read within 0.1 s" in err
    assert "fix: see whether it answers (oc get --raw /readyz), or give it more with --timeout" in err


def fails(fake: Fake, folder: Path, capsys: pytest.CaptureFixture[str], config: str | None = None) -> str:
    """Return what the command says when it cannot go on; never the token, and no traceback."""
    root = world.written(folder)
    argv = ["preflight", "prod", "--root", str(root), "--kubeconfig", config or fake.kubeconfig(folder)]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert TOKEN not in err
    assert "Traceback" not in err
    return err


def test_who_is_not_let_in(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = fake.kubeconfig(tmp_path, token="expired-and-secret")
    err = fails(fake, tmp_path, capsys, config)
    assert "does not know the account (401 Unauthorized)\n  fix: log in again, or renew the token" in err
    assert "expired-and-secret" not in err


def test_discovery_that_is_forbidden(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake.at("/apis", always(403))
    assert "it is not known which kinds the cluster serves: the account may not (403 Forbidden)" in fails(
        fake, tmp_path, capsys
    )


def test_a_wrong_authority_is_refused(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = fails(fake, tmp_path, capsys, fake.kubeconfig(tmp_path, ca=trustme.CA()))
    assert "is not who it should be: unable to get local issuer certificate" in err
    assert fake.seen == []


def test_a_wrong_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Fake(OBJECTS, world.served(OBJECTS), host="other.example.com").running() as fake:
        err = fails(fake, tmp_path, capsys)
        assert "is not who it should be: IP address mismatch" in err
        assert fake.seen == []


def changed(path: str, old: str, new: str) -> str:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_verification_cannot_be_left_out(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = changed(fake.kubeconfig(tmp_path), "server:", "insecure-skip-tls-verify: true\n    server:")
    assert "would be asked without verifying who answers" in fails(fake, tmp_path, capsys, config)
    config = changed(fake.kubeconfig(tmp_path), "https://", "http://")
    assert "would be asked without verifying who answers" in fails(fake, tmp_path, capsys, config)


def test_nobody_listens(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with Fake([], []).running() as fake:
        config = fake.kubeconfig(tmp_path)
    assert "cannot be reached: Connection refused" in fails(fake, tmp_path, capsys, config)


def test_a_proxy_that_is_not_there(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    assert "cannot be reached" in fails(fake, tmp_path, capsys)
    assert fake.seen == []
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert run(fake, tmp_path) == 0


MALFORMED = {
    "absent": None,
    "no YAML": "{",
    "empty": "",
    "a list": "[1]",
    "nothing in it": "{apiVersion: v1}",
    "no such context": "{current-context: a, contexts: [], clusters: [], users: []}",
    "binary": "\x00\x01",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_kubeconfig(fake: Fake, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config"
    if (text := MALFORMED[name]) is not None:
        path.write_text(text, encoding="utf-8")
    assert "no cluster to look at: " in fails(fake, tmp_path, capsys, str(path))


def test_a_context_by_name(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = changed(fake.kubeconfig(tmp_path), "current-context: here", "current-context: elsewhere")
    root = world.written(tmp_path)
    argv = ["preflight", "--root", str(root), "--kubeconfig", config]
    assert main([*argv, "--context", "here"]) == 0
    assert main(argv) == 2
    assert "no cluster to look at: " in capsys.readouterr().err


def plugin(folder: Path, script: str) -> dict[str, Any]:
    path = folder / "plugin"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return {"exec": {"apiVersion": AUTHENTICATION, "command": str(path), "interactiveMode": "Never"}}


def test_an_exec_plugin(fake: Fake, tmp_path: Path) -> None:
    answer = json.dumps({"apiVersion": AUTHENTICATION, "kind": "ExecCredential", "status": {"token": TOKEN}})
    config = fake.kubeconfig(tmp_path, **plugin(tmp_path, f"echo '{answer}'"))
    assert main(["preflight", "--root", str(world.written(tmp_path)), "--kubeconfig", config]) == 0


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (f"echo '{TOKEN}' >&2; exit 3", "exec: process returned 3"),
        (f"echo '{TOKEN}'", "exec: failed to decode process output: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_an_exec_plugin_that_fails(
    fake: Fake, tmp_path: Path, script: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = fake.kubeconfig(tmp_path, **plugin(tmp_path, script))
    assert f"no credentials for the cluster: {why}\n" in fails(fake, tmp_path, capsys, config)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_client_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    fake = Fake(OBJECTS, world.served(OBJECTS))
    fake.asks_for_certificates = True
    own = fake.ca.issue_cert("me@example.com")
    user: dict[str, Any] = {
        "client-certificate-data": encoded(own.cert_chain_pems[0].bytes()),
        "client-key-data": encoded(own.private_key_pem.bytes()),
    }
    with fake.running():
        root = str(world.written(tmp_path))
        assert main(["preflight", "--root", root, "--kubeconfig", fake.kubeconfig(tmp_path, **user)]) == 0
        assert main(["preflight", "--root", root, "--kubeconfig", fake.kubeconfig(tmp_path)]) == 2
        assert "cannot be reached: TLS: " in capsys.readouterr().err


def test_a_client_certificate_that_is_none(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user: dict[str, Any] = {"client-certificate-data": encoded(b"none"), "client-key-data": encoded(b"none")}
    config = fake.kubeconfig(tmp_path, **user)
    assert "its certificates cannot be read (SSLError)" in fails(fake, tmp_path, capsys, config)
    config = changed(
        fake.kubeconfig(tmp_path), "certificate-authority-data: ", "certificate-authority-data: aGVsbG8K #"
    )
    assert "its certificates cannot be read (SSLError)" in fails(fake, tmp_path, capsys, config)


def test_a_token_of_odd_characters(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = fake.kubeconfig(tmp_path, token=f"{TOKEN}\nX-Injected: 1")
    assert "its token holds characters that no token has" in fails(fake, tmp_path, capsys, config)


def test_a_pod_s_own_account(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kubernetes.config import incluster_config

    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    (tmp_path / "ca.crt").write_bytes(fake.ca.cert_pem.bytes())
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(fake.port))
    fake.scheme = "bearer"
    assert main(["preflight", "--root", str(world.written(tmp_path / "repository"))]) == 0


def test_the_client_is_not_installed(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "kubernetes", None)
    assert "is not installed\n  fix: install it: pip install 'apportion[cluster]'" in fails(fake, tmp_path, capsys)


def test_keys_leave_no_file_behind(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    for _ in range(2):
        assert run(fake, tmp_path) == 0
        assert list((tmp_path / "scratch").iterdir()) == []


def test_what_is_not_served_is_said_so(fake: Fake, tmp_path: Path) -> None:
    with client(fake, tmp_path) as reading, pytest.raises(NotServedError, match="/apis/none/v1 is not served"):
        reading.get("/apis/none/v1")
