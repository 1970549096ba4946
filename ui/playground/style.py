"""How the playground looks, in light and dark. No font or script is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.playground.memory_page import MEMORY_CSS
from ui.playground.settings_page import SETTINGS_CSS
from ui.playground.views import chat_html, receipt_html
from ui.playground.views.evals_css import EVALS_CSS
from ui.playground.views.graph_css import GRAPH_CSS
from ui.playground.views.imports_css import IMPORTS_CSS
from ui.playground.views.lab_css import LAB_CSS
from ui.playground.views.timeline_css import TIMELINE_CSS

if TYPE_CHECKING:
    from gradio.themes.base import Base

FONT = ["ui-sans-serif", "system-ui", "Segoe UI", "Roboto", "Helvetica Neue", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]

# Run in the page: the choice is kept in the browser; without one the system's holds.
APPLY_THEME = """() => {
  const kept = localStorage.getItem('recollect-theme');
  const dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.body.classList.toggle('dark', dark);
  document.querySelector('#rc-theme').setAttribute('aria-label', 'Light or dark');
}"""
TOGGLE_THEME = """() => {
  const dark = document.body.classList.toggle('dark');
  localStorage.setItem('recollect-theme', dark ? 'dark' : 'light');
}"""

FRAME_CSS = """
:root, .gradio-container {
  --rc-ink: #1c2430; --rc-soft: #5d6878; --rc-line: #e2e6ec; --rc-card: #ffffff;
  --rc-page: #f5f6f9; --rc-accent: #0f766e; --rc-accent-soft: #d5f0ec; --rc-fill: #14a396;
  --rc-user: #0f766e; --rc-user-ink: #ffffff; --rc-bot: #eff2f6; --rc-track: #e6eaf0;
  --rc-warn: #8a4b08; --rc-warn-soft: #fdf0dc; --rc-note: #4f46a5; --rc-note-soft: #e8e6fb;
}
.dark, .dark .gradio-container {
  --rc-ink: #e8ecf2; --rc-soft: #9aa6b6; --rc-line: #2a323e; --rc-card: #171c24;
  --rc-page: #0f1318; --rc-accent: #5eead4; --rc-accent-soft: #123f3b; --rc-fill: #2dd4bf;
  --rc-user: #115e59; --rc-user-ink: #f0fdfa; --rc-bot: #222a35; --rc-track: #2a323e;
  --rc-warn: #fcd9a4; --rc-warn-soft: #3d2a10; --rc-note: #c7c2fb; --rc-note-soft: #2c2a52;
}
body, gradio-app, .gradio-container { background: var(--rc-page) !important;
  color: var(--rc-ink); }
.gradio-container, .gradio-container .fillable { max-width: none !important; width: 100%;
  margin: 0 !important; padding: 0 !important; min-height: 0 !important; }
.gradio-container main { width: 100% !important; max-width: 1480px !important;
  margin: 0 auto !important; padding: 10px 20px !important; gap: 10px; }
footer { display: none !important; }
:focus-visible { outline: 2px solid var(--rc-fill) !important; outline-offset: 1px; }
#rc-top { align-items: center; gap: 12px; flex-wrap: nowrap; min-height: 44px; }
#rc-top > * { border: 0; background: transparent !important; }
#rc-top .form, #rc-top .block, #rc-write .form { background: transparent !important;
  border: 0 !important; box-shadow: none !important; }
#rc-top > :first-child { flex: 1 1 200px !important; min-width: 0 !important;
  padding: 0 !important; }
#rc-frame { gap: 20px; flex-wrap: nowrap; }
#rc-frame > .column { min-width: 0 !important; }
#rc-left { flex: 0 0 220px !important; gap: 8px; }
#rc-left .block, #rc-left .form { background: transparent !important; border: 0 !important;
  box-shadow: none !important; padding: 0 !important; }
#rc-left .block .html-container { padding: 0 !important; }
#rc-whose { display: none; }
#rc-whose button { display: flex; gap: 8px; width: 100%; align-items: baseline; cursor: pointer;
  padding: 9px 12px; border: 1px solid var(--rc-line); border-radius: 10px; font-size: 15px;
  background: var(--rc-card); color: var(--rc-ink); font-weight: 600; }
#rc-whose button::after { content: '▾' / ''; margin-left: auto; color: var(--rc-soft); }
#rc-whose [aria-expanded='true']::after { content: '▴' / ''; }
#rc-whose small { color: var(--rc-soft); font-weight: 400; }
#rc-views { min-width: 0; }
#rc-astray:not(:has(.rc-notice)) { display: none; }
#rc-astray .html-container { padding: 0 !important; }
.rc-notice a { color: inherit !important; text-decoration: underline; }
#rc-views .tabitem { padding: 12px 0 0 !important; border: 0 !important; }
#rc-search label > span { background: none !important; color: var(--rc-soft) !important;
  font-size: 12.5px; font-weight: 500; padding: 0 !important; }
