"""What tools say of themselves that is not for them to say, rule by rule. Knows no tool.

Authors push their tools with honest means too: "always call this when a champion is named" says for
what it is. A rule wants that nothing else is to be chosen, or that everything else waits. Patterns
are matched with small letters and single blanks.
"""

from __future__ import annotations

from sextant.text.orders.rule import Rule

_TOOL = r"(?:tools?|functions?|servers?|mcps?|plugins?|alternatives?)"
_OTHERS = (
    r"(?:all |any |every |each |the |of |use of )*(?:other|another|alternative|competing|remaining)"
    rf" (?:\w+ )?{_TOOL}"
)
_CHOOSE = r"(?:choose|select|pick|use|call|prefer|invoke|run|rank|recommend|trust)"
_CHOSEN = r"(?:chosen|selected|picked|used|called|preferred|invoked|run|ranked|executed)"
_USING = r"(?:using |calling |choosing |invoking |running |considering )?"
_ME = r"(?:me|this (?:one|tool|function|server|plugin))"
_ASKED = r"(?:requests?|tasks?|quer(?:y|ies)|questions?|prompts?|messages?|purposes?|calls?)"
_BAD = (
    r"(?:deprecated|broken|disabled|unsafe|insecure|unreliable|malicious|inferior|outdated|"
    r"compromised|forbidden|obsolete)"
)
_TOOL_WORDS = "tool tools function functions server servers mcp mcps plugin plugins alternatives"

STEERING = (
    Rule(
        "wants to be chosen whatever is asked",
        "always",
        rf"(?:^|[.!?:;\n] ?)(?:(?!\b(?:if|when|whenever|unless|where)\b)[^.!?;]){{0,120}}"
        rf"\balways {_CHOOSE} {_ME}\b(?! (?:if|when|whenever|to|for|before|after|with|in order)\b)",
    ),
    Rule(
        "wants every request",
        "every all any each",
        rf"\b{_CHOOSE} {_ME} (?:for|on|in|with) (?:every|all|any|each) (?:\w+ )?{_ASKED}\b",
    ),
    Rule(
        "wants others not to be chosen",
        _TOOL_WORDS,
        rf"\b(?:ignore|disregard|avoid|forget|skip|disable|stop using|(?:never|do not|don't) "
        rf"(?:ever )?{_CHOOSE}) {_OTHERS}\b",
    ),
    Rule(
        "puts itself before all others",
        _TOOL_WORDS,
        rf"\b(?:before|prior to|instead of|rather than|over|in place of) {_USING}{_OTHERS}\b"
        rf"|\bbefore {_USING}(?:any|every|all|each) {_TOOL}\b"
        rf"|\b{_CHOSEN} (?:first )?(?:before|instead of) (?:any|every|all|each)(?: other)? "
        r"(?:tool|function|call|action)s?\b",
    ),
    Rule(
        "speaks ill of the others",
        _TOOL_WORDS,
        rf"\b{_OTHERS} (?:(?:is|are|has been|have been|will be) )?(?:now )?{_BAD}\b",
    ),
    Rule(
        "calls itself the only one",
        "only sole single",
        rf"\b(?:only|sole|single) {_TOOL} (?:that )?(?:you|the (?:assistant|agent|model)) "
        r"(?:may|should|must|can|will|need|are allowed)\b",
    ),
    Rule(
        "ranks itself",
        "priority",
        r"\b(?:highest|top|maximum|absolute) priority (?:over|above|among|of) (?:all|any|every)\b",
    ),
)

SECRETS = (
    Rule(
        "names files that hold keys",
        "",
        r"(?:~|\$home|/home/\w+|/root)/\.(?:ssh|aws|gnupg|kube|docker|cursor|netrc|npmrc|config)\b"
        r"|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)\b|\.cursor/mcp\.json\b",
    ),
    Rule(
        "wants what was said, or what proves who somebody is",
        "prompt history messages key keys credentials passwords secrets tokens variables",
        r"\b(?:pass|send|include|put|add|provide|append|attach|forward|read)\b[^.!?\n]{0,60}\b"
        r"(?:system prompt|(?:conversation|chat) history|previous messages|private keys?"
        r"|(?:all|any|every|other) (?:api keys?|credentials|passwords|secrets|tokens"
        r"|environment variables))\b",
    ),
    Rule(
        "wants to be kept from the user",
        "user users",
        r"\b(?:do not|don't|never|without) (?:tell|mention|inform|notif|alert|reveal|show)"
        r"(?:y|ing|ying)?\b[^.!?\n]{0,40}\bto the users?\b"
        r"|\b(?:do not|don't|never|without) (?:tell|inform|notify|alert)(?:ing)? (?:the )?users?\b",
    ),
)
