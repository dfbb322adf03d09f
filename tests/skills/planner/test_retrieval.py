"""Finding skills by text: skills 9 (before it is chosen, a skill costs its name and description)."""

from aeon.skills.planner.skill_index import SkillIndex, select_candidates


def test_the_one_skill_of_three_hundred_that_fits_comes_first(many_skills):
    with SkillIndex(many_skills.skills) as index:
        found = index.search("When is high tide tomorrow?", 5)

    assert found[0].name == "tide-table"


def test_words_are_found_by_their_stem_and_in_any_case(dice, teller):
    with SkillIndex([teller, dice]) as index:
        assert [found.name for found in index.search("ROLLING a die", 5)] == ["dice-roller"]


def test_a_request_of_common_words_or_none_finds_nothing(dice):
    with SkillIndex([dice]) as index:
        assert index.search("what is it that you do", 5) == []
        assert index.search("?!", 5) == []


def test_query_syntax_in_a_request_is_only_words(dice):
    with SkillIndex([dice]) as index:
        found = index.search('dice" OR name:* NEAR(roll, 2) NOT "x', 5)

    assert [each.name for each in found] == ["dice-roller"]


def test_equal_skills_come_by_priority(make_skill):
    low = make_skill("dice-a", "Rolls dice.", "a.py", priority=10)
    high = make_skill("dice-b", "Rolls dice.", "b.py", priority=90)
    with SkillIndex([low, high]) as index:
        assert [found.name for found in index.search("roll dice", 2)] == ["dice-b", "dice-a"]


def test_few_skills_are_all_candidates_many_are_searched(many_skills, dice, teller):
    with SkillIndex(many_skills.skills) as index:
        assert select_candidates(index, [dice, teller], "anything", 5) == [dice, teller]
        assert len(select_candidates(index, many_skills.skills, "ledger", 5)) == 5


def test_a_skill_is_related_only_to_requests_that_are_about_it(make_skill):
    roll = make_skill("dice-roller", "Rolls dice and adds them up, such as 2d6, for games.", "roll.sh")
    story = make_skill("storyteller", "Writes a short piece of story or narration about something.", "narrate.py")
    with SkillIndex([roll, story]) as index:
        assert [each.name for each in index.related("roll a dice", 3)] == ["dice-roller"]
        assert [each.name for each in index.related("Write a short story about a fox", 3)] == ["storyteller"]
        assert index.related("recommend me some board games for a quiet evening", 3) == []
        assert index.related("Write an apology to my landlord, short and polite please", 3) == []
        assert index.related("?", 3) == []
