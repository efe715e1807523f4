"""Every error a caller can meet. It says what happened and what to do; doors map it by class.

SextantError
├── InvalidInput            what was passed cannot be taken
│   ├── TooLarge            … because it is over a limit
│   ├── InvalidFilter
│   └── InvalidVector
├── NotFound
│   ├── AgentNotFound       … an agent that a run names
│   └── InterruptNotFound   … a question to a person that a run waits with
├── Denied                  whoever asks is not let in
│   ├── Unauthenticated     … because nobody knows who it is
│   └── Forbidden           … because it may not do this
├── Overloaded              too much at once: worth another try later
│   └── RateLimited         … because this caller asks too often
├── PeerError               another server of ours did not do its part
│   ├── PeerRefused         … because it does not let us in
│   └── PeerUnreachable     … this time: worth another try later
├── Conflict                somebody else changed or owns it
│   └── Outdated            … since it was read: worth another try at once
├── ConfigError
│   ├── UnknownScheme
│   ├── MissingExtra        a part that is installed on demand
│   └── SettingsUnreachable where settings or secrets are kept, this time
├── EmbedderError
├── GuardrailDenied         what a user wrote may not be answered
│   └── GuardrailUnavailable … because nobody could check it
├── NoModel                 what is asked needs a language model, and none is set
├── TooManyActions          a model kept calling actions, beyond the bound of a run
├── ModelError              a language model did not do what was asked
│   ├── ModelAuthentication the key is missing, wrong, or may not do this
│   ├── ModelNotFound       no such model, deployment or address
│   ├── ModelRejected       the provider does not take such a request
│   ├── ModelRefused        the model, or its provider's filter, declines to answer
│   ├── ModelBudgetSpent    the tokens that were allowed are used up
│   ├── InvalidReply        not what the schema asks for, even after a repair
│   └── ModelUnreachable    may work later: worth another try
│       ├── ModelRateLimited
│       ├── ModelTimeout
│       ├── ModelUnavailable    down, overloaded, or left alone for a while after failures
│       └── BrokenStream        ended halfway, or is no reply at all
├── ReadError               a file, page or archive that is not taken in
│   ├── UnknownFormat       nobody here reads this kind of file
│   ├── BrokenFile          not what it says it is, or damaged
│   ├── TooMuch             over a limit of size, number, depth, time or memory
│   ├── UnsafeSource        leads out of its tree, or to a private address
│   ├── Ignored             left out by a rule, a pattern or a habit
│   └── Unreachable         cannot be opened or fetched
│       └── Gone            … because it is there no longer
└── StoreError
    ├── StoreBusy           waited for other writers, bounded
    ├── StoreFull           the disk or a quota
    ├── StoreUnwritable     permissions, a read-only mount, a broken disk
    ├── StoreClosed
    ├── StoreDamaged        the truth itself, or a backup
    ├── NotAStore           a folder or file of somebody else
    ├── FormatMismatch
    ├── EmbedderMismatch
    ├── LanguageMismatch
    ├── CommitUnknown       asked for a commit that is not there
    └── IndexBehind         asked for a commit that the index does not hold yet
"""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import ClassVar

_log = logging.getLogger(__name__)


class Severity(StrEnum):
    """How much an operator should care."""

    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Visibility(StrEnum):
    """Who may read the message: anybody, or only who runs the system."""

    USER = "user"
    OPERATOR = "operator"


class SextantError(Exception):
    """The root. Catch this to catch everything that Sextant raises on purpose."""

    code: ClassVar[str] = "internal"
    severity: ClassVar[Severity] = Severity.ERROR
    visibility: ClassVar[Visibility] = Visibility.USER

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidInput(SextantError):
    """What was passed cannot be taken; nothing was written."""

    code = "invalid_input"
    severity = Severity.WARNING


class TooLarge(InvalidInput):
    """What was passed is over a limit."""

    code = "too_large"


class InvalidFilter(InvalidInput):
    """The filter has an unknown field or a value of the wrong kind."""

    code = "invalid_filter"