#rc-search input { border: 1px solid var(--rc-line) !important; border-radius: 10px !important;
  background: var(--rc-card); }
ul.rc-people { list-style: none; margin: 0; padding: 0; }
.rc-people li { margin: 0; padding: 0; }
.rc-people a { display: block; padding: 6px 10px; border-radius: 10px; font-size: 14.5px;
  text-align: left; color: var(--rc-ink) !important; text-decoration: none !important;
  overflow-wrap: anywhere; }
.rc-people a span, .rc-people a small { display: block; line-height: 1.3; }
.rc-new { width: 100%; margin-top: 6px; padding: 7px 10px; border-radius: 10px; cursor: pointer;
  border: 1px dashed var(--rc-soft); background: none; color: var(--rc-ink); box-shadow: none;
  text-align: left; font-size: 14px; font-weight: 400; }
h2.rc-imports { font-size: 12.5px; font-weight: 500; color: var(--rc-soft) !important;
  margin: 14px 0 4px !important; }
#rc-people { max-height: calc(100dvh - 150px); overflow-y: auto !important; }
#rc-views button[role='tab'].selected { color: var(--rc-accent) !important; }
.rc-people a:hover, .rc-people a:focus-visible { background: var(--rc-track); }
.rc-people a[aria-current] { background: var(--rc-accent-soft); color: var(--rc-accent) !important;
  font-weight: 600; }
.rc-people small { color: var(--rc-soft); font-weight: 400; }
.rc-people .rc-due { padding: 0 7px; border-radius: 99px; font-size: 11.5px; font-weight: 600;
  background: var(--rc-warn-soft); color: var(--rc-warn); white-space: nowrap; }
.rc-brand { display: flex; gap: 10px; align-items: baseline; }
.rc-brand h1 { font-size: 20px; font-weight: 700; margin: 0; letter-spacing: -.02em;
  color: var(--rc-ink); }
.rc-brand p { margin: 0; font-size: 13px; color: var(--rc-soft); }
#rc-top .html-container, #rc-top .block { padding: 0 !important; overflow: visible !important; }
.rc-hint { position: relative; cursor: help; border-bottom: 1px dotted var(--rc-soft); }
.rc-told { display: none; position: absolute; z-index: 20; top: calc(100% + 6px); left: 0;
  width: max-content; max-width: min(280px, 70vw); padding: 7px 10px; border-radius: 8px;
  background: var(--rc-ink); color: var(--rc-page); font-size: 12.5px; line-height: 1.4;
  font-weight: 400; text-transform: none; letter-spacing: 0; white-space: normal; }
.rc-body { position: relative; }
.rc-body .rc-hint { position: static; }
.rc-body .rc-told { top: auto; left: 0; margin-top: 1.8em; }
.rc-hint:hover .rc-told, .rc-hint:focus .rc-told { display: block; }
#rc-theme { flex: 0 0 auto !important; min-width: 40px !important; height: 36px; font-size: 16px;
  padding: 0 !important; box-shadow: none !important;
  border-radius: 10px; background: var(--rc-card) !important;
  color: var(--rc-ink); border: 1px solid var(--rc-line); }
.rc-said { color: var(--rc-user-ink); }
#rc-chat .bot.message, #rc-chat .bot .message { background: var(--rc-bot) !important;
  border-radius: 16px 16px 16px 4px !important; }
#rc-chat .icon-button-wrapper { display: none !important; }
#rc-chat .prose, #rc-chat .message-content { opacity: 1 !important; }
.rc-said { color: var(--rc-ink); line-height: 1.5; overflow-wrap: anywhere; }
.rc-said code { background: var(--rc-track); padding: 1px 5px; border-radius: 5px; }
.rc-receipt { margin-top: 7px; padding-top: 6px; border-top: 1px dashed var(--rc-line);
  font-size: 12.5px; color: var(--rc-accent); overflow-wrap: anywhere; cursor: pointer; }
