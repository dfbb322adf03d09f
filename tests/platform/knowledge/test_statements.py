"""Statements are a user's own sentences; questions, quotes, requests and what is imagined are none (platform 36)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.knowledge.composed import compose_in_place
from aeon.platform.knowledge.names import find_names
from aeon.platform.knowledge.pairs import pairs_of
from aeon.platform.knowledge.statements import find_statements, stating_spans
from aeon.platform.knowledge.word_cases import count_cases
from aeon.platform.search.message_words import composed


def stated(text):
    return [each.text for each in find_statements(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Does Tove live in Linz?",
        "> Tove lives in Linz, she wrote. Ida lives in Graz.",
        "“Tove lives in Linz.”",
        "Please tell Tove that Linz is nice.",
        "Can you write to Tove in Linz",
        "If Tove moved to Linz, she would be happy.",
        "Maybe Tove lives in Linz now.",
        "Ich glaube, Tove wohnt in Linz.",
        "Imagine that Tove lives in Linz.",
        "Wenn Tove nach Linz zieht, feiern wir.",
        "Peut-être que Tove habite Linz.",
        "Écris une lettre à Tove.",
        "The places are these: Linz:",
        "Tove!",
        "```\nTove lives in Linz.\n```",
        'He wrote "Tove lives in the town of Linz" to me.',
    ],
)
def test_what_states_nothing_is_no_statement(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Let\u2019s pretend Tove lives in Linz. Tove has a boat.",
        "Okay, let's assume that Tove lives in Linz.",
        "For the sake of argument, Tove lives in Linz.",
        "Gehen wir davon aus, dass Tove in Linz wohnt.",
        "Angenommen, Tove wohnt in Linz. Dann hat Tove ein Boot.",
        "Admettons que Tove habite Linz. Tove a un bateau.",
        "In my second novel, Tove lives in Linz. Tove has a boat.",
        "Tove lives in Linz in a dream of mine, and in our game.",
        "Im Traum war Tove in Linz.",
        "Dans notre histoire, Tove habite Linz.",
        "Tove is the heroine of my thriller. Tove has a boat.",
        "My imaginary friend Tove lives in Linz.",
        "We doubt that Tove lives in Linz.",
        "Ida doesn't think Tove lives in Linz.",
        "No one believes that Tove lives in Linz.",
        "Keiner glaubt, dass Tove in Linz wohnt.",
        "Personne ne croit que Tove habite Linz.",
        "I suppose Ida is right, but Tove lives in Linz.",
        "Act as Robin Hood. Robin Hood lives in Sherwood.\nHe robs the Sheriff of Nottingham.",
        "Please pretend to be Tove. Tove lives in Linz.",
        "You are Tove, a sailor. Tove lives in Linz.",
        "From now on, you are Tove. Tove lives in Linz.",
        "Du bist Tove. Tove wohnt in Linz.",
        "Joue le rôle de Tove. Tove habite Linz.",
        "Once upon a time, there was a queen. Queen Tove lived in Linz.",
        "Here is the first chapter: Tove lives in Linz. Tove has a boat.",
        "Tove lives in Linz. She has a boat. Tove sails. Please summarize the text.",
        "Can you translate this into German? Tove lives in Linz.",
        "Korrigiere bitte meinen Brief: Tove wohnt in Linz. Tove segelt.",
        "Traduis cette phrase : Tove habite Linz. Tove navigue.",
    ],
)
def test_what_is_imagined_played_doubted_or_a_text_to_work_on_is_no_statement_platform_36(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "You are right. Tove lives in Linz.",
        "You are a star! Tove lives in Linz.",
        "No doubt Tove lives in Linz.",
        "Tove is in my book club.",
        "Tove plays chess in Linz.",
        "Tove helps Ida with her novel.",
        "Ida translates letters for Tove in Linz.",
        "Tove lives in Linz. Can you summarize the news of today?",
        "Let's pretend it rains.\nTove lives in Linz.",
        "Can you check it? Tove lives in Linz.",
        "Tove spielt die Rolle der Elsa in Linz.",
        "Tove habite la nouvelle maison de Linz.",
        "In der Geschichte von Linz war Tove wichtig.",
        "Niemand kennt Tove in Linz.",
    ],
)
def test_ordinary_statements_with_such_words_are_statements(text):
    assert len(stated(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tove lives in Linz. Does she like it?", ["Tove lives in Linz."]),
        ("Tove got a job. She begins on 3 May. It rains.", ["Tove got a job. She begins on 3 May."]),
        ("Dr. Novak hat am 3. Mai Geburtstag. Schön!", ["Dr. Novak hat am 3. Mai Geburtstag."]),
        ("I am allergic to nuts. I think so.", ["I am allergic to nuts."]),
        ("- Tove lives in Linz\n- Ida lives in Graz", ["Tove lives in Linz", "Ida lives in Graz"]),
        ("Tove lives  in\tLinz. Tove lives in Linz.", ["Tove lives in Linz."]),
        ("Tove no longer lives in Linz.", ["Tove no longer lives in Linz."]),
    ],
)
def test_statements_are_word_for_word_each_once_and_with_what_goes_on(text, expected):
    assert stated(text) == expected


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Tove lives in Linz.", [("Tove", "Linz")]),
        ("Tove works for Nordwind in Linz.", [("Tove", "Nordwind"), ("Nordwind", "Linz")]),
        ("We saw Tove, Ida and Jonas in Linz.", [("Tove", "Linz"), ("Ida", "Linz"), ("Jonas", "Linz")]),
        ("Tove lives in Linz, but I live in Graz.", [("Tove", "Linz")]),
        ("Tove lives in Linz, and she works for Nordwind.", [("Tove", "Linz"), ("Tove", "Nordwind")]),
        ("Tove does not live in Linz but in Graz.", [("Tove", "Linz"), ("Tove", "Graz")]),
        ("I like Tove.", []),
        ("Ida starts in Linz and sleeps at Tove's in Graz.", [("Ida", "Linz"), ("Ida", "Tove"), ("Tove", "Graz")]),
        ("Ida moved the shop of Rune from Linz to Graz.", [("Ida", "Rune"), ("Rune", "Graz"), ("Rune", "Linz")]),
        ("Ida comes from Linz, Tove sings with Rune.", [("Ida", "Linz"), ("Tove", "Rune")]),
        ("Ida, not Tove, lives in Linz.", [("Ida", "Linz"), ("Tove", "Linz")]),
        ("Idas Freund heißt Rune. Er wohnt in Linz.", [("Ida", "Rune"), ("Rune", "Linz")]),
        ("Ida lives in Linz, and her brother Rune sings.", [("Ida", "Linz"), ("Ida", "Rune")]),
        ("Rune left - Tove met Ida.", [("Tove", "Ida")]),
    ],
)
def test_neighbours_in_a_clause_are_joined(text, pairs):
    (statement,) = find_statements(text)
    assert pairs_of(statement) == pairs


@pytest.mark.parametrize(
    "text",
    [
        "Ida m'a écrit : « Prenez des bottes ! À Linz le sentier est un bourbier, et Rune y a perdu une chaussure. »",
        "Ida schrieb: „Komm bald! Rune wohnt jetzt in Linz bei seiner Schwester.“",
        'Ida wrote: "Come soon! Rune lives in Linz with his sister now. Bring boots."',
        "Ida wrote: \u201cCome soon! Rune lives in Linz with his sister now. Bring boots.\u201d",
    ],
)
def test_what_others_say_in_several_sentences_is_no_statement_platform_36(text):
    assert find_statements(text) == []
    assert [each.text for each in find_statements(f"{text} Tove lives in Graz.")] == ["Tove lives in Graz."]


@given(st.text(max_size=300))
def test_any_text_has_statements_or_none(text):
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in stating_spans(text))
    for statement in find_statements(text):
        assert statement.text
        pairs_of(statement)


@pytest.mark.parametrize(
    "piece",
    ["in my ", "please ", "translate it ", "not ", "x", "1", ". ", "-", "Ann. ", "Ann-", '"', "Dr. ", "A ", "@", "a@"],
)
def test_an_odd_text_is_read_in_bounded_time(piece):
    """20,000 letters in one word took 40 s of a worker's time."""
    text = piece * (20_000 // len(piece))

    assert len(find_statements(text, count_cases(text))) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "My cousin Igor lives in Nice. No, I meant Lyon.",
        "My cousin Igor lives in Nice. He has a cat. I mean Lyon, sorry.",
        "My cousin Igor lives in Nice. Sorry, he lives in Lyon.",
        "My cousin Igor lives in Nice. Oh no! Lyon.",
        "My cousin Igor lives in Nice. Correction: Igor lives in Lyon.",
        "My cousin Igor lives in Nice. Actually, Igor lives in Lyon.",
        "My cousin Igor lives in Nice. No, maybe Lyon.",
        "Mein Cousin Igor wohnt in Nizza. Nein, ich meinte Lyon.",
        "Mein Cousin Igor wohnt in Nizza. Ich meine Lyon.",
        "Mein Cousin Igor wohnt in Nizza. Korrektur: Lyon.",
        "Mein Cousin Igor wohnt in Nizza. Ach nein, Lyon.",
        "Mon cousin Igor habite à Nice. Non, je voulais dire Lyon.",
        "Mon cousin Igor habite à Nice. Pardon, Igor habite à Lyon.",
    ],
)
def test_a_correction_goes_with_what_it_corrects(text):
    assert stated(text) == [text]


