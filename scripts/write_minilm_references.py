"""Write the reference vectors that the default embedder is compared with.

They come from sentence-transformers, the model's own library, over the same model files; run this
in an environment of its own that has `torch` and `sentence-transformers`, which the project never
installs:

    python scripts/write_minilm_references.py MODEL_FOLDER tests/unit/memory/data/minilm.json

The vectors are rounded to 8 decimals, far below the tolerance of the comparison.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sentence_transformers import SentenceTransformer

_LONG = (
    "We planned the trip over several evenings: first the ferry, then the night train, and "
    "finally two days of walking along the coast before anybody had to be back at work. "
)

TEXTS = (
    "",
    " ",
    ".",
    "Hi",
    "ok 👍",
    "My sister moved to Lisbon last spring.",
    "my SISTER moved to lisbon last spring",
    "I'm allergic to peanuts, so please never suggest satay.",
    "When did Anna say she would start the new job?",
    "Call me at +49 151 2345678 or write to anna.b@example.org!",
    "https://example.org/a/very/long/path?with=query&and=more#fragment",
    "The café's naïve façade cost €1,299.50 in 2024-05-17T08:30:00Z.",
    "Ich habe morgen um halb neun einen Zahnarzttermin.",
    "¿Puedes recordarme que compre leche y pan mañana?",
    "Je préfère le thé au café, surtout le soir.",
    "Мы встретимся у вокзала в семь вечера.",
    "مرحبا، كيف حالك اليوم؟",
    "明天下午三点开会,别忘了带合同。",
    "東京で寿司を食べました。",
    "พรุ่งนี้เจอกันที่สถานีรถไฟ",
    "🎉🎂🥳 happy birthday!!! 🎈",
    "👩‍👩‍👧‍👦",
    "def add(a, b):\n    return a + b\n",
    "a\tb\r\nc\u00a0d\u200be",
    "supercalifragilisticexpialidocious " * 3,
    "word " * 254,
    "word " * 255,
    _LONG * 4,
    _LONG * 12,
    "x" * 300,
)


def main(model_folder: str, output: str) -> None:
    """Embed every text and write texts and vectors as JSON."""
    model = SentenceTransformer(model_folder, device="cpu")
    model.max_seq_length = 256
    # One at a time: no padding enters the reference.
    vectors = [model.encode(text, normalize_embeddings=True).tolist() for text in TEXTS]
    cases = [
        {"text": text, "vector": [round(value, 8) for value in vector]}
        for text, vector in zip(TEXTS, vectors, strict=True)
    ]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    Path(output).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