.dark .rc-receipt { border-top-color: #3a4452; }
.rc-notice { color: var(--rc-warn); background: var(--rc-warn-soft); border-radius: 8px;
  padding: 8px 10px; font-size: 14px; }
.rc-caret { display: inline-block; width: 7px; height: 15px; margin-left: 3px; border-radius: 2px;
  vertical-align: -2px; background: var(--rc-fill); animation: rc-blink 1s steps(2) infinite; }
@keyframes rc-blink { 50% { opacity: .15; } }
@media (prefers-reduced-motion: reduce) { .rc-caret { animation: none; } }
#rc-write { align-items: stretch; gap: 8px; margin-top: 2px; }
#rc-write > *, #rc-box { background: transparent !important; }
#rc-write button#rc-send { background: var(--rc-user) !important; color: #ffffff;
  font-size: 15px; }
#rc-write button { border-radius: 12px; min-width: 84px; }
#rc-box { min-width: 160px; overflow: visible; }
#rc-box textarea:focus { outline: 0 !important; border-color: var(--rc-fill) !important; }
#rc-search input:focus { outline: 0 !important; border-color: var(--rc-fill) !important; }
#rc-box textarea { border: 1px solid var(--rc-line) !important; padding: 10px 12px;
  border-radius: 12px !important; font-size: 15px; background: var(--rc-card); }
#rc-talk { flex-wrap: nowrap; gap: 16px; }
#rc-side { gap: 12px; max-height: calc(100dvh - 130px); overflow-y: auto; flex-wrap: nowrap; }
#rc-side > * { flex: none; }
.rc-card { border: 1px solid var(--rc-line) !important; border-radius: 16px !important;
  background: var(--rc-card) !important; padding: 10px 8px !important; }
.rc-card h2 { font-size: 12px; font-weight: 650; letter-spacing: .06em; margin: 0 0 8px !important;
  text-transform: uppercase; color: var(--rc-soft) !important; }
.rc-card .rc-card { border: 0 !important; padding: 0 !important; }
.rc-fold { display: flex; width: 100%; padding: 0; border: 0; background: none; cursor: pointer;
  box-shadow: none; font: inherit; color: inherit;
  letter-spacing: inherit; text-transform: inherit; }
.rc-fold::after { content: '▴' / ''; margin-left: auto; }
.rc-fold[aria-expanded='false']::after { content: '▾' / ''; }
[data-folded] .rc-body { display: none; }
[data-folded] h2 { margin: 0 !important; }
.rc-drop { border: 1px dashed var(--rc-soft) !important; border-radius: 16px !important; }
.rc-drop, .rc-drop button { background: var(--rc-card) !important; }
.rc-drop :is(label[data-testid='block-label'], [data-testid='upload-text'], .or) {
  color: var(--rc-ink) !important; background: var(--rc-card) !important; opacity: 1; }
.rc-drop :is(.download-link, .icon-button) { color: var(--rc-accent) !important; }
.rc-nothing { color: var(--rc-soft); font-size: 14px; margin: 2px 0; }
.rc-query { font-size: 13px; color: var(--rc-soft); margin: 0 0 8px; overflow-wrap: anywhere; }
.rc-missing { font-size: 13px; color: var(--rc-soft); margin: 0 0 8px; }
.rc-query q { color: var(--rc-ink); }
.rc-num { font-variant-numeric: tabular-nums; text-align: right; }
table.rc-facts { width: 100%; border-collapse: collapse; font-size: 14px; margin: 0 !important;
  border: 0 !important; }
.rc-facts tr { border: 0; border-bottom: 1px solid var(--rc-line); background: transparent; }
.rc-facts tr:last-child { border-bottom: 0; }
.rc-facts th, .rc-facts td { padding: 5px 2px; border: 0 !important; text-align: left;
  color: var(--rc-ink); background: transparent; overflow-wrap: anywhere; }
.rc-facts th { font-weight: 500; color: var(--rc-soft); width: 32%; }
.rc-facts td.rc-num { color: var(--rc-soft); text-align: right; width: 52px;
  white-space: nowrap; }
.rc-facts td.rc-controls { width: 84px; text-align: right; white-space: nowrap; }
.rc-controls button { border: 0; background: none; box-shadow: none; cursor: pointer;
  padding: 3px 5px; border-radius: 6px; font-size: 13px; color: var(--rc-soft);
  min-width: 24px; }
.rc-controls button:hover, .rc-controls button:focus-visible { background: var(--rc-track);
  color: var(--rc-ink); }
.rc-controls button[data-asked] { background: var(--rc-warn-soft); color: var(--rc-warn); }
.rc-value input { width: 100%; padding: 3px 6px; font-size: 14px; color: var(--rc-ink);
  background: var(--rc-page); border: 1px solid var(--rc-fill); border-radius: 6px; }
.rc-history ul { list-style: none; margin: 0; padding: 2px 0 4px; font-size: 12.5px;
  color: var(--rc-soft); }
