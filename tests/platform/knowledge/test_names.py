"""Names are found by code, in English, German and French (platform 36)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.knowledge.names import distinct_names, find_names
from aeon.platform.knowledge.readings import language_of, words_of
from aeon.platform.knowledge.word_cases import count_cases


def names(text, cases=None):
    return distinct_names(find_names(text, cases))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday Tove Lindberg called me from Uppsala.", ["Tove Lindberg", "Uppsala"]),
        ("Thanks! The weather in May is fine. I speak German.", []),
        ("Mark my words. Ask Mark about it.", ["Mark"]),
        ("We moved from SQLite to PostgreSQL on my iPhone, said NASA.", ["SQLite", "PostgreSQL", "iPhone", "NASA"]),
        ("Write to anna@example.org or see https://Example.org/Anna and `Anna`.", []),
        ("Dr. Novak met Ludwig van Beethoven and Anne-Sophie.", ["Novak", "Ludwig van Beethoven", "Anne-Sophie"]),
        ("It is Tove's dog.", ["Tove"]),
        ("I'd like a PDF of the CSV, please.", []),
        ("THIS IS NOT WHAT I ASKED FOR TOVE", []),
        ("Gestern war ich mit Tove in Linz, der Kuchen war gut.", ["Tove", "Linz"]),
        ("Ich habe Hunger, Zeit und einen neuen Rucksack.", []),
        ("Toves Schwester Ida arbeitet bei der Nordwind GmbH in Bremen.", ["Tove", "Ida", "Nordwind GmbH", "Bremen"]),
        ("Die Versicherung zahlt. Das Projekt Polarfuchs beginnt.", ["Polarfuchs"]),
        ("Wir ziehen nach Frankfurt am Main um.", ["Frankfurt am Main"]),
        ("Das Fest ist in der Lindenstraße 7.", ["Lindenstraße"]),
        ("Hier, Tove est allée à La Rochelle avec l'oncle d'Ida.", ["Tove", "La Rochelle", "Ida"]),
        ("Je travaille chez Renault, place du marché.", ["Renault"]),
        ("これは名前ではない", []),
        ("", []),
    ],
)
def test_names_are_found_and_nothing_else(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unsere Schwägerin Wendeline und Oma Isentrud kommen.", ["Wendeline", "Isentrud"]),
        ("Uns half die Pächterin Quynh Anh Vo.", ["Quynh Anh Vo"]),
        ("Ich habe einen Häcksler von Pollmeier und war mit Frau Zunk von der Sparkasse dort.", ["Pollmeier", "Zunk"]),
        ("Wir schlafen im Hotel Talblick, im Gasthof Sonne war Gudrun.", ["Hotel Talblick", "Gasthof Sonne", "Gudrun"]),
        ("Er forscht am Quedlin-Institut und lehrt an der Musik-Schule.", ["Quedlin-Institut"]),
        ("Ansgard, Merten und ich radeln den Neckar entlang.", ["Ansgard", "Merten", "Neckar"]),
        ("Hallo, ich bin Tjorven, bin Lehrer und wohne in Jever.", ["Tjorven", "Jever"]),
        ("Kathrin Sommer leitet das. Kaltes Wasser hilft.", ["Kathrin Sommer"]),
        ("Würde Emrys seinen Job aufgeben?", ["Emrys"]),
        ("Das Projekt Dünenblick läuft.", ["Dünenblick"]),
        ("Operiert hat ihn Frau Öztürk, laut Ilse gut.", ["Öztürk", "Ilse"]),
        ("Die Firma verlangt Unterlagen, am Freitag heiratet Leonor.", ["Leonor"]),
        ("Kuchenteig mit Kürbis und Walnüssen, dazu Sahne. Kinder schlafen, Geschirr läuft.", []),
    ],
)
def test_german_names_are_known_by_what_stands_beside_them(text, expected):
    assert names(text, count_cases(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Oskar's birthday is on Monday.", ["Oskar"]),
        ("Rahul quit.", ["Rahul"]),
        ("Maria, our neighbour, moved.", ["Maria"]),
        ("Karim et moi partons.", ["Karim"]),
        ("Jonas?", ["Jonas"]),
    ],
)
def test_what_follows_a_first_word_may_say_that_it_is_a_name(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text", ["Sold by an old couple.", "Coach is strict.", "Canapé commandé en ligne.", "Verkauft wegen Umzug."]
)
def test_notes_without_a_subject_begin_with_no_name(text):
    assert names(text) == []


def test_how_a_user_writes_a_word_elsewhere_decides_on_first_words():
    assert names("Rose is here.", {"rose": (3, 0)}) == ["Rose"]
    assert names("Rose is here.", {"rose": (0, 2)}) == []
    assert names("WHERE IS ROSE WHEN WE NEED HER", {"rose": (2, 0)}) == ["ROSE"]


def test_words_are_counted_as_names_only_within_sentences():
    assert count_cases("Bread is good. We bought bread with Tove.") == {
        **dict.fromkeys(("is", "good", "bought", "bread", "with"), (0, 1)),
        "tove": (1, 0),
    }
    assert count_cases("Wir haben das Brot und Tove gesehen.")["brot"] == (0, 1)


def test_the_place_of_a_name_is_that_of_its_letters():
    text = "At noon  Tove   Lindberg came."
    (found,) = find_names(text)
    assert (found.text, text[found.start :].startswith("Tove")) == ("Tove Lindberg", True)


@pytest.mark.parametrize(
    ("text", "language"),
    [("where is the cat", "en"), ("wo ist die Katze", "de"), ("où est le chat", "fr"), ("123", "en")],
)
def test_the_language_is_seen_by_its_small_words(text, language):
    assert language_of(text) == language


@given(st.text(max_size=300))
def test_any_text_has_names_or_none(text):
    found = find_names(text)
    assert all(each.text.strip() == each.text != "" for each in found)
    assert [each.start for each in found] == sorted(each.start for each in found)
    assert all(count > 0 for pair in count_cases(text).values() for count in [sum(pair)])
    assert count_cases(text).keys() <= words_of(text)