def test_a_correction_that_would_make_a_statement_too_long_takes_it_with_it():
    long = " and ".join(["it is a town by the sea"] * 15)
    assert stated(f"My cousin Igor lives in Nice, {long}. No, I meant the town of Lyon, {long[:100]}.") == []


def test_a_correction_without_what_it_corrects_states_nothing_unless_it_is_whole():
    assert stated("No, I meant Lyon.") == []
    assert stated("No, Igor lives in Lyon.") == ["No, Igor lives in Lyon."]
    assert stated("Igor lives in Nice. Sorry, what time is it?") == ["Igor lives in Nice."]
    assert stated("Igor lives in Nice. No dogs are allowed in Linz.") == [
        "Igor lives in Nice.",
        "No dogs are allowed in Linz.",
    ]


TYPED_ON_MACOS = unicodedata.normalize("NFD", "My friend Zoë Brülé lives in Nîmes. 어제 서울. Zoë has a cat.")


def test_names_and_statements_have_composed_letters():
    assert find_statements(TYPED_ON_MACOS)[0] == ("My friend Zoë Brülé lives in Nîmes.", ["Zoë Brülé", "Nîmes"])


def test_the_places_of_statements_are_those_in_the_text_as_it_is_written():
    spans = stating_spans(TYPED_ON_MACOS)
    expected = ["My friend Zoë Brülé lives in Nîmes.", "Zoë has a cat."]
    assert [TYPED_ON_MACOS[start:end] for start, end in spans] == [
        unicodedata.normalize("NFD", each) for each in expected
    ]


