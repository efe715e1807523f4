"""What stands in pages beside their words: shown as a reader of the page sees it, or not at all."""

import time

import pytest

from sextant.text.markdown import inert, readable
from tests.text.test_markdown import HOSTILE, live

PLAIN = ("text", "csv", "email", "pdf", "docx", "html", "rst")


@pytest.mark.parametrize(
    "text",
    [
        "set logscale {<axes>} {<base>}",
        "a map of <key, value>",
        "a List<String> or a Map<K, V>",
        "a Promise<void> of <T>",
        "put <your-token> there",
        "from <title> to <source>",
        "if a<b and c>d",
        "<i am here>",
        "remote_timeout: <duration> | default = 30s",
    ],
)
@pytest.mark.parametrize("kind", ["", "markdown", "json", *PLAIN])
def test_what_is_no_tag_stays_in_every_format(text: str, kind: str) -> None:
    assert readable(text, kind) == text


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize(
    "text", ["<b>bold</b>", "<a@b.example>", "<br>", '<a href="x">', r"C:\_x\*", "&lt;"]
)
def test_plain_text_has_neither_tags_nor_escapes(text: str, kind: str) -> None:
    assert readable(text, kind) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one<br>two<br/>three", "one two three"),
        ('<div class="x">in <em>it</em>.</div>', "in it."),
        ("<title>Runbook</title>", "Runbook"),
        ("press <kbd>Ctrl</kbd>, then <code>a_b</code>", "press `Ctrl`, then `a_b`"),
        ('<img src="x.png" alt="How a page is read"/>', "How a page is read"),
        ("seen <!-- not seen --> again", "seen again"),
        ("<script>alert(1)</script>seen", "seen"),
        ("<a@b.example> and <https://wiki.example/x>", "a@b.example and https://wiki.example/x"),
        ("&lt;key&gt; &amp; more &mdash; so", "<key> & more — so"),
    ],
)
def test_tags_of_a_page_are_read_as_they_look(text: str, expected: str) -> None:
    assert readable(text, "markdown") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<TeamMember name="Ada Quill" role="Lead" photo="/ada.png" />', "Ada Quill: Lead"),
        ('<Card title="Install" href="/x">Run it.</Card>', "Install: Run it."),
        ('<Tabs><TabItem value="a" label="npm">Run it.</TabItem></Tabs>', "npm: Run it."),
        ("<Version/> <Note>Mind it.</Note>", "Mind it."),
        ("<Image src={plan} alt={'How it runs'} />", "How it runs"),
        ('<Image src="/x.png" alt="x.png" />', ""),
        ("{/* a remark */}seen", "seen"),
    ],
)
def test_components_show_what_they_name_and_what_is_in_them(text: str, expected: str) -> None:
    assert readable(text, "markdown") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"2\. step \_a\_ \*b\* \# \[c\] \\", r"2. step _a_ *b* # [c] \ "),
        (r"`\_` in code", r"`\_` in code"),
        (r"a \` b \` c", r"a \` b \` c"),
        (r"C:\dir", r"C:\dir"),
        (r"process\_cpu\_seconds", "process_cpu_seconds"),
    ],
)
def test_a_sign_behind_a_backslash_is_read_as_the_sign(text: str, expected: str) -> None:
    assert readable(text, "markdown") == expected.strip()


def test_escapes_are_shown_once() -> None:
    assert inert(readable(r"2\. run `a\_b` for node\_exporter", "markdown")) == (
        "2\\. run `a\\_b` for node_exporter"
    )
    assert inert(readable(r"a \` b \` c", "markdown")) == r"a \` b \` c"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('See {{< ref "a/b.md" >}}x and [that]({{< ref "a/b.md" >}}).', "See x and that."),
        ('Since {{< param "version" >}}.', "Since version."),
        ('A {{< glossary_tooltip text="Pod" term_id="pod" >}} runs.', "A Pod runs."),
        ('{{< figure src="x.png" caption="How it runs" >}}', "How it runs"),
        ("{{< youtube w7Ft2ymGmfc >}}{{% toc %}}", ""),
        ("{% raw %}a {{ b }}{% endraw %}", "a {{ b }}"),
        ('{% include "low.html" %}{% include note.html %}', ""),
        ('Ask {% slack_channel "help" %} first.', "Ask help first."),
        ('{% image "_img/x.png" "A boat at sea" %}', "A boat at sea"),
        ("seen {% comment %} not seen {% endcomment %}again", "seen again"),
        ("[[VAR::team]] and [[VAR::port|8080]]", "team and 8080"),
        ("[[Rota|the rota]], [[Rota]]", "the rota, Rota"),
        ("[[1, 2], [3]] and [[ -z x ]]", "[[1, 2], [3]] and [[ -z x ]]"),
        ("[[Q-1] How?](#q) and [x](https://w.example/a_(b))", "[Q-1] How? and x"),
        ("A heading {#own-name}", "A heading"),
        ("Go on with [the next]({% page", "Go on with the next"),
        ('"/a/b" %}), then on', ", then on"),
    ],
)
def test_shortcodes_and_variables_show_what_they_stand_for(text: str, expected: str) -> None:
    assert readable(text, "markdown") == expected


@pytest.mark.parametrize("name", ["diagram", "x.png", "image", "Screenshot 2", "img/flow.svg", ""])
def test_an_image_that_says_nothing_is_not_shown(name: str) -> None:
    assert readable(f"![{name}](x.png)") == ""
    assert readable(f"![The flow of {name}](x.png)").startswith("The flow of")


def test_names_with_two_underscores_stay_in_plain_text() -> None:
    assert readable("call __init__ of a__b__c", "text") == "call __init__ of a__b__c"
    assert readable("a__b__c", "markdown") == "a__b__c"


def test_a_placeholder_in_an_address_is_part_of_it() -> None:
    assert inert("See https://wiki.example/<team-name>/y.") == (
        "See `https://wiki.example/<team-name>/y`."
    )


def test_a_package_with_its_version_is_one_address() -> None:
    assert inert("Take @scope/tools@4.0.0.") == "Take `@scope/tools@4.0.0`."


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markup_becomes_nothing_but_text(text: str) -> None:
    for form in (text, f"\\{text}", f"{{{{< x >}}}}{text}", text.replace("<", "&lt;")):
        assert live(inert(readable(form, "markdown"))) == set()


@pytest.mark.parametrize(
    "text",
    [
        "<" * 100_000,
        "[[" * 50_000,
        "{{<" * 30_000,
        "{%" * 50_000,
        "<!--" * 25_000,
        "{/*" * 30_000,
        '<a b="' * 15_000,
        "<A b={" * 15_000,
        "<script>" * 12_000,
        "<A>" * 30_000,
        "[a](" * 25_000,
        "{% comment %}" * 8_000,
    ],
)
def test_long_text_is_read_in_time(text: str) -> None:
    begun = time.process_time()
    readable(text, "markdown")
    assert time.process_time() - begun < 1
