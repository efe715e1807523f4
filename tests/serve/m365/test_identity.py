"""Who may send activities: the channel service and listed apps, for directories that are known."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import jwt
import pytest

from sextant.errors import ConfigError
from sextant.serve.m365.channel.connector import token_provider
from sextant.serve.m365.tokens import check_identity
from sextant.settings import M365Settings, M365TenantSettings, ServeSettings, Settings
from tests.loopback import Answer, Request, answering
from tests.serve.identity.issuer import Issuer, issuing, public, rsa_key
from tests.serve.m365.conftest import Bot, running_bot
from tests.serve.m365.fake_channel import Channel

APP = "11111111-0000-0000-0000-000000000000"
CHANNELS = "https://api.botframework.com"
CALLER = "22222222-0000-0000-0000-000000000000"
ENTRA_KEYS = "/common/discovery/v2.0/keys"


@dataclass(frozen=True)
class Checked:
    """A bot that checks tokens, and who signs them."""

    bot: Bot
    issuer: Issuer

    def channel_claims(self, **more: Any) -> dict[str, Any]:
        """Return what a token of the channel service says, but for what is said."""
        own = {"iss": CHANNELS, "aud": APP, "serviceurl": self.bot.channel.url, "tid": None}
        return self.issuer.claims(**{**own, "oid": None, "roles": None, **more})

    def entra_claims(self, **more: Any) -> dict[str, Any]:
        """Return what a token of an app says, but for what is said."""
        home = f"{self.issuer.url}/contoso/v2.0"
        return self.issuer.claims(
            **{"iss": home, "aud": APP, "tid": "contoso", "azp": CALLER, **more}
        )

    async def send(self, token: str, **more: Any) -> httpx2.Response:
        """Send an activity that is answered at once, with a token."""
        activity = self.bot.activity(deliveryMode="expectReplies", **more)
        headers = {"Authorization": f"Bearer {token}"} if token else {"Authorization": ""}
        return await self.bot.client.post("/api/messages", json=activity, headers=headers)

    async def replies(self, token: str, **more: Any) -> list[str]:
        """Return the texts that an activity is answered with."""
        answer = await self.send(token, **more)
        assert answer.status_code == 200, answer.text
        return [one["text"] for one in answer.json()["activities"]]


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as own:
        endorsed = public("one", rsa_key("one"), endorsements=["msteams", "webchat"])
        own.bodies["/channel-keys"] = json.dumps({"keys": [endorsed]}).encode()
        home = own.url + "/{tenantid}/v2.0"
        entra = public("entra", rsa_key("entra"), issuer=home)
        own.bodies[ENTRA_KEYS] = json.dumps({"keys": [entra]}).encode()
        yield own


@pytest.fixture
def identity_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Request]]:
    """The endpoint of App Service from which a managed identity has its tokens."""
    asked: list[Request] = []

    def give(request: Request) -> Answer:
        asked.append(request)
        token = {
            "access_token": "token-of-the-bot-0123456789",
            "expires_on": str(int(time.time()) + 3600),
            "resource": CHANNELS,
            "token_type": "Bearer",
        }
        return Answer(200, json.dumps(token).encode(), {"content-type": "application/json"})

    with answering(give) as url:
        monkeypatch.setenv("IDENTITY_ENDPOINT", url)
        monkeypatch.setenv("IDENTITY_HEADER", "header")
        yield asked


@pytest.fixture
async def checked(
    knowledge: Settings, channel: Channel, issuer: Issuer, identity_endpoint: list[Request]
) -> AsyncIterator[Checked]:
    del identity_endpoint
    m365 = M365Settings(
        app_id=APP,
        tenant_id="CONTOSO",
        tenants=(M365TenantSettings("fabrikam", tenant="default", personas=("sales",)),),
        callers=(CALLER,),
        hosts=("127.0.0.1",),
        managed_identity=True,
        keys=f"{issuer.url}/channel-keys",
        authority=issuer.url,
    )
    async with running_bot(knowledge, channel, m365) as bot:
        yield Checked(bot, issuer)


def entra_token(checked: Checked, **more: Any) -> str:
    return checked.issuer.signed(checked.entra_claims(**more), "entra")


async def test_the_channel_service_is_let_in(checked: Checked) -> None:
    [text] = await checked.replies(checked.issuer.signed(checked.channel_claims()))
    assert "Team Y" in text


async def test_a_listed_app_of_the_directory_is_let_in(checked: Checked) -> None:
    [text] = await checked.replies(entra_token(checked))
    assert "Team Y" in text


async def test_a_token_of_the_first_version_of_entra_is_let_in(checked: Checked) -> None:
    claims = {"iss": "https://sts.windows.net/contoso/", "azp": None, "appid": CALLER}
    assert await checked.replies(entra_token(checked, **claims))


async def test_nobody_is_let_in_without_a_token(checked: Checked) -> None:
    answer = await checked.send("")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "33333333-0000-0000-0000-000000000000"},
        {"aud": None},
        {"iss": "https://api.botframework.example"},
        {"iss": None},
        {"exp": 1_000_000_000},
        {"nbf": 4_000_000_000},
        {"serviceurl": None},
    ],
    ids=lambda claims: "-".join(f"{name}={value}" for name, value in claims.items()),
)
async def test_a_wrong_token_of_the_channel_is_refused(
    checked: Checked, claims: dict[str, Any]
) -> None:
    answer = await checked.send(checked.issuer.signed(checked.channel_claims(**claims)))
    assert answer.status_code == 401, answer.text


@pytest.mark.parametrize(
    "claims",
    [
        {"tid": "evil", "iss": "{home}/evil/v2.0"},
        {"iss": "{home}/evil/v2.0"},
        {"azp": "33333333-0000-0000-0000-000000000000"},
        {"azp": None},
        {"aud": "33333333-0000-0000-0000-000000000000"},
        {"exp": 1_000_000_000},
    ],
    ids=lambda claims: "-".join(claims),
)
async def test_a_wrong_token_of_an_app_is_refused(checked: Checked, claims: dict[str, Any]) -> None:
    told = {
        name: value.format(home=checked.issuer.url) if isinstance(value, str) else value
        for name, value in claims.items()
    }
    answer = await checked.send(entra_token(checked, **told))
    assert answer.status_code == 401, answer.text


async def test_a_token_that_nobody_signed_is_refused(checked: Checked) -> None:
    unsigned = jwt.encode(checked.channel_claims(), None, "none", {"kid": "one"})  # type: ignore[arg-type]
    shared = jwt.encode(checked.channel_claims(), "one" * 20, "HS256", {"kid": "one"})
    forged = checked.issuer.signed(checked.channel_claims(), key=rsa_key("forged"))
    crossed = checked.issuer.signed(checked.channel_claims(), "entra")
    for token in (unsigned, shared, forged, crossed, "x.y.z", "nonsense", "a" * 20_000):
        assert (await checked.send(token)).status_code == 401


async def test_a_forged_service_is_refused(checked: Checked) -> None:
    token = checked.issuer.signed(checked.channel_claims())
    for url in ("https://evil.example/", "http://127.0.0.1:1/", f"{checked.bot.channel.url}.evil"):
        answer = await checked.send(token, serviceUrl=url)
        assert answer.status_code == 403, url


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/",
        "https://evil.blob.core.windows.net/",
        "https://smba.trafficmanager.net.evil.example/",
        "https://user@smba.trafficmanager.net/",
        "http://smba.trafficmanager.net/",
        "http://169.254.169.254/",
        "http://localhost:1/",
        "file:///etc/passwd",
        "nonsense",
    ],
)
async def test_replies_go_to_no_other_host_even_if_a_token_says_so(
    checked: Checked, url: str
) -> None:
    token = checked.issuer.signed(checked.channel_claims(serviceurl=url))
    activity = checked.bot.activity(serviceUrl=url)
    headers = {"Authorization": f"Bearer {token}"}
    answer = await checked.bot.client.post("/api/messages", json=activity, headers=headers)
    assert answer.status_code == 403, answer.text


async def test_a_key_speaks_only_for_the_channels_that_it_is_endorsed_for(
    checked: Checked,
) -> None:
    token = checked.issuer.signed(checked.channel_claims())
    assert (await checked.send(token, channelId="slack")).status_code == 403


async def test_other_channels_are_let_in_only_if_they_are_listed(checked: Checked) -> None:
    token = checked.issuer.signed(checked.channel_claims())
    [text] = await checked.replies(token, channelId="webchat")
    assert text.startswith("This assistant does not answer here.")


async def test_an_unknown_organisation_is_refused_in_words_for_a_person(checked: Checked) -> None:
    token = checked.issuer.signed(checked.channel_claims())
    conversation = {"id": "a:1", "tenantId": "evil"}
    [text] = await checked.replies(token, conversation=conversation)
    assert text.startswith("Your organisation has not been set up for this assistant.")
    for unclear in ({"id": "a:1"}, {"id": "a:1", "tenantId": "contoso"}):
        data = {"tenant": {"id": "evil"}}
        [text] = await checked.replies(token, conversation=unclear, channelData=data)
        assert "organisation" in text


async def test_an_app_asks_for_people_of_its_own_directory_only(checked: Checked) -> None:
    conversation = {"id": "a:1", "tenantId": "fabrikam"}
    [text] = await checked.replies(entra_token(checked), conversation=conversation)
    assert "another organisation" in text


async def test_people_of_another_directory_ask_as_its_personas(checked: Checked) -> None:
    token = checked.issuer.signed(checked.channel_claims())
    conversation = {"id": "a:sales", "tenantId": "Fabrikam"}
    assert await checked.replies(token, conversation=conversation)
    there = "/api/conversations/msteams:a:sales"
    for personas, status in ((["sales"], 200), ([], 404)):
        asked: dict[str, Any] = {"aadObjectId": "ann", "personaId": personas}
        assert (await checked.bot.client.get(there, params=asked)).status_code == status


async def test_replies_prove_who_the_bot_is_by_its_managed_identity(
    checked: Checked, identity_endpoint: list[Request]
) -> None:
    token = checked.issuer.signed(checked.channel_claims())
    headers = {"Authorization": f"Bearer {token}"}
    conversation = {"id": "a:1", "conversationType": "channel", "tenantId": "contoso"}
    activity = checked.bot.activity(conversation=conversation)
    answer = await checked.bot.client.post("/api/messages", json=activity, headers=headers)
    assert answer.status_code == 202
    [reply] = await checked.bot.channel.wait_for_messages()
    assert "Team Y" in reply["text"]
    assert checked.bot.channel.authorizations == ["Bearer token-of-the-bot-0123456789"]
    assert f"client_id={APP}" in identity_endpoint[0].path


async def test_no_token_is_in_a_log(checked: Checked, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    token = checked.issuer.signed(checked.channel_claims())
    wrong = checked.issuer.signed(checked.channel_claims(aud="another"))
    await checked.replies(token)
    await checked.send(wrong)
    assert not any(one in caplog.text for one in (token, wrong, "token-of-the-bot"))


def _settings(host: str = "127.0.0.1", **m365: Any) -> Settings:
    return Settings(serve=ServeSettings(host=host, auth="oidc"), m365=M365Settings(**m365))


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        (_settings(), "m365.app_id is not set."),
        (_settings(app_id=APP), "Neither m365.tenant_id nor m365.tenants"),
        (_settings("0.0.0.0", anonymous=True), "With m365.anonymous"),
        (_settings(app_id=APP, tenant_id="t", keys="http://evil.example"), "m365.keys"),
    ],
)
def test_settings_by_which_anybody_or_nobody_could_come_in_are_refused(
    settings: Settings, wrong: str
) -> None:
    with pytest.raises(ConfigError, match=wrong):
        check_identity(settings)


def test_a_bot_that_cannot_prove_who_it_is_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEXTANT_M365_SECRET", raising=False)
    with pytest.raises(ConfigError, match="nothing to prove who it is"):
        token_provider(M365Settings(app_id=APP, tenant_id="t"))
    with pytest.raises(ConfigError, match="names no file"):
        token_provider(M365Settings(app_id=APP, tenant_id="t", certificate="no-such.pfx"))


def test_a_managed_identity_goes_before_a_certificate_and_that_before_a_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("SEXTANT_M365_SECRET", "secret-of-the-bot")
    pfx = tmp_path / "bot.pfx"
    pfx.write_bytes(b"")
    ways = {
        "user_managed_identity": {"managed_identity": True, "certificate": str(pfx)},
        "certificate": {"certificate": str(pfx)},
        "client_secret": {},
    }
    for kind, own in ways.items():
        provider: Any = token_provider(M365Settings(app_id=APP, tenant_id="t", **own))  # type: ignore[arg-type]
        assert provider.configuration.AUTH_TYPE.name == kind