class InvalidVector(InvalidInput):
    """The vector has the wrong width, no direction, or a number that is none."""

    code = "invalid_vector"


class NotFound(SextantError):
    """There is no such thing, as far as this scope can see."""

    code = "not_found"
    severity = Severity.WARNING


class AgentNotFound(NotFound):
    """There is no agent of that name."""

    code = "agent_not_found"


class InterruptNotFound(NotFound):
    """No run of the thread waits for such an answer."""

    code = "interrupt_not_found"


class Denied(SextantError):
    """Whoever asks is not let in; the message tells nothing of what is inside."""

    code = "denied"
    severity = Severity.WARNING


class Unauthenticated(Denied):
    """There is no proof of who asks, or it does not hold."""

    code = "unauthenticated"


class Forbidden(Denied):
    """Who asks is known, and may not do this."""

    code = "forbidden"


class Overloaded(SextantError):
    """More is asked than can be done at once; another try may help, after so many seconds."""

    code = "overloaded"
    severity = Severity.WARNING

    def __init__(self, message: str, hint: str, retry_after: float = 1.0) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class RateLimited(Overloaded):
    """This caller asks more often, or keeps more open, than it may."""

    code = "rate_limited"


class PeerError(SextantError):
    """Another server of ours did not do what was asked of it."""

    code = "peer"


class PeerRefused(PeerError):
    """Another server of ours does not let us in; whoever runs them has to mend that."""

    code = "peer_refused"


class PeerUnreachable(PeerError):
    """Another server of ours is down, too slow, overloaded, or left alone after failures."""

    code = "peer_unreachable"
    severity = Severity.WARNING

    def __init__(self, message: str, hint: str, retry_after: float = 0.0) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class Conflict(SextantError):
    """Somebody else changed it first, or owns it."""

    code = "conflict"
    severity = Severity.WARNING


class Outdated(Conflict):
    """It is no longer the version that was read; whoever reads it again may try again."""

    code = "outdated"


class ConfigError(SextantError):
    """A setting is wrong."""

    code = "config"
    visibility = Visibility.OPERATOR


class UnknownScheme(ConfigError):
    """No adapter answers to that scheme."""

    code = "unknown_scheme"


class MissingExtra(ConfigError):
    """The adapter needs a package that is installed on demand."""

    code = "missing_extra"


class SettingsUnreachable(ConfigError):
    """Where settings or secrets are kept does not answer; another start may help."""

    code = "settings_unreachable"


class EmbedderError(SextantError):
    """The embedder cannot work."""

    code = "embedder"
    visibility = Visibility.OPERATOR


class GuardrailDenied(SextantError):
    """What a user wrote may not be answered; the message is the guardrail's reason."""

    code = "guardrails_validation_failed"
    severity = Severity.WARNING


class GuardrailUnavailable(GuardrailDenied):
    """What a user wrote is not answered, as nobody could check it."""

    code = "guardrails_unavailable"


class NoModel(SextantError):
    """What is asked needs a language model, and none is set."""

    code = "no_model"
    severity = Severity.WARNING


class TooManyActions(SextantError):
    """The model called actions again and again, and did not come to an end."""

    code = "too_many_actions"
    severity = Severity.WARNING


class ModelError(SextantError):
    """A language model did not do what was asked, after so many retries."""

    code = "model"
    visibility = Visibility.OPERATOR
    retries: int = 0
    status: int = 0
    """What the model's server answered with, where it answered."""


class ModelAuthentication(ModelError):
    """The key is missing, wrong, or may not do this."""

    code = "model_authentication"


class ModelNotFound(ModelError):
    """The provider knows no such model, deployment or address."""

    code = "model_not_found"


class ModelRejected(ModelError):
    """The provider does not take such a request: too long, or of a kind that it does not know."""

    code = "model_rejected"


class ModelRefused(ModelError):
    """The model, or its provider's filter, declines to answer."""

    code = "model_refused"
    severity = Severity.WARNING
    visibility = Visibility.USER


