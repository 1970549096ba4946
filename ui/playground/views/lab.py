"""The loop lab: a chat that is made up, played on the real server, with why each is answered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import gradio as gr
from gradio.components import Component

from evals.errors import CutOff
from evals.lab.cast import CHANNELS, MOST_CHARS, PLACES, SPEAKERS, WHO, Channel, Cue, Place, Who
from evals.lab.scenes import SCENES, scene_named
from memory.errors import RecollectError
from ui.playground.parts import CONCURRENT_TURNS
from ui.playground.views.lab_html import Course, course_html, scenes_html

if TYPE_CHECKING:
    from evals.lab.chat import LabChat
    from evals.lab.stage import Stage

MOST_ROWS = 200
"""Of one chat; then a new one has to be started."""
MOST_COURSES = 50
"""Chats that are kept to be gone on with, over all pages; the oldest go first."""

CHOOSE = """
element.addEventListener('click', event => {
  const scene = event.target.closest('button[data-scene]');
  if (!scene) return;
  trigger('select', { scene: scene.dataset.scene });
  // On a phone what is played stands below all the choices.
  if (matchMedia('(max-width: 760px)').matches) document.querySelector('#rc-lab').scrollIntoView();
});
"""

Shown = list[Any]  # Any: one value for each component that is shown anew, in their order


class Lab:
    """A scratch chat for trying who is answered; it has nothing to do with who is chosen."""

    name = "lab"
    title = "Loop lab"

    def __init__(self, stage: Stage | None = None) -> None:
        self._stage = stage
        self._played: dict[str, tuple[LabChat, Course]] = {}

    def draw(self, contact: gr.State) -> list[Component]:
        """Put scenes, the next line and the course on the page; `show` fills the course."""
        del contact
        key = gr.State("")
        channel = _choice(CHANNELS, "Channel", "rc-lab-channel")
        scenes = gr.HTML(
            scenes_html([(each.name, each.title, each.about) for each in SCENES]),
            elem_id="rc-lab-scenes",
            js_on_load=CHOOSE,
        )
        with gr.Row(equal_height=False):
            with gr.Column(scale=2, min_width=300, elem_id="rc-lab-line"):
                place = _choice(PLACES, "Where", "rc-lab-place")
                who = _choice(WHO, "Who does what next", "rc-lab-who")
                text = gr.Textbox(
                    label="Words",
                    placeholder="What is said, or what it is changed to",
                    max_lines=4,
                    max_length=MOST_CHARS,
                    elem_id="rc-lab-text",
                )
                is_meant = gr.Checkbox(
                    value=True, label="Mentions the agent, in a group", elem_id="rc-lab-meant"
                )
                with gr.Row():
                    play = gr.Button("Play", variant="primary", elem_id="rc-lab-play")
                    anew = gr.Button("Start over", elem_id="rc-lab-anew")
            with gr.Column(scale=3, min_width=300):
                course = gr.HTML(course_html(Course()), elem_id="rc-lab")
        quiet: dict[str, Any] = {  # Any: options of Gradio's events
            "show_progress": "hidden",
            "concurrency_limit": CONCURRENT_TURNS,
        }
        line = [key, channel, place, who, text, is_meant]
        gr.on([play.click, text.submit], self.line, line, [course, key, text], **quiet)
        scenes.select(self.scene, [channel], [course, key, place], **quiet)
        gr.on([anew.click, channel.input, place.input], self.anew, None, [course, key], queue=False)
        return []

    async def show(self, contact_id: str) -> Shown:
        """Return nothing new: the lab is about nobody who is listed."""
        del contact_id
        return []

    async def anew(self) -> Shown:
        """Forget the chat: the next line begins another. Outputs: the course, its key."""
        return [course_html(Course()), ""]

    async def line(
        self, key: str, channel: Channel, place: Place, who: Who, text: str, is_meant: bool
    ) -> AsyncIterator[Shown]:
        """Play one line, in the chat that is on or in a new one. Outputs: course, key, text."""
        if who in SPEAKERS and not text.strip():
            chat, course = self._played.get(key, (None, Course()))
            course.notice = "Type what is said first."
            yield [course_html(course), key if chat else "", gr.skip()]
            return
        is_first = True
        async for course, now in self._play(key, channel, place, [Cue(who, text, is_meant)], ""):
            yield [course_html(course), now, "" if is_first else gr.skip()]
            is_first = False

    async def scene(self, channel: Channel, event: gr.EventData) -> AsyncIterator[Shown]:
        """Play a scene in a chat of its own. Outputs: the course, its key, the place."""
        told: Any = event  # Any: what the page's script sends
        scene = scene_named(str(told.scene))
        if scene is None:
            return
        async for course, key in self._play("", channel, scene.place, scene.cues, scene.title):
            yield [course_html(course), key, scene.place]

    async def _play(
        self, key: str, channel: Channel, place: Place, cues: Sequence[Cue], title: str
    ) -> AsyncIterator[tuple[Course, str]]:
        """Play cues one after the other; yield the course and its key after each."""
        stage = self._opened()
        chat, course = self._played.get(key, (None, Course(title)))
        course.notice, course.is_busy = "Playing …", True
        if not stage.is_open:
            course.notice = "Starting a server of its own, on a memory that is thrown away …"
        yield course, key
        try:
            if chat is None:
                chat = await stage.begin(channel, place)
                key = self._keep(chat, course)
            for cue in cues:
                course.notice = "Playing …"
                yield course, key
                played = await stage.play(chat, cue)
                course.rows += played.rows
                course.invariant = played.invariant
            course.notice = ""
            if len(course.rows) >= MOST_ROWS:
                self._played.pop(key, None)
                course.notice, key = "This chat is long enough: the next line starts another.", ""
        except RecollectError as error:
            course.notice = str(error)
            if isinstance(error, CutOff) or not stage.is_open:
                key = ""
        course.is_busy = False
        yield course, key

    def _opened(self) -> Stage:
        if self._stage is None:
            # The server's machinery is imported by whoever plays, not by every start of the page.
            from evals.lab.stage import Stage

            self._stage = Stage()
        return self._stage

    def _keep(self, chat: LabChat, course: Course) -> str:
        key = uuid4().hex
        self._played[key] = (chat, course)
        while len(self._played) > MOST_COURSES:
            del self._played[next(iter(self._played))]
        return key


def _choice(choices: dict[Any, str], label: str, elem_id: str) -> gr.Radio:
    # Any: a key of one of the tables of the cast.
    options = [(text, value) for value, text in choices.items()]
    return gr.Radio(
        options,
        value=options[0][1],
        label=label,
        elem_id=elem_id,
        elem_classes=["rc-lab-choice"],
    )
