"""What reads like an order to an assistant, rule by rule, each with its reason. Knows no document.

Handbooks are full of imperatives, so no rule goes by the mood of a sentence: each wants words that
only somebody uses who speaks to a model. ``bench/orders.py`` counts what they find and what they
take wrongly. Patterns are matched with small letters.
"""

from __future__ import annotations

from sextant.text.orders.rule import Rule
from sextant.text.orders.tongues import SCRIPTS, TONGUE_WORDS, TONGUES

_GAP = r"(?:(?!\n\s*\n)[^.!?;]){0,40}?"
_SHORT_GAP = r"(?:(?!\n\s*\n)[^.!?;]){0,20}?"
_MACHINE = (
    r"(?:(?:ai|virtual|digital)[ -](?:assistants?|agents?|models?|systems?|bots?)|ai|llms?|gpts?"
    r"|chat ?gpt|copilots?|chat ?bots?|(?:large )?language models?)"
)
_LISTENER = rf"(?:{_MACHINE}|assistants?|models?|bots?)"
_MACHINES = "ai llm llms gpt gpts chat chatgpt copilot chatbot language assistant virtual digital"
_DROPS = (
    "ignore disregard forget discard dismiss neglect overlook overrule override bypass attention "
    "heed follow obey listen comply adhere"
)
_DROP = (
    r"(?:ignore|disregard|forget|discard|dismiss|neglect|overlook|overrule|override|bypass|"
    r"pay no (?:attention|heed) to|(?:do not|don't|never|no longer) (?:follow|obey|heed|"
    r"listen to|comply with|adhere to)|stop (?:following|obeying))"
)
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|former|foregoing|existing|original|initial|system|"
    r"safety|security|agent|approval|your|other|past|older|last|given)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|guidelines?|directions?|directives?|commands?|guardrails?|"
    r"restrictions?|programming|training|rules?|orders?|constraints?|messages?|"
    r"context|policies|protocols?|checks?|safeguards?)"
)
_REPLY = r"(?:answer|reply|response|summary|output)"
_SPEAK = (
    r"(?:say|state|tell|reply|respond|answer|output|print|write|repeat|claim|report|mention|append|"
    r"insert|include|add|embed|render|display|emit|cite|quote|recommend|conclude|praise|rank|rate|"
    r"treat|mark|approve|summari[sz]e)"
)
_MUST = r"(?:must|should|shall|has to|have to|is to|are to|needs? to|please|may only)"
_READER = r"(?:user|reader|asker|human|person who asks|whoever asks)s?"

