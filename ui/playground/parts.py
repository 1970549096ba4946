"""What views are put together from."""

from __future__ import annotations

import gradio as gr

CONCURRENT_TURNS = 8


# What the page draws anew keeps its attributes: whether it is folded is told by what is around it.
FOLD = """{
const title = () => element.querySelector('.rc-fold');
const told = () => title().setAttribute('aria-expanded', String(!('folded' in element.dataset)));
const fold = isFolded => { element.toggleAttribute('data-folded', isFolded); told(); };
fold(matchMedia('(max-width: 760px)').matches);
watch('value', told);
element.addEventListener('click', event => {
  if (event.target.closest('.rc-fold')) fold(!('folded' in element.dataset));
});
}
"""


def card(title: str, elem_id: str, script: str | None = None) -> gr.HTML:
    """Return a framed part under a heading that folds it, which it does by itself on a phone.

    `script` runs once in the page, for its buttons.
    """
    return gr.HTML(
        js_on_load=FOLD + (script or ""),
        elem_id=elem_id,
        elem_classes=["rc-card"],
        html_template=(
            f"<h2><button class='rc-fold' aria-expanded='true'>{title}</button></h2>"
            "<div class='rc-body'>${value}</div>"
        ),
    )
