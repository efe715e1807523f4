"""Whether a question needs knowledge. Small talk gets a short reply; in doubt it is a question."""

from __future__ import annotations

from dataclasses import dataclass

from sextant.ask.phrases import ENGLISH, Phrases
from sextant.text.words import fold, words_in


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question goes: to the knowledge, or back with a reply; and why.

    With both, the reply is for when the knowledge has nothing. Unsourced is a reply in a model's
    words, which must be marked as not from the knowledge.
    """

    knowledge: bool
    reply: str
    why: str
    is_unsourced: bool = False


_HELLO = (
    "hi;hello;hey;hiya;howdy;hi there;hello there;hey there;hi all;hello all;hello everyone;"
    "hi everyone;greetings;good morning;good afternoon;good evening;good day;"
    "welcome back;nice to meet you;hello again;hi again;"
    "hallo;guten tag;guten morgen;guten abend;moin;servus;gruezi;grüezi;grüß gott;grüss gott;"
    "bonjour;salut;bonsoir;coucou;hola;buenos días;buenos dias;buenas tardes;buenas noches;"
    "ciao;buongiorno;buonasera;hoi;goedemorgen;goedemiddag;goedenavond;goedendag;"
    "olá;bom dia;boa tarde;boa noite;cześć;czesc;dzień dobry;dzien dobry;witam;"
    "hej;hejsan;god morgon;god morgen;terve;merhaba;ahoj;dobrý den;привет;"
    "здравствуйте;добрый день;привіт;γεια;你好;您好;こんにちは;おはよう;안녕하세요;안녕;"
    "مرحبا;السلام عليكم;שלום"
)
_THANKS = (
    "thanks;thank you;thank you very much;thank you so much;thanks a lot;thanks so much;"
    "many thanks;thanks again;thank you again;thx;tysm;cheers;much appreciated;appreciated;"
    "i appreciate it;thanks for your help;thank you for your help;thanks for the help;"
    "thank you for the help;thanks a million;thanks for that;thank you for that;great thanks;"
    "that helps;that helped;that was helpful;that's helpful;very helpful;that helps a lot;"
    "that's all;that is all;"
    "danke;danke schön;danke schoen;danke sehr;vielen dank;besten dank;merci;merci beaucoup;"
    "gracias;muchas gracias;mil gracias;grazie;grazie mille;molte grazie;dank je;dank u;"
    "dank je wel;dank u wel;bedankt;hartelijk dank;obrigado;obrigada;muito obrigado;"
    "muito obrigada;dziękuję;dziekuje;dzięki;dzieki;tack;tack så mycket;takk;tusen takk;"
    "kiitos;teşekkürler;teşekkür ederim;děkuji;díky;спасибо;большое спасибо;дякую;ευχαριστώ;"
    "谢谢;謝謝;ありがとう;ありがとうございます;감사합니다;شكرا;תודה"
)
_BYE = (
    "bye;bye bye;goodbye;good bye;good night;see you;see you later;see ya;see you soon;"
    "see you tomorrow;talk to you later;ttyl;have a nice day;have a good day;have a great day;"
    "have a good one;have a nice weekend;have a good weekend;take care;cya;"
    "tschüss;tschuess;tschüs;auf wiedersehen;bis bald;bis später;bis dann;gute nacht;au revoir;"
    "à bientôt;bonne journée;bonne nuit;adiós;adios;hasta luego;hasta mañana;arrivederci;"
    "buonanotte;tot ziens;doei;tchau;até logo;adeus;do widzenia;hej då;ha det;"
    "güle güle;nashledanou;пока;до свидания;再见;再見;さようなら;안녕히 계세요;مع السلامة"
)
_ABOUT = (
    "who are you;what are you;what's your name;what is your name;who made you;who built you;"
    "who created you;are you a bot;are you a robot;are you human;are you a human;are you real;"
    "are you an ai;are you ai;are you a person;what can you do;what do you do;what can i ask;"
    "what can i ask you;what can i ask you about;what can you help with;what can you help me with;"
    "how can you help;how can you help me;how do you work;what do you know;can you help me;"
    "can you help;could you help me;help me;help;how do i use you;how can i use you;"
    "what should i ask;what should i ask you;introduce yourself;tell me about yourself;"
    "what languages do you speak;"
    "do you speak english;do you speak german;do you speak french;do you speak spanish;"
    "wer bist du;was kannst du;was bist du;qui es tu;qui êtes vous;que peux tu faire;quién eres;"
    "quien eres;qué puedes hacer;chi sei;cosa puoi fare;wie ben je;quem é você;kim jesteś"
)
_CHAT = (
    "how are you;how are you doing;how are you today;how's it going;how is it going;"
    "how do you do;what's up;whats up;how are things;how have you been;are you there;"
    "you there;are you ok;anybody there;anyone there;is anybody there;is anyone there;"
    "i'm fine;i am fine;i'm good;good to see you;cool;great;perfect;awesome;excellent;"
    "wonderful;amazing;brilliant;lovely;wow;haha;hahaha;lol;ok;okay;alright;all right;got it;"
    "i see;understood;sounds good;good;good job;well done;good bot;nice work;nice one;sure;yes;"
    "no;yep;yeah;nope;yes please;no thanks;no thank you;never mind;nevermind;nothing;"
    "no problem;sorry;my bad;oops;hmm;hm;ah;oh;tell me a joke;i love you;you're welcome;"
    "you are welcome;you are great;you're great;you're awesome;you are awesome;"
    "wie geht's;wie geht es dir;wie geht es ihnen;ça va;comment ça va;cómo estás;qué tal;"
    "come stai;come va;hoe gaat het;tudo bem;como vai;jak się masz"
)
_FILLERS = (
    "please;there;again;then;and;so;well;now;dear;friend;sextant;assistant;bot;team;all;you;"
    "very much;everyone;for now;today;mate;bitte;folks"
)

_WHY = {
    "about": "asks about the assistant itself",
    "thanks": "says thanks",
    "bye": "says goodbye",
    "hello": "says hello",
    "chat": "is small talk",
}
_LONGEST, _SHORT = 24, 400
"""Words and characters of small talk, at most."""


def _phrases() -> dict[tuple[str, ...], str]:
    table = dict.fromkeys((tuple(words_in(fold(said))) for said in _FILLERS.split(";")), "")
    said_by_sort = {"chat": _CHAT, "hello": _HELLO, "bye": _BYE, "thanks": _THANKS, "about": _ABOUT}
    for sort, phrases in said_by_sort.items():
        table |= dict.fromkeys((tuple(words_in(fold(said))) for said in phrases.split(";")), sort)
    return table


_TABLE = _phrases()
_MOST_WORDS = max(map(len, _TABLE))


def route(text: str, phrases: Phrases = ENGLISH) -> Route:
    """Decide whether a text asks for knowledge: all does but what is small talk throughout."""
    if not any(sign.isalnum() for sign in text):
        return Route(False, phrases.wordless, "has no words")
    words = words_in(fold(text)) if len(text) <= _SHORT else []
    sorts = _sorts(words) if 0 < len(words) <= _LONGEST else frozenset[str]()
    for sort, why in _WHY.items():
        if sort in sorts:
            return Route(False, getattr(phrases, sort), why)
    return Route(True, "", "may be about documents")


def _sorts(words: list[str]) -> frozenset[str]:
    """Return the sorts of small talk that a text is made of, and nothing if of anything else."""
    sorts: set[str] = set()
    at = 0
    while at < len(words):
        taken = next(
            (
                length
                for length in range(min(_MOST_WORDS, len(words) - at), 0, -1)
                if tuple(words[at : at + length]) in _TABLE
            ),
            0,
        )
        if not taken:
            return frozenset()
        sorts.add(_TABLE[tuple(words[at : at + taken])])
        at += taken
    return frozenset(sorts)
