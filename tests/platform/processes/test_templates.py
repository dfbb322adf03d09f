"""Output templates: every name is checked when the Process is saved, and a text has a size (platform 6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import AeonError, MissingExtraError
from aeon.platform.processes.expressions import templates
from aeon.platform.processes.expressions.templates import TemplateError, check_template, render_output

VALUES = {
    "lang": "en",
    "rows": [{"name": "a", "tags": [1, 2]}],
    "step": {"sum": {"total": 2.5, "note": None}, "no": None},
}


def problems(template):
    return check_template(template, ["lang", "rows"], ["sum", "no"])


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{lang}}: {{step.sum.total}}{{step.no}}{{step.sum.note}}", "en: 2.5"),
        ("{{#each rows}}{{name}}{{#each tags}}{{this}}{{../../lang}}{{/each}}{{/each}}", "a1en2en"),
        ("{{#if step.no}}x{{else}}none{{/if}}", "none"),
        ("{{#with step.sum}}{{total}}{{/with}}", "2.5"),
        ("{{#each rows as |row|}}{{row.name}}{{/each}}", "a"),
        ("{{json rows}} {{json step.no}}", '[{"name":"a","tags":[1,2]}] null'),
        (
            "{{rows}} {{rows.[0]}} {{#each rows}}{{tags}}{{/each}}",
            '[{"name":"a","tags":[1,2]}] {"name":"a","tags":[1,2]} [1,2]',
        ),
        ("{{log lang}}{{!-- {{nobody}} --}}\\{{nobody}}", "{{nobody}}"),
        ("<{{lang}}> & 'x'", "<en> & 'x'"),
    ],
)
def test_a_template_over_inputs_and_variables(template, expected):
    """Platform 6."""
    assert problems(template) == []
    assert render_output(template, VALUES) == expected


@pytest.mark.parametrize("template", ["{{json rows}}", "{{rows}}"])
def test_json_keeps_letters_and_escapes_what_utf_8_cannot_encode(template):
    values = {**VALUES, "rows": ["\u00dcber", "\U0001f600", "\ud800"]}
    assert render_output(template, values) == '["\u00dcber","\U0001f600","\\ud800"]'


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("{{nobody}}", "nobody"),
        ("{{step.nobody}}", "step.nobody"),
        ("{{step.nobody.x}}", "step.nobody"),
        ("{{#each rows}}{{../step.nobody}}{{/each}}", "../step.nobody"),
        ("{{#each rows}}{{#each tags}}{{../../nobody}}{{/each}}{{/each}}", "../../nobody"),
        ("{{#if step.nobody}}x{{/if}}", "step.nobody"),
        ("{{#if lang}}x{{else}}{{nobody}}{{/if}}", "nobody"),
        ("{{#with step}}{{nobody}}{{/with}}", "nobody"),
        ("{{@root.step.nobody}}", "@root.step.nobody"),
        ("{{{step.nobody}}}", "step.nobody"),
        ("{{step.[nobody]}}", "step.nobody"),
        ("{{this.nobody}}", "nobody"),
        ("{{json step.nobody}}", "step.nobody"),
        ("{{uppercase lang}}", "uppercase"),
        ("{{^step.nobody}}x{{/step.nobody}}", "step.nobody"),
    ],
)
def test_every_variable_is_checked_when_saved(template, path):
    """Platform 6: at every depth, in loops and behind `../` too."""
    found = problems(template)
    assert found == [f"{{{{{path}}}}} does not exist; there are lang, rows, step.no, step.sum"]
    with pytest.raises(TemplateError):
        render_output(
            template.replace("{{#if lang}}", "{{#if step.no}}"), {**VALUES, "step": {**VALUES["step"], "sum": 1}}
        )


def test_an_input_named_like_a_helper_is_not_silently_nothing():
    """Platform 6."""
    (problem,) = check_template("{{log}} {{~ log ~}} \\{{each}} {{#if log}}{{json log}}{{/if}}", ["log"], [])
    assert problem == "{{log}} is a Handlebars helper; an input of that name is {{@root.log}}"
    assert check_template("{{@root.log}}", ["log"], []) == []
    assert render_output("{{@root.log}}", {"log": "x"}) == "x"


def test_what_is_looked_up_by_name_must_be_there():
    """Platform 6: that name is known only when the template is rendered."""
    assert (
        render_output('{{lookup step "sum" }}{{lookup rows 0}}', {**VALUES, "rows": ["r"], "step": {"sum": "s"}})
        == "sr"
    )
    for template in ('{{lookup step "nobody"}}', "{{lookup rows 7}}", '{{lookup lang "x"}}', '{{lookup rows "x"}}'):
        assert problems(template) == []
        with pytest.raises(TemplateError, match="lookup does not find"):
            render_output(template, VALUES)


def test_all_of_a_template_s_faults_are_named_once():
    """Platform 6."""
    assert len(problems("{{a}}{{step.b}}{{a}}{{lang}}")) == 2


@pytest.mark.parametrize("template", ["{{#if lang}}", "{{/if}}", "{{> partial}}", "{{", "{{#if lang}}" * 2000])
def test_what_is_no_template_is_said(template):
    """Platform 6."""
    assert len(problems(template)) == 1
    with pytest.raises(TemplateError):
        render_output(template, VALUES)


def test_the_text_has_a_size():
    """Platform 6: however it is made."""
    for template in ("{{lang}}", "{{#each rows}}{{lang}}{{/each}}"):
        values = {"lang": "x" * 60, "rows": [{"lang": "y" * 30}] * 3, "step": {}}
        with pytest.raises(TemplateError, match="longer than 50 characters"):
            render_output(template, values, most=50)
    assert render_output("{{lang}}", {"lang": "x" * 50}, most=50) == "x" * 50


NESTED = "{{#each rows}}" + "{{#each @root.rows}}" * 3
LOOPS = {
    "of loops": NESTED + "{{/each}}" * 4,
    "with helpers": "{{#each rows}}{{#each @root.rows}}{{#if (json @root.long)}}{{/if}}{{/each}}{{/each}}",
}


@pytest.mark.slow
@pytest.mark.parametrize("template", LOOPS.values(), ids=LOOPS)
def test_a_template_that_would_not_end_is_refused_as_such(template):
    """Though it makes no text at all; 100 rows are 100 million rounds."""
    with pytest.raises(TemplateError, match="more than 1,000,000 steps"):
        render_output(template, {"rows": list(range(100)), "long": "x" * 100_000})


def test_blocks_that_are_nested_too_deeply_are_refused():
    template = "{{#if lang}}" * 5000 + "{{/if}}" * 5000
    with pytest.raises(TemplateError, match="nested too deeply"):
        render_output(template, VALUES)


def test_values_are_never_templates():
    """Platform 6."""
    assert render_output("{{lang}}", {"lang": "{{rows}} {step.x} {{{lang}}}"}) == "{{rows}} {step.x} {{{lang}}}"


@given(st.text(max_size=40) | st.text(alphabet="{}#/eachiflng. ~^@!>step", max_size=40))
def test_any_text_is_a_template_or_an_error(template):
    """Platform 6."""
    found = problems(template)
    try:
        text = render_output(template, VALUES)
    except AeonError:
        return
    assert isinstance(text, str)
    assert isinstance(found, list)


def test_without_the_library_the_extra_is_named(uninstall):
    templates._environment.cache_clear()
    uninstall("pydantic_handlebars")
    with pytest.raises(MissingExtraError, match=r"\[platform\]"):
        check_template("{{lang}}", ["lang"], [])


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{#each step.rows}}{{#if this}}{{this.n}}{{else}}-{{/if}}{{/each}}", "1-"),
        ("{{#each step.rows as |row|}}{{#if row}}{{row.n}}{{else}}-{{/if}}{{/each}}", "1-"),
        ("{{#each step.rows}}{{#unless this}}none{{/unless}}{{/each}}", "none"),
        ("{{#each step.rows}}[{{json this}}{{this}}]{{/each}}", '[{"n":1}{"n":1}][null]'),
        ("{{step.rows}} {{json step.rows}}", '[{"n":1},null] [{"n":1},null]'),
    ],
)
def test_a_null_in_a_list_is_nothing(template, expected):
    """Platform 41: a loop gives null for an item that failed; the library would show what surrounds the list."""
    assert render_output(template, {"n": "outer", "step": {"rows": [{"n": 1}, None]}}) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{#each v}}{{@key}}={{this}}; {{/each}}", "a=1; b=; "),
        ("{{#each v}}{{#if this}}{{this}}{{else}}-{{/if}}{{/each}}", "1-"),
        ("{{#each v}}{{json this}} {{/each}}", "1 null "),
        ("{{#each v as |value key|}}{{key}}={{value}}; {{/each}}", "a=1; b=; "),
        (
            "{{#each v}}{{#each this}}{{this}}{{else}}none{{/each}}{{#with this}}x{{else}}none{{/with}}; {{/each}}",
            "nonex; nonenone; ",
        ),
        ("{{#each (lookup @root 'v')}}{{this}};{{/each}}", "1;;"),
        ("{{#with v}}{{#each this}}{{this}};{{/each}}{{/with}}", "1;;"),
        ("{{#each @root.step}}{{@key}}={{this}};{{/each}}", "none=;"),
        ("{{v}} {{json v}}", '{"a":1,"b":null} {"a":1,"b":null}'),
        (
            "{{v.b}}[{{json v.b}}][{{v.b.part}}][{{lookup v 'b'}}][{{#v.b}}x{{/v.b}}{{^v.b}}none{{/v.b}}]",
            "[null][][][none]",
        ),
    ],
)
def test_a_null_in_an_object_is_nothing_in_a_loop_and_null_in_a_path(template, expected):
    """The library would show everything that surrounds the object, so the whole context of the run."""
    assert render_output(template, {"v": {"a": 1, "b": None}, "step": {"none": None}}) == expected


def test_a_part_of_a_null_in_a_list_is_refused():
    with pytest.raises(TemplateError, match="n"):
        render_output("{{#each step.rows}}{{n}}{{/each}}", {"n": "outer", "step": {"rows": [{"n": 1}, None]}})
