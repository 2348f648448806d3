"""How to reach a cluster: a kubeconfig or a pod's service account → an address and a verified connection to it.

The library is the project's own: it knows exec plugins, tokens, client certificates and proxies as kubectl does. Only
its configuration and connection pool are used, since all that is sent is GET.
"""

from __future__ import annotations

import contextlib
import logging
import os
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.finding import FatalError
from generator.frozen import dataclass, field

if TYPE_CHECKING:
    from urllib3 import PoolManager

_INSTALL = "install it: pip install 'apportion[cluster]', or check nodes alone with --nodes"


@dataclass(frozen=True, slots=True)
class Access:
    """An API server: `headers` hold the credentials, so nothing may print them."""

    server: str
    pool: PoolManager
    headers: Mapping[str, str] = field(repr=False)


@contextlib.contextmanager
def access(kubeconfig: str | None, context: str | None) -> Iterator[Access]:
    """Open a cluster: the kubeconfig named, else in a pod its service account, else as kubectl would choose.

    Keys that the kubeconfig holds inline lie in a private folder until the end.

    Raises:
        FatalError: the library is absent, no cluster can be found, or its certificate would not be verified.
    """
    try:
        from kubernetes import client
        from kubernetes.config import kube_config
    except ImportError:
        raise FatalError("the client for Kubernetes is not installed", _INSTALL) from None
    with tempfile.TemporaryDirectory(prefix="apportion-") as private:
        configuration = client.Configuration()
        try:
            _load(configuration, kubeconfig, context, private)
            yield _connection(client, configuration)
        finally:
            kube_config._temp_files.clear()  # else it hands out files of a folder that is gone


def _load(configuration: Any, kubeconfig: str | None, context: str | None, private: str) -> None:
    from kubernetes import config

    wrong = _Complaints()
    root = logging.getLogger()
    root.addHandler(wrong)
    try:
        load: Any  # the library has few types
        if kubeconfig is None and context is None and _is_in_a_pod():
            load = config.load_incluster_config
            load(configuration)
        else:
            path = kubeconfig or os.environ.get("KUBECONFIG") or "~/.kube/config"
            load = config.load_kube_config
            load(path, context, configuration, persist_config=False, temp_file_path=private)
    except config.ConfigException as problem:
        raise _unusable(str(problem)) from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else f"it is malformed ({type(problem).__name__})"
        raise _unusable(str(why)) from None
    except Exception as problem:  # noqa: BLE001 - YAML's among others; its own words may quote a secret
        raise _unusable(f"it cannot be read ({type(problem).__name__})") from None
    finally:
        root.removeHandler(wrong)
    if wrong.messages:
        raise FatalError(
            f"no credentials for the cluster: {wrong.messages[0]}",
            "run the plugin that the kubeconfig names under users[].user.exec by hand, or log in again",
        )


class _Complaints(logging.Handler):
    """What the library only logs, such as an exec plugin that failed: without its output, which may hold a secret."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage().split(". ")[0].splitlines()[0][:200])


def _is_in_a_pod() -> bool:
    from kubernetes.config.incluster_config import SERVICE_HOST_ENV_NAME, SERVICE_TOKEN_FILENAME

    in_pod = bool(os.environ.get(SERVICE_HOST_ENV_NAME)) and Path(SERVICE_TOKEN_FILENAME).is_file()
    return in_pod and not os.environ.get("KUBECONFIG")


def _unusable(why: str) -> FatalError:
    return FatalError(f"no cluster to look at: {why}", "name a kubeconfig with --kubeconfig (and --context), or log in")


def _connection(client: Any, configuration: Any) -> Access:
    server = str(configuration.host)
    if not server.startswith("https://") or configuration.verify_ssl is not True:
        raise FatalError(
            f"{server} would be asked without verifying who answers",
            "use https and, instead of insecure-skip-tls-verify, name the cluster's certificate authority",
        )
    configuration.retries = False
    try:
        _check_readable(configuration)
        pool: PoolManager = client.ApiClient(configuration).rest_client.pool_manager
    except (OSError, ValueError) as problem:
        raise _unusable(f"its certificates cannot be read ({type(problem).__name__})") from None
    found = configuration.auth_settings().get("BearerToken")
    token = str(found["value"]).strip() if found else ""
    if not token.isprintable() or not token.isascii():
        raise _unusable("its token holds characters that no token has")
    return Access(server, pool, {"Authorization": token} if token else {})


def _check_readable(configuration: Any) -> None:
    """Load the certificates as the library does later, when it could no longer be told from a server's own fault.

    Raises:
        OSError: a file is missing or holds no certificate or key.
    """
    context = ssl.create_default_context(cafile=configuration.ssl_ca_cert)
    if configuration.cert_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
