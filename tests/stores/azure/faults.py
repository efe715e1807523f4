"""A network that fails on request: before a call is carried out, after it, or for ever."""

from collections.abc import Callable, Mapping
from typing import Any

from azure.core.exceptions import ServiceResponseError
from azure.core.pipeline.transport import AioHttpTransport, AsyncHttpResponse, HttpRequest

Fault = Callable[["FailingTransport", HttpRequest, Mapping[str, Any]], Any]


class FailingTransport(AioHttpTransport):  # type: ignore[misc]
    """Carries requests for items, of which one or all from one on fail; the others are let be."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.fault: Fault | None = None
        self.at = 0
        self.is_for_ever = False

    def fail(self, at: int, fault: Fault, *, for_ever: bool = False) -> None:
        """Let a fault happen to the call of this number, and to all later ones if so asked."""
        self.calls, self.at, self.fault, self.is_for_ever = 0, at, fault, for_ever

    @property
    def has_failed(self) -> bool:
        """Whether the call was made that was to fail."""
        return self.calls >= self.at

    async def send(self, request: Any, **config: Any) -> Any:
        if "/docs" not in request.url:
            return await super().send(request, **config)
        self.calls += 1
        is_due = self.calls >= self.at if self.is_for_ever else self.calls == self.at
        if self.fault is None or not is_due:
            return await super().send(request, **config)
        return await self.fault(self, request, config)

    async def carry_out(self, request: HttpRequest, config: Mapping[str, Any]) -> Any:
        """Do what a request asks for, whatever becomes of the answer."""
        return await super().send(request, **config)


class Refusal(AsyncHttpResponse):
    """An answer of the service that refuses."""

    def __init__(self, request: HttpRequest, status: int) -> None:
        super().__init__(request, None)
        self.status_code, self.reason = status, "Refused"
        self.headers = {"x-ms-retry-after-ms": "1"}
        self.content_type = "application/json"

    def body(self) -> bytes:
        return b'{"code": "Refused", "message": "Not now."}'


def refuse(status: int) -> Fault:
    """Answer with a status, and do nothing."""

    async def fault(
        transport: FailingTransport, request: HttpRequest, config: Mapping[str, Any]
    ) -> Any:
        is_conditional = "if-match" in {name.lower() for name in request.headers}
        if status == 412 and not is_conditional:
            return await transport.carry_out(request, config)
        return Refusal(request, status)

    return fault


async def lose_answer(
    transport: FailingTransport, request: HttpRequest, config: Mapping[str, Any]
) -> Any:
    """Carry the call out, and lose what the service says to it."""
    await transport.carry_out(request, config)
    raise ServiceResponseError("The connection was closed.")


async def time_out(
    transport: FailingTransport,  # noqa: ARG001 - nothing is sent
    request: HttpRequest,  # noqa: ARG001
    config: Mapping[str, Any],  # noqa: ARG001
) -> Any:
    """Let the time of a call be over."""
    raise TimeoutError


async def die(
    transport: FailingTransport,  # noqa: ARG001 - nothing is sent
    request: HttpRequest,  # noqa: ARG001
    config: Mapping[str, Any],  # noqa: ARG001
) -> Any:
    """Be gone, as a process is that was killed."""
    raise ProcessDied


class ProcessDied(BaseException):
    """Nothing that the process would do next happens."""