class ModelBudgetSpent(ModelError):
    """The tokens that were allowed are used up."""

    code = "model_budget_spent"
    severity = Severity.WARNING
    visibility = Visibility.USER


class InvalidReply(ModelError):
    """The reply is not what its schema asks for."""

    code = "invalid_reply"
    severity = Severity.WARNING


class ModelUnreachable(ModelError):
    """The model did not answer this time; another try may help, after so many seconds."""

    code = "model_unreachable"
    severity = Severity.WARNING

    def __init__(self, message: str, hint: str, retry_after: float = 0.0) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class ModelRateLimited(ModelUnreachable):
    """The provider wants fewer calls, or no more of them today."""

    code = "model_rate_limited"


class ModelTimeout(ModelUnreachable):
    """The model was too slow."""

    code = "model_timeout"


class ModelUnavailable(ModelUnreachable):
    """The model's server is down, overloaded, or left alone for a while after failures."""

    code = "model_unavailable"


class BrokenStream(ModelUnreachable):
    """The reply ended halfway, or is no reply at all."""

    code = "broken_stream"


class ReadError(SextantError):
    """A source could not be read; the others were not touched by that."""

    code = "read"
    severity = Severity.WARNING


class UnknownFormat(ReadError):
    """Nobody here reads this kind of file."""

    code = "unknown_format"


class BrokenFile(ReadError):
    """The file is damaged, or not what it says it is."""

    code = "broken_file"


class TooMuch(ReadError):
    """Reading on would go over a limit of size, number, depth, time or memory."""

    code = "too_much"


class UnsafeSource(ReadError):
    """The source leads out of its tree, or to a private address."""

    code = "unsafe_source"


class Unreachable(ReadError):
    """The source cannot be opened or fetched."""

    code = "unreachable"


class Gone(Unreachable):
    """The source says that there is nothing at this address any more."""

    code = "gone"


class Ignored(ReadError):
    """The source is left out on purpose: by a pattern, a rule of the site, or a habit."""

    code = "ignored"


class StoreError(SextantError):
    """The store cannot do what was asked."""

    code = "store"
    visibility = Visibility.OPERATOR


class StoreBusy(StoreError):
    """Other writers held the store for longer than the wait."""

    code = "store_busy"
    severity = Severity.WARNING
    visibility = Visibility.USER


class StoreFull(StoreError):
    """There is no room left for the store."""

    code = "store_full"
    severity = Severity.CRITICAL


class StoreUnwritable(StoreError):
    """The store's files cannot be written or read."""

    code = "store_unwritable"
    severity = Severity.CRITICAL


class StoreClosed(StoreError):
    """The store was closed."""

    code = "store_closed"


class StoreDamaged(StoreError):
    """The truth, or a backup of it, is not what was written."""

    code = "store_damaged"
    severity = Severity.CRITICAL


class NotAStore(StoreError):
    """The folder or file holds something else."""

    code = "not_a_store"


class FormatMismatch(StoreError):
    """The store was written by a version that reads and writes another format."""

    code = "format_mismatch"


class EmbedderMismatch(StoreError):
    """The store's vectors were made by another embedder."""

    code = "embedder_mismatch"


class LanguageMismatch(StoreError):
    """The store's keyword index was made for another language."""

    code = "language_mismatch"


class CommitUnknown(StoreError):
    """A read asked for a commit that this store does not hold."""

    code = "commit_unknown"
    visibility = Visibility.USER


class IndexBehind(StoreError):
    """A read asked for a commit that the truth has and the index does not hold yet."""

    code = "index_behind"
    severity = Severity.WARNING
    visibility = Visibility.USER


HIDDEN = "The server cannot do this now."
HIDDEN_HINT = "Try again later, or tell whoever runs it the request id."


def public_words(error: SextantError) -> tuple[str, str]:
    """Return the message and the hint that a caller may read; the operator's go to the log."""
    if error.visibility == Visibility.USER and error.severity != Severity.CRITICAL:
        return error.message, error.hint
    _log.warning("Not told to the caller (%s): %s", error.code, error)
    return HIDDEN, HIDDEN_HINT
