"""A Kubernetes API with its controllers on this machine: etcd, kube-apiserver, kube-controller-manager; no kubelet.

The controller manager is needed for what tests prove: without it a deleted namespace stays Terminating and a
ResourceQuota counts nothing. Pods are never run. Nodes are plain objects made by `create_nodes`.
"""

from __future__ import annotations

import json
import secrets
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.engines.errors import EngineError
from tests.engines.kubeconfig import kubeconfig
from tests.engines.rig import Rig
from tests.engines.versions import program

CONTROLLER = "system:kube-controller-manager"


class KubernetesRig(Rig):
    """`with KubernetesRig() as rig:` gives a ready API server; leaving ends all of it.

    server: its https URL. kubeconfig: a file with the server's own CA and an administrator's token. ca_file: that CA.
    kube_system_uid: the cluster's identity. EngineError: what did not start, with the end of its log.
    """

    name = "kubernetes"
    port_count = 4

    def kubectl(
        self, *arguments: str, stdin: str | None = None, timeout: float = 30, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """kubectl as the administrator. EngineError: non-zero exit (unless check=False) or time is up."""
        argv = [str(self._programs["kubectl"]), f"--kubeconfig={self.kubeconfig}", *arguments]
        try:
            done = subprocess.run(
                argv, env=self.env, input=stdin, capture_output=True, text=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise EngineError(f"kubectl {' '.join(arguments)} did not end within {timeout:g} s") from error
        if check and done.returncode != 0:
            raise EngineError(
                f"kubectl {' '.join(arguments)} exited {done.returncode}: {done.stderr.strip()}"
            )
        return done

    def create_nodes(
        self, names: Iterable[str], labels: Mapping[str, str] | None = None, gpus: int = 8
    ) -> None:
        """Node objects with `gpus` nvidia.com/gpu each in status, as a device plugin would report them."""
        resources = {"nvidia.com/gpu": str(gpus), "cpu": "64", "memory": "512Gi", "pods": "110"}
        items = [
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": dict(labels or {})},
                "status": {"capacity": resources, "allocatable": resources},
            }
            for name in names
        ]
        self.kubectl(
            "create",
            "-f",
            "-",
            stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}),
            timeout=60,
        )

    def _start(self) -> None:
        names = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl")
        self._programs = {name: program(name) for name in names}
        root = self.scratch.path
        self.env = {**self.scratch.environment, "KUBECONFIG": f"{root}/kubeconfig"}
        self._write_tokens()
        self._write_service_account_key()
        etcd = self._start_etcd()
        self._start_apiserver(etcd)
        self.kubeconfig = kubeconfig(root / "kubeconfig", self.server, self.ca_file, self._tokens["admin"])
        manager = kubeconfig(root / "manager.kubeconfig", self.server, self.ca_file, self._tokens[CONTROLLER])
        self._start_controllers(manager)
        self.kube_system_uid = self.kubectl(
            "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"
        ).stdout

    def _write_tokens(self) -> None:
        self._tokens = {"admin": secrets.token_hex(16), CONTROLLER: secrets.token_hex(16)}
        path = self.scratch.path / "tokens.csv"
        path.touch(mode=0o600)
        path.write_text(
            f'{self._tokens["admin"]},admin,admin,"system:masters"\n{self._tokens[CONTROLLER]},{CONTROLLER},{CONTROLLER}\n'
        )

    def _write_service_account_key(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
        private = self.scratch.path / "sa.key"
        private.touch(mode=0o600)
        private.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain))
        public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
        (self.scratch.path / "sa.pub").write_bytes(public)

    def _start_etcd(self) -> str:
        client, peer = (f"http://127.0.0.1:{port}" for port in self.ports[:2])
        self.scratch.start(
            "etcd",
            self._programs["etcd"],
            f"--data-dir={self.scratch.folder('etcd', mode=0o700)}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
        )
        self.scratch.await_ready("etcd", lambda: _answers(f"{client}/health"), 20)
        return client

    def _start_apiserver(self, etcd: str) -> None:
        port, root = self.ports[2], self.scratch.path
        self.server, self.ca_file = f"https://127.0.0.1:{port}", root / "certificates" / "apiserver.crt"
        self.scratch.start(
            "kube-apiserver",
            self._programs["kube-apiserver"],
            f"--etcd-servers={etcd}",
            f"--secure-port={port}",
            "--bind-address=127.0.0.1",
            "--endpoint-reconciler-type=none",  # an advertised address must not be a loopback one
            f"--cert-dir={self.ca_file.parent}",
            f"--service-account-key-file={root}/sa.pub",
            f"--service-account-signing-key-file={root}/sa.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--token-auth-file={root}/tokens.csv",
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--enable-priority-and-fairness=false",
        )
        self.scratch.await_ready("kube-apiserver", self._is_ready, 60)

    def _start_controllers(self, own: Path) -> None:
        self.scratch.start(
            "kube-controller-manager",
            self._programs["kube-controller-manager"],
            f"--kubeconfig={own}",
            f"--authentication-kubeconfig={own}",
            f"--authorization-kubeconfig={own}",
            f"--service-account-private-key-file={self.scratch.path}/sa.key",
            "--use-service-account-credentials=true",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            f"--secure-port={self.ports[3]}",
            "--concurrent-namespace-syncs=5",
        )
        self.scratch.await_ready("kube-controller-manager", self._controllers_work, 60)

    def _controllers_work(self) -> bool:
        """Whether a controller has done its first work: every namespace gets a service account."""
        return (
            self.kubectl("get", "serviceaccount", "default", "--namespace=default", check=False).returncode
            == 0
        )

    def _is_ready(self) -> bool:
        if not self.ca_file.exists():
            return False
        return _answers(
            f"{self.server}/readyz",
            ssl.create_default_context(cafile=str(self.ca_file)),
            self._tokens["admin"],
        )


def _answers(url: str, context: ssl.SSLContext | None = None, token: str | None = None) -> bool:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=2, context=context) as answer:  # noqa: S310 - our own loopback URL
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
