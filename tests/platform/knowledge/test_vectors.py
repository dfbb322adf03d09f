"""Vectors keep their directions as text, and a matrix finds the closest ones, whatever was removed before."""

import random

import pytest

from aeon.platform.embedder import unit_vector
from aeon.platform.knowledge.vectors import VectorMatrix, encode_vector, part_order, vector_subject


def cosine(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def random_vector(chance, dimensions=32):
    return unit_vector([chance.gauss(0, 1) for _ in range(dimensions)])


def test_a_vector_keeps_its_direction_as_text():
    chance, matrix = random.Random(1), VectorMatrix(384)
    vectors = {f"m{number}": random_vector(chance, 384) for number in range(50)}
    for message, vector in vectors.items():
        text = encode_vector(vector)
        assert len(text) == 512
        matrix.add(message, [text])
    asked = random_vector(chance, 384)
    for message, found in matrix.compare(asked).of(vectors).items():
        assert found == pytest.approx(cosine(vectors[message], asked), abs=0.01)


def test_the_closest_messages_are_those_with_the_highest_cosines():
    chance, matrix = random.Random(2), VectorMatrix(32)
    vectors = {f"m{number}": random_vector(chance) for number in range(600)}
    for message, vector in vectors.items():
        matrix.add(message, [encode_vector(vector)])
    asked = random_vector(chance)
    closest = matrix.compare(asked).closest(10, -1.0)
    best = sorted(vectors, key=lambda message: -cosine(vectors[message], asked))
    assert set(best[:8]) <= set(closest) <= set(best[:12])
    assert matrix.compare(asked).closest(10, 0.99) == []


def test_what_was_removed_is_not_compared_and_the_others_stay_as_they_were():
    chance, matrix = random.Random(3), VectorMatrix(32)
    vectors = {f"m{number}": [random_vector(chance), random_vector(chance)] for number in range(700)}
    for message, parts in vectors.items():
        matrix.add(message, map(encode_vector, parts))
    for number in range(0, 700, 2):
        matrix.remove(f"m{number}")
    matrix.remove("nobody")
    asked = random_vector(chance)
    cosines = matrix.compare(asked)
    left = {message for message in vectors if int(message[1:]) % 2}
    assert set(matrix.messages()) == left
    assert set(cosines.of(vectors)) == left
    assert set(cosines.closest(2_000, -1.0)) == left
    for message in left:
        values = [cosine(part, asked) for part in vectors[message]]
        assert cosines.of([message])[message] == pytest.approx(max(values), abs=0.02)


def test_the_best_part_of_a_message_is_the_one_that_is_closest():
    matrix = VectorMatrix(2)
    matrix.add("m", [encode_vector([1.0, 0.0]), encode_vector([0.0, 1.0])])
    assert matrix.compare([0.0, 1.0]).best_part("m") == 1
    assert matrix.compare([1.0, 0.0]).best_part("m") == 0
    assert matrix.compare([1.0, 0.0]).best_part("nobody") == 0


def test_a_text_that_no_model_can_embed_has_no_vector():
    matrix = VectorMatrix(2)
    matrix.add("m", [""])
    assert "m" in matrix
    assert matrix.compare([1.0, 0.0]).of(["m"]) == {}


def test_vectors_without_a_direction_or_of_another_length_are_refused():
    with pytest.raises(ValueError, match="no direction"):
        encode_vector([0.0, 0.0])
    with pytest.raises(ValueError, match="3 numbers instead of 2"):
        VectorMatrix(2).add("m", [encode_vector([1.0, 0.0, 0.0])])


def test_parts_are_in_the_order_of_their_numbers():
    subjects = {vector_subject("m", part): str(part) for part in (10, 2, 0, 1)}
    assert subjects == {"m#10": "10", "m#2": "2", "m": "0", "m#1": "1"}
    assert part_order(subjects) == ["0", "1", "2", "10"]
