"""Requirements: how they are read, and what is said when one is not met."""

import pytest

from evals.errors import BadInputError
from evals.suite.requirements import parse_requirements

FIGURES: dict[str, dict[str, float | None]] = {
    "recollect": {"frac@10": 0.7, "mrr": None},
    "bm25": {"frac@10": 0.5},
}


@pytest.mark.parametrize(
    "text", ["frac@10>=0.65", "frac@10 > .69", "bm25:frac@10<=0.5", "frac@10==.7"]
)
def test_a_requirement_that_holds_has_no_shortfall(text: str) -> None:
    (requirement,) = parse_requirements([text])
    assert requirement.shortfall(FIGURES) is None


def test_a_shortfall_says_which_and_by_how_much() -> None:
    (requirement,) = parse_requirements(["frac@10>=0.75"])
    assert requirement.shortfall(FIGURES) == (
        "frac@10>=0.75: recollect:frac@10 is 0.7, off by 0.05"
    )


@pytest.mark.parametrize("text", ["mrr>=0", "unknown>=0", "dense:frac@10>=0"])
def test_what_was_not_measured_is_not_met(text: str) -> None:
    (requirement,) = parse_requirements([text])
    assert "was not measured" in str(requirement.shortfall(FIGURES))


@pytest.mark.parametrize(
    "text", ["frac@10", "frac@10>=", "frac@10>=much", ">=1", "frac@10=>1", "mrr>=nan"]
)
def test_a_malformed_requirement_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="--require"):
        parse_requirements([text])
