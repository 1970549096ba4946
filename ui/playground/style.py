"""How the playground looks, in light and dark. No font or script is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradio.themes.base import Base

FONT = ["ui-sans-serif", "system-ui", "Segoe UI", "Roboto", "Helvetica Neue", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]

# Run in the page: the choice is kept in the browser; without one the system's holds.
APPLY_THEME = """() => {
  const kept = localStorage.getItem('recollect-theme');
  const dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.body.classList.toggle('dark', dark);
}"""
TOGGLE_THEME = """() => {
  const dark = document.body.classList.toggle('dark');
  localStorage.setItem('recollect-theme', dark ? 'dark' : 'light');
}"""

CSS = """
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
body, .gradio-container { background: var(--rc-page) !important; color: var(--rc-ink); }
.gradio-container { max-width: 1320px !important; margin: 0 auto !important; }
.gradio-container main, .gradio-container .main { padding: 16px 20px !important; }
footer { display: none !important; }
#rc-top { align-items: flex-end; gap: 12px; flex-wrap: wrap; }
#rc-top > * { border: 0; background: transparent !important; }
#rc-top .form, #rc-top .block, #rc-write .form { background: transparent !important;
  border: 0 !important; box-shadow: none !important; }
#rc-top .form { flex: 0 1 300px !important; }
#rc-top > :first-child { flex: 1 1 260px !important; padding: 0 !important; }
#rc-contact { padding: 0 !important; overflow: visible; }
#rc-contact label > span, #rc-contact [data-testid='block-info'] { background: none !important;
  color: var(--rc-soft) !important; font-size: 12.5px; font-weight: 500; padding: 0 !important;
  margin-bottom: 4px; box-shadow: none !important; }
#rc-contact .wrap, #rc-contact .wrap-inner { background: var(--rc-card) !important;
  border-radius: 10px; box-shadow: none; }
#rc-contact .wrap { border: 1px solid var(--rc-line) !important; }
.rc-brand { display: flex; flex-direction: column; }
.rc-brand h1 { font-size: 22px; font-weight: 700; margin: 0; letter-spacing: -.02em;
  color: var(--rc-ink); }
.rc-brand p { margin: 2px 0 0; font-size: 13px; color: var(--rc-soft); }
#rc-theme { flex: 0 0 auto !important; min-width: 44px !important; height: 42px; font-size: 17px;
  border-radius: 10px; background: var(--rc-card) !important;
  color: var(--rc-ink); border: 1px solid var(--rc-line); }
#rc-chat { border: 1px solid var(--rc-line) !important; border-radius: 16px !important;
  background: var(--rc-card) !important; box-shadow: none !important; }
#rc-chat .bubble-wrap { background: var(--rc-card) !important; padding: 8px 4px; }
#rc-chat .message { border: 0 !important; box-shadow: none !important; font-size: 15px; }
#rc-chat .user.message, #rc-chat .user .message { background: var(--rc-user) !important;
  border-radius: 16px 16px 4px 16px !important; }
#rc-chat .user .rc-said { color: var(--rc-user-ink); }
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
#rc-write button#rc-send { background: var(--button-primary-background-fill) !important; }
#rc-write button { border-radius: 12px; min-width: 84px; }
#rc-box { min-width: 160px; }
#rc-box textarea { border: 1px solid var(--rc-line) !important; padding: 10px 12px;
  border-radius: 12px !important; font-size: 15px; background: var(--rc-card); }
#rc-side { gap: 12px; }
.rc-card { border: 1px solid var(--rc-line) !important; border-radius: 16px !important;
  background: var(--rc-card) !important; padding: 14px 16px !important; }
.rc-card h2 { font-size: 12px; font-weight: 650; letter-spacing: .06em; margin: 0 0 8px !important;
  text-transform: uppercase; color: var(--rc-soft) !important; }
.rc-card .rc-card { border: 0 !important; padding: 0 !important; }
.rc-body { max-height: 372px; overflow-y: auto; }
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
.rc-facts th { font-weight: 500; color: var(--rc-soft); width: 36%; }
.rc-facts td.rc-num { color: var(--rc-soft); text-align: right; width: 52px; }
.rc-facts td.rc-controls { width: 84px; text-align: right; white-space: nowrap; }
.rc-controls button { border: 0; background: none; box-shadow: none; cursor: pointer;
  padding: 3px 6px; border-radius: 6px; font-size: 13px; color: var(--rc-soft); }
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
.rc-total { margin: 6px 0 0; font-size: 12.5px; color: var(--rc-soft); text-align: right; }
@media (max-width: 720px) {
  .gradio-container main, .gradio-container .main, .gradio-container .app,
  .gradio-container .fillable { padding: 8px !important; }
  .rc-card .rc-card { border: 0 !important; padding: 0 !important; }
.rc-body { max-height: none; }
  .rc-facts td.rc-num { display: none; }
  .rc-facts th { width: 30%; }
  .rc-facts td.rc-controls { width: 70px; }
  .rc-controls button { padding: 3px 4px; }
  body { overflow-x: hidden; }
  .rc-brand p { display: none; }
  #rc-top .form { flex: 1 1 200px !important; }
  #rc-box { min-width: 0 !important; }
  #rc-chat { height: 62vh !important; }
}
"""


def theme() -> Base:
    """Return the theme: Gradio's soft one in our colours, with the system's own fonts."""
    import gradio as gr

    return gr.themes.Soft(
        primary_hue="teal", secondary_hue="teal", neutral_hue="slate", font=FONT, font_mono=MONO
    )