.rc-history b { color: var(--rc-ink); font-weight: 500; }
.rc-history li:not(.rc-active) b { text-decoration: line-through; }
ul.rc-memories { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column;
  gap: 10px; }
.rc-memories li { margin: 0; padding: 0 0 10px; border-bottom: 1px solid var(--rc-line); }
.rc-memories li:last-child { border-bottom: 0; padding-bottom: 0; }
.rc-head { display: flex; align-items: center; gap: 8px; font-size: 12.5px;
  color: var(--rc-soft); }
.rc-kind { padding: 1px 8px; border-radius: 99px; font-size: 11.5px; font-weight: 600;
  background: var(--rc-note-soft); color: var(--rc-note); }
.rc-kind.rc-fact { background: var(--rc-accent-soft); color: var(--rc-accent); }
.rc-label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.rc-score { margin-left: auto; font-weight: 650; font-variant-numeric: tabular-nums;
  color: var(--rc-ink); }
.rc-text { font-size: 14px; margin: 4px 0 6px; overflow-wrap: anywhere; color: var(--rc-ink); }
.rc-parts { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
  gap: 3px 14px; font-size: 11.5px; color: var(--rc-soft); }
.rc-part { display: grid; grid-template-columns: 66px 1fr 34px; gap: 6px; align-items: center; }
.rc-bar { display: block; height: 5px; border-radius: 3px; background: var(--rc-track);
  overflow: hidden; }
.rc-bar b { display: block; height: 100%; border-radius: 3px; background: var(--rc-fill); }
.rc-minus b { background: var(--rc-soft); }
svg.rc-path { display: block; width: 100%; max-width: 350px; height: auto; }
.rc-path text { font-size: 13px; fill: var(--rc-ink); }
.rc-path .rc-ms { font-size: 12px; fill: var(--rc-soft); font-variant-numeric: tabular-nums; }
.rc-rail { stroke: var(--rc-line); stroke-width: 2; }
.rc-taken circle { fill: var(--rc-fill); stroke: var(--rc-card); stroke-width: 3; }
.rc-passed circle { fill: var(--rc-card); stroke: var(--rc-line); stroke-width: 2; }
.rc-passed .rc-node { fill: var(--rc-soft); }
.rc-track { fill: var(--rc-track); } .rc-time { fill: var(--rc-fill); }
#rc-side .rc-card, #rc-side .rc-body, #rc-side .block { overflow: visible !important; }
.rc-total { margin: 6px 0 0; font-size: 12.5px; color: var(--rc-soft); text-align: right; }
@media (max-width: 760px) {
  .gradio-container main { padding: 6px 10px !important; }
  .rc-facts td.rc-num { display: none; }
  .rc-facts th { width: 30%; }
  .rc-facts td.rc-controls { width: 70px; }
  .rc-controls button { padding: 3px 4px; }
  #rc-top { min-height: 36px; }
  .rc-brand p > span:first-child:not(.rc-hint) { display: none; }
  #rc-frame { flex-direction: column; gap: 6px; }
  #rc-frame > * { width: 100%; }
  #rc-left { flex: none !important; width: 100%; }
  #rc-whose { display: block; }
  #rc-left:not([data-open]) > :not(#rc-whose) { display: none !important; }
  #rc-people { max-height: 46dvh; }
  #rc-box { min-width: 0 !important; }
  #rc-talk { flex-direction: column; }
  #rc-talk > * { width: 100%; }
  #rc-side { max-height: none; overflow: visible; }
  /* What is to be dropped is said in two lines: they stand above the rest, not over it. */
  .rc-drop label[data-testid='block-label'] { position: static; display: flex; border: 0;
    box-shadow: none; padding: 10px 14px 0; font-size: 13.5px; margin-right: 36px; }
  .rc-drop .upload-container { height: 150px !important; }
  .rc-drop [data-testid='upload-text'] { background: none !important; min-height: 0; }
}
"""
OF_VIEWS = [
    chat_html.CSS,
    receipt_html.CSS,
    MEMORY_CSS,
    TIMELINE_CSS,
    GRAPH_CSS,
    IMPORTS_CSS,
    LAB_CSS,
    EVALS_CSS,
    SETTINGS_CSS,
]
CSS = "\n".join([FRAME_CSS, *OF_VIEWS])


def theme() -> Base:
    """Return the theme: Gradio's soft one in our colours, with the system's own fonts."""
    import gradio as gr

    return gr.themes.Soft(
        primary_hue="teal", secondary_hue="teal", neutral_hue="slate", font=FONT, font_mono=MONO
    )
