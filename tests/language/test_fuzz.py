"""A sample of the mutation runs: `python -m tests.language.fuzz` makes longer ones."""

from tests.language.fuzz import check_text, corpus, run


def test_mutated_files_raise_nothing_and_give_placed_findings():
    codes, failures = run(cases=300, seed=1)
    assert failures == []
    assert len(codes) > 25


def test_unmutated_files_are_sound():
    for text in corpus():
        check_text(text)
