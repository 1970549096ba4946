"""Moods: what the shipped weights say, and what is said of broken ones."""

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.contacts.mood import LABELS, Mood, load_reader, read_mood
from memory.contacts.mood.lexicon import feeling_of
from memory.contacts.mood.reading import WEIGHTS_FILE, packed
from memory.contacts.mood.wording import traits_of, words_of
from memory.errors import MoodUnavailable
from memory.minilm.recall import RecallEmbedder, fingerprint

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def embedder() -> RecallEmbedder:
    return RecallEmbedder()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I am so angry, this stupid thing never works!", "frustrated"),
        ("I miss him so much. I cried all night.", "sad"),
        ("I'm really scared and worried about tomorrow", "anxious"),
        ("Yay!! I'm so happy and excited, we won!", "excited"),
        ("I'm confused, I don't understand what you mean?", "confused"),
        ("The shop opens at nine.", "neutral"),
    ],
)
def test_plain_moods_are_read(text: str, label: str, embedder: RecallEmbedder) -> None:
    mood = read_mood(text, embedder.embed_array([text])[0])
    assert mood.label == label
    assert 0.3 <= mood.confidence <= 1


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Ich bin so traurig", "sad"),
        ("Estoy harta de esperar", "frustrated"),
        ("Мне очень страшно", "anxious"),
        ("J'ai hâte d'y être", "excited"),
        ("Não entendi nada disso", "confused"),
        ("Der Termin ist am Dienstag um zehn Uhr.", "neutral"),
        ("Поезд уходит в восемь с третьего пути", "neutral"),
        ("Ich habe keine Angst", "neutral"),
        ("明天九点开会", "neutral"),
    ],
)
def test_other_languages_are_read_by_words_of_feeling(
    text: str, label: str, embedder: RecallEmbedder
) -> None:
    mood = read_mood(text, embedder.embed_array([text])[0])
    assert mood.label == label
    assert mood.confidence <= 0.6


@pytest.mark.parametrize("text", ["", "   ", "12:30", "[NAME]"])
def test_texts_without_words_are_neutral(text: str, embedder: RecallEmbedder) -> None:
    assert read_mood(text, embedder.embed_array([text])[0]).label == "neutral"


def test_a_long_factual_text_is_neutral(embedder: RecallEmbedder) -> None:
    text = " ".join(
        [
            "The library is open from Monday to Saturday.",
            "You can borrow up to ten books for four weeks.",
            "The reading room is on the second floor, next to the lift.",
            "Newspapers are kept for one year and magazines for two.",
            "To print a page, put your card on the reader and choose the tray.",
            "Groups can book the rooms on the first floor through the desk.",
        ]
        * 4
    )
    assert read_mood(text, embedder.embed_array([text])[0]).label == "neutral"


def test_without_a_vector_words_are_enough() -> None:
    assert read_mood("I'm scared and worried", None).label == "anxious"


def test_a_vector_of_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="mismatch"):
        read_mood("I am happy", [0.5] * 7)


def test_the_weights_say_where_they_come_from() -> None:
    held = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    assert "GoEmotions" in held["about"]
    assert held["license"] == "Apache-2.0"
    assert "GoEmotions" in (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert len(load_reader().trained_on) == 64
    assert load_reader().embedder == fingerprint()
    assert held["cross_validation"]["macro_f1"] > 0.58


def broken(tmp_path: Path, **change: Any) -> Path:
    held = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(held | change), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["happy"]},
        {"words": "a b"},
        {"bias": [1.0]},
        {"by_word": {"shape": [1, 6], "step": 1.0, "int8": "AAAA"}},
        {"by_vector": {"shape": [384, 6], "step": 1.0, "int8": "no base64!"}},
        {"trained_on": None},
    ],
)
def test_broken_weights_are_named(tmp_path: Path, change: dict[str, Any]) -> None:
    path = broken(tmp_path, **change)
    with pytest.raises(MoodUnavailable, match="are broken") as caught:
        load_reader(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(MoodUnavailable, match="cannot be read"):
        load_reader(tmp_path / "absent.json")
    (tmp_path / "torn.json").write_text('{"labels": ')
    with pytest.raises(MoodUnavailable, match="are broken"):
        load_reader(tmp_path / "torn.json")


def test_a_packed_matrix_keeps_its_values_within_half_a_step() -> None:
    weights = np.random.default_rng(1).normal(size=(5, 6))
    held = packed(weights)
    whole = np.frombuffer(base64.b64decode(held["int8"]), np.int8).reshape(5, 6)
    assert np.abs(whole * held["step"] - weights).max() <= held["step"] / 2 + 1e-9


def test_words_marks_and_emoji_are_told_apart() -> None:
    assert words_of("Not happy!!!! [NAME] don’t care :( 🎉") == [
        "not",
        "happy",
        "!!",
        "don't",
        "care",
        ":(",
        "🎉",
        "not_happy",
        "not_care",
    ]
    asks, exclaims, shouts, trails_off, ends_asking, length = traits_of("WHY THOUGH?? NO... ok?")
    assert (asks, exclaims, trails_off, ends_asking) == (1.0, 0.0, 1.0, 1.0)
    assert shouts == pytest.approx(2 / 3)
    assert length == pytest.approx(4 / 30)


@pytest.mark.parametrize(
    ("text", "feeling"),
    [
        ("nicht traurig", None),
        ("Я не боюсь", None),
        ("No tengo miedo, estoy feliz", "excited"),
        ("guten Morgen", None),
    ],
)
def test_a_negated_feeling_is_none(text: str, feeling: str | None) -> None:
    assert feeling_of(text) == feeling


@pytest.mark.slow
def test_training_on_a_small_file_writes_weights_that_read(tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    done = subprocess.run(
        [sys.executable, "-m", "scripts.train_mood", "datasets/mood/own.jsonl", "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "macro_f1" in done.stdout
    reader = load_reader(out)
    assert isinstance(reader.read("I'm so scared", None), Mood)
    assert json.loads(out.read_text())["trained_on"]["cases"] == 156
    assert set(json.loads(out.read_text())["labels"]) == set(LABELS)
