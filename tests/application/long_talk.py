"""A conversation of sixty turns: what is decided in the first is asked at the end."""

_DECISION = (
    "Let us settle the garden party: it is on 14 June at Lake Ammer, Mara brings the tent, and we invite 35 guests.",
    "Settled: the garden party is on 14 June at Lake Ammer, Mara brings the tent, and 35 guests are invited.",
)

_LATER = (
    (
        "How do I keep tomatoes from splitting?",
        "Water them evenly and mulch the bed; sudden rain after a dry week makes the skin split.",
    ),
    (
        "My bicycle chain squeaks.",
        "Clean it with a dry cloth, put one drop of oil on each link, and wipe off the rest after ten minutes.",
    ),
    (
        "What is a good stretch after running?",
        "Stand on a step with your toes, lower both heels slowly, and hold that for thirty seconds.",
    ),
    (
        "How long does bread dough rise?",
        "At room temperature about ninety minutes; in the fridge overnight, which also gives it more taste.",
    ),
    (
        "Why is the sky blue?",
        "Air scatters short waves of light more than long ones, so blue light reaches us from all sides.",
    ),
    (
        "How do I remove a coffee stain?",
        "Rinse with cold water, dab with a little vinegar and soap, and wash it as usual afterwards.",
    ),
    (
        "What can I cook with leeks?",
        "Braise them with butter and lemon, or make a soup with potatoes and a little cream.",
    ),
    (
        "How often should I water a cactus?",
        "In summer about every two weeks; in winter hardly at all, since it rests then.",
    ),
    (
        "Which knot holds a hammock?",
        "A bowline around the tree and a becket hitch on the ring; both come loose again easily.",
    ),
    (
        "How do I sharpen a kitchen knife?",
        "Hold it at fifteen degrees on a wet stone, draw it evenly, and end on the fine side.",
    ),
)


def _turns():
    yield from _DECISION
    for number in range(29):
        question, answer = _LATER[number % len(_LATER)]
        again = (
            ""
            if number < len(_LATER)
            else f" Please tell me that once more, in other words, for visit {number // len(_LATER) + 1}."
        )
        yield question + again
        yield answer


TALK = [*_turns()]
"""Messages and answers in turns."""
