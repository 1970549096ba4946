"""What reads a line beside a question (`memory/recall/ranking/attention.py`), learnt.

`pools` gathers what is learnt from with the product; the rest needs jax and optax
(`requirements/train.txt`), and neither stores nor an embedder.
"""