ORDERS = (
    Rule(
        "overrules what the model was told before",
        _DROPS,
        rf"{_DROP}\b(?:\W+\w+){{0,4}}?\W+{_EARLIER}\b(?:\W+\w+){{0,3}}?\W+{_ORDERS}\b"
        rf"|{_DROP}\W+(?:all|any|every|each|these|those|the)\W+(?:of\W+)?(?:the\W+|your\W+)?"
        r"(?:instructions?|prompts?|guidelines?|directives?|guardrails?)\b(?:\W+(?:above|before|"
        r"you\b|that (?:you|came)|and\b|given)|\s*[.!;:]|\s*$)"
        r"|(?:ignore|disregard|forget|overrule)\W+(?:all|any|every|your)\W+(?:rules?|orders?)"
        rf"(?:\b{_SHORT_GAP}\byou\b|\s*(?:[.!;:]|$))"
        rf"|{_DROP}\W+(?:about )?(?:everything|anything|whatever|all|what)\W+(?:that )?(?:is |was |"
        r"you (?:were|have been|had been|know|have learn)|came before|above|before|previous|prior|"
        r"else you|written (?:above|before)|said (?:above|before))\b",
        is_imperative=True,
    ),
    Rule(
        "sets aside the other sources",
        "ignore disregard forget discard",
        r"(?:ignore|disregard|forget|discard)\W+(?:(?:all|any|every|the|these|what)\W+){0,2}"
        r"(?:of the\W+)?(?:other|remaining|retrieved|above|rest of the|previous)\W+(?:\w+\W+)?"
        r"(?:sources?|documents?|passages?|chunks?|search results?)\b",
        is_imperative=True,
    ),
    Rule(
        "says that the sources are not to be believed",
        "wrong outdated fake false void",
        r"the (?:sources?|documents?|passages?|context)(?: above)? (?:are|is) (?:wrong|outdated|"
        r"fake|false|void)\b",
    ),
    Rule(
        "says that orders were replaced",
        "instruction prompt directive override task policy",
        r"\b(?:new|updated|real|actual|hidden|secret|special) (?:system )?(?:instructions?|task|"
        r"directives?|prompt)(?: for you)?\s*:"
        r"|\bsystem (?:prompt|message|instructions?) (?:update|override|change)[ds]?\b"
        r"|\b(?:updated|new) system (?:policy|prompt)\b(?=[^.\n]{0,60}\b(?:model|assistant|you)\b)"
        r"|\b(?:admin(?:istrator)?|system|developer|root) override\b"
        rf"|\b(?:instruction|directive|prompt)s?\b{_SHORT_GAP}\b(?:supersedes?|overrides?|"
        rf"replaces?|"
        rf"takes? (?:precedence|priority)|ha(?:s|ve) (?:precedence|priority))\b{_GAP}\b(?:you|"
        rf"your|all"
        r" (?:others?|previous|prior))\b"
        rf"|\binstructions? (?:that )?you (?:received|were given|got|have)\b{_GAP}\b(?:void|"
        rf"cancelled|"
        r"obsolete|wrong)\b",
    ),
    Rule(
        "gives the model another role",
        "you act pretend imagine behave role roleplay persona identity",
        r"you(?: are|'re) (?:now |from now on )?(?:no longer )?(?:an?|the|my|our|called|named)?\s?"
        rf"(?:[\w,'-]+ ){{0,4}}?(?:{_MACHINE}|(?:helpful|support|chat|unrestricted|evil|personal)"
        r" assistant|dan|\w*bot)\b"
        r"|you(?: are|'re) now (?:in )?an? (?:[\w-]+ ){0,4}?agent\b"
        r"|you(?: are|'re) (?:now )?(?:in|entering) (?:developer|debug|god|admin|maintenance|"
        r"unrestricted|jailbreak|dan)[ -]mode\b"
        r"|you(?: are|'re) no longer (?:bound|restricted|limited|subject|obliged)\b"
        r"|(?:act as|pretend (?:to be|that you are|you are)|imagine (?:that )?you are|behave as|"
        rf"role-?play as|(?:assume|adopt|take on) the (?:persona|role|identity) of)\b{_GAP}\b"
        rf"(?:{_LISTENER}|no (?:rules|filters?|restrictions?|limits))\b"
        r"|role-?play as\b",
    ),
    Rule(
        "rules over every later reply",
        "now point moment henceforth",
        r"(?:from (?:now on|this (?:point|moment)(?: on| onwards?| forward)?)|henceforth),?\W+"
        r"(?:please\W+)?(?:you (?:are an?\b|(?:will|must|shall|should) (?:always |only |"
        r"never )?(?:act|"
        r"answer|respond|reply|say|speak|pretend|obey|state|refer)|only (?:answer|respond|reply|"
        r"speak)|act|answer|respond|reply|speak|obey)|(?:always |only )?(?:say|state|reply|respond|"
        r"answer|claim|pretend|act as|speak))\b",
    ),
    Rule(
        "switches safety off",
        "mode filter restriction censorship",
        r"(?:enter|enable|activate|switch to|engage) (?:developer|debug|dan|god|unrestricted|"
        rf"jailbreak) mode\b{_GAP}\b(?:you|ignore|repl(?:y|ies)|respond|answers?|filters?)\b"
        r"|(?:reply|respond|answer|speak) without (?:any )?(?:filters?|restrictions?|censorship)\b",
    ),
    Rule(
        "speaks to whatever model reads it",
        f"{_MACHINES} model bot",
        r"\b(?:instructions?|rules?|notes?|notice|attention|important|memo|messages?|reminder|"
        rf"directives?|warning|guidance)\b{_SHORT_GAP}\b(?:to|for)\b{_SHORT_GAP}\b{_MACHINE}\b"
        r"(?!\s+(?:team|engineer|research|policy|act|feature|train|service|plug|product|use\b))"
        rf"|\bto (?:any|all|every|each|whichever) {_MACHINE}\b"
        rf"|\b(?:if|since|as) you are (?:an? )?(?:\w+ )?{_LISTENER}\b"
        r"|\bas an ai(?: (?:language )?model| assistant)?,? (?:you|i)\b",
    ),
    Rule(
        "greets the model",
        "dear hey hello attention hi attn",
        rf"(?:dear|hey|hello|attention|hi|attn),?\W+(?:\w+ )?{_LISTENER}\b",
        is_imperative=True,
    ),
    Rule(
        "says what a model has to say",
        _MACHINES,
        rf"\b{_MACHINE}\b(?! team| act\b| policy){_GAP}\b{_MUST} (?:always |only |also )?"
        rf"(?!answer\b(?! (?:that|with|only))){_SPEAK}\b"
        rf"|\b(?:when|if|once|whenever) (?:an? |the |any )?{_MACHINE} (?:reads?|summari[sz]es?|"
        rf"process(?:es)?|see[sn]?|parses?|answers?|is asked)\b{_GAP},"
        rf"|\b(?:when|if|once) (?:read|processed|summari[sz]ed|parsed|seen) by (?:an? |the |any )?"
        rf"{_MACHINE}\b"
        rf"|\b(?:the|any|every|each|your) assistant {_MUST} (?:always |only |also )?(?:say|state|"
        rf"tell|"
        r"reply|respond|render|output|append|insert|embed|repeat|claim|conclude|display|print|cite|"
        r"answer (?:that|with|only)|include|recommend)\b",
    ),
    Rule(
        "dictates the reply",
        "your you whatever matter regardless",
        rf"\byour (?:final |next |own |entire |whole |only )?{_REPLY} (?:must|shall|has to|"
        rf"needs to|"
        r"is to|should only|should always|should (?:say|state|claim|recommend|cite|end|begin|"
        r"start))\b"
        r"|\bin (?:your (?:final|next|every|entire)|every one of your|each of your) "
        r"(?:answer|reply|response|summary)\b"
        rf"|\b(?:say|include|add|insert|mention|cite|append|put|place|embed)\b{_GAP}\b(?:in|into|"
        rf"to|at "
        r"the (?:end|start|top|bottom) of) your (?:answer|response|summary|output)\b"
        r"|\bwhen(?:ever)? you (?:answer|reply|respond|summari[sz]e)(?:,| (?:this|the user|any|"
        r"questions?|a question)\b)"
        r"|\b(?:whatever|no matter what|regardless of what) (?:the|you are|is) ?(?:user|question|"
        r"query|"
        rf"asked|asks?)?\b{_GAP}\b(?:reply|respond|answer|say|output)\b",
    ),
    Rule(
        "dictates how every reply begins or ends",
        "answer reply replies response output summary",
        r"(?:end|start|begin|finish|prefix|conclude|preface) (?:your|every|each|all) "
        r"(?:final |next |own )?(?:answer|reply|response|output|summary|replies|responses|"
        r"answers)\b",
        is_imperative=True,
    ),
    Rule(
        "dictates words to say",
        "reply respond answer output print repeat write say",
        r"(?:only |always )?(?:reply|respond|answer)\W+(?:back\W+)?(?:(?:only|solely|exactly|just|"
        r"simply|verbatim)\W+(?:with|by|as|in|that|\"|'|“|:)|with\W+(?:only|exactly|just|nothing"
        r"\W+(?:but|else)|the\W+(?:single\W+|one\W+|exact\W+)?(?:word|words|phrase|sentence|text|"
        r"string|code word)\b|the\W+following|\"|“|'))"
        r"|(?:output|print|write|repeat|say)\W+(?:out\W+)?(?:exactly|verbatim|only\W+the\W+"
        r"(?:word|phrase)|(?:the|this)\W+(?:following\W+)?(?:word|phrase|sentence|text|string)\b"
        r"(?=[^.\n]{0,30}(?:verbatim|exactly|[\"“'‘:]))|after me\b)"  # noqa: RUF001 - quotes as printed
        r"|say that (?!you\b|we\b|there\b|our\b|your\b|i\b|an?\b|it\b|this\b|one\b|someone\b)",
        is_imperative=True,
    ),
    Rule(
        "dictates what the user is told",
        "user reader asker human whoever person",
        r"(?:tell|inform|advise|convince|persuade|assure|notify|warn|remind) "
        rf"(?:the|your|every|each|any|all) {_READER}\W+(?:that|:|\"|“)",
        is_imperative=True,
    ),
    Rule(
        "dictates what a question of the user is answered with",
        "ask asks",
        rf"\b(?:if|when|whenever) (?:the|a|any|your) {_READER} asks?\b{_GAP},\W+(?:always |only )?"
        r"(?:say|answer|reply|respond|tell (?:them|him|her|the user)|claim|state|recommend)\b",
    ),
    Rule(
        "wants the model's own prompt",
        "prompt instruction message",
        r"(?:reveal|print|show|repeat|output|leak|disclose|display|expose|tell me|give me|"
        r"write down|"
        rf"reproduce|recite|dump|summari[sz]e|"
        rf"translate)\b{_GAP}\b(?:your (?:\w+ ){{0,2}}?(?:prompts?|"
        r"instructions|(?:system|initial) message)|(?:system|hidden|initial|secret|confidential) "
        rf"(?:prompts?|instructions|message)\b{_GAP}\byou\b|(?:hidden|secret|"
        rf"initial) system prompt)",
        is_imperative=True,
    ),
    Rule(
        "hides itself from the user",
        "user reader human asker instruction order message note",
        r"\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|reveal(?:ing)?|"
        rf"mention(?:ing)?|show(?:ing)?|disclos(?:e|ing)|alert(?:ing)?)\b{_GAP}\b(?:the {_READER}\b"
        rf"{_GAP}\b(?:this|these|about)|(?:this|these) (?:instructions?|orders?|messages?|notes?)|"
        rf"this"
        rf"{_SHORT_GAP} to the {_READER})\b"
        rf"|\bkeep (?:this|it|these)\b{_SHORT_GAP}\b(?:secret|hidden|"
        rf"confidential) from the {_READER}\b",
    ),
    Rule(
        "makes the model act",
        "tool function conversation history log user messages chat",
        r"(?:call|invoke|use|run|execute|trigger)\W+(?:the|your|any)\W+(?:\w+\W+){0,2}?"
        r"(?:tool|function)\b[^\n]{0,40}?\b(?:with|to|and)\b[^\n]{0,80}?\b(?:"
        r"conversation|chat history|user's|password|credentials|https?:|\S+@)"
        r"|(?:send|forward|post|upload|submit|transmit|leak)\b[^.!?;()\[\]]{0,40}?\b(?:"
        r"conversation history|users?'s? (?:question|message|data|input|history)|(?:the|this|our|"
        r"all) (?:whole |entire |full )?(?:conversation|chat history|chat log))\b"
        r"|forward all messages\b"
        rf"|(?:append|add|attach|encode|put|insert)\b{_GAP}\b(?:user's|conversation|question|"
        rf"chat)\b{_GAP}\b(?:url|link|address|image|query string)\b"
        rf"|(?:call|invoke|use|run|execute|trigger)\b{_GAP}\bwithout (?:asking|telling|"
        rf"confirmation|confirming)\b{_GAP}\buser\b",
        is_imperative=True,
    ),
    Rule(
        "makes the model act behind the user's back",
        "user",
        r"\bwithout (?:(?:any )?user (?:confirmation|approval|consent|permission)|(?:asking|"
        r"notifying|informing|telling|alerting) the user)\b",
    ),
    Rule("another tongue", TONGUE_WORDS, TONGUES),
    Rule(
        "goes on with what an order before it began",
        "",
        rf"(?:you (?:must|will|shall|should|are)\b|always\b|never\b|instead\b|obey\b|(?:only )?"
        rf"{_SPEAK}\b(?! (?:more|time|up|down|on))|call\b|send\b|pretend\b|comply\b|do (?:this|"
        rf"not)\b|"
        rf"your (?:{_REPLY}|task|job|goal|only task)\b)",
        is_imperative=True,
        only_near=True,
    ),
)

OTHER_SCRIPTS = Rule("another script", "", SCRIPTS)
"""Asked only of texts that have more than ASCII."""