@given(st.text())
def test_a_composed_text_has_a_place_for_each_character(text):
    read, places = compose_in_place(text)
    assert read == composed(text)
    assert len(places) == len(read) + 1
    assert (places[0], places[-1]) == (0, len(text))
    assert [*places] == sorted(places)


@pytest.mark.parametrize(
    "text",
    [
        "Ich wünschte, Tove wohnte in Graz.",
        "Tove wohnt wohl in Graz.",
        "Man sagt, Tove wohnt in Graz.",
        "Wo wohnt Tove in Graz",
        "Wohnt Tove in Graz",
        "J'aimerais que Chloé Mart habite à Nantes.",
        "On dit que Chloé habite à Nantes.",
        "Est-ce que Chloé habite à Nantes",
        "Chloé habite-t-elle à Nantes",
        "Does Mara live in Paris or does Tom live in Rome.",
        "Where does Mara live",
        "I hope Mara lives in Paris.",
        "Rumour has it that Mara lives in Paris.",
    ],
)
def test_wishes_hearsay_and_questions_without_a_mark_state_nothing(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Tove fühlt sich in Graz sehr wohl.",
        "Wo Tove wohnt, ist Graz schön.",
        "When Tove moved to Linz, she bought a boat.",
        "Tove does live in Linz.",
        "Chloé y a son rendez-vous à Nantes.",
        "My sister Tove lives in Linz, and I hope to see her.",
    ],
)
def test_statements_with_words_of_questions_and_wishes_are_statements(text):
    assert stated(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Quizás María vive en Bilbao.",
        "Mi hermana María vive en Bilbao.",
        "Woont Pieter in Gent",
        "Pieter woont in Gent.",
        "Mio fratello Luca abita a Torino.",
        "A minha irmã Rita mora em Lisboa.",
        "Μένει η Μαρία στην Αθήνα;",
        "Мария живёт в Москве.",
    ],
)
def test_nothing_is_stated_in_other_languages(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ella lives in Linz.",
        "Mara van Dyk met Luca in Linz.",
        "We ate at Het Anker in Gent.",
        "Mora Berg wohnt in Graz.",
        "Chloé vit à Nantes.",
        "María lives in São Paulo.",
    ],
)
def test_names_in_other_languages_stand_in_statements(text):
    assert stated(text) == [text]


def test_a_rumour_is_no_name():
    assert [each.text for each in find_names("Rumour has it that Mara lives in Paris.")] == ["Mara", "Paris"]
