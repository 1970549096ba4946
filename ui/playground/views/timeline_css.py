"""How the timeline looks."""

TIMELINE_CSS = """
.rc-way { display: flex; gap: 14px; align-items: center; margin: 4px 0 10px; font-size: 13.5px;
  color: var(--rc-soft); }
.rc-way label { display: flex; gap: 6px; align-items: center; }
.rc-way input { font-size: 13.5px; padding: 4px 8px; border: 1px solid var(--rc-line);
  border-radius: 8px; background: var(--rc-card); color: var(--rc-ink); }
.dark .rc-way input { color-scheme: dark; }
a.rc-go { padding: 5px 12px; border: 1px solid var(--rc-line); border-radius: 99px;
  background: var(--rc-card); color: var(--rc-accent) !important;
  text-decoration: none !important; }
a.rc-go:hover, a.rc-go:focus-visible { background: var(--rc-accent-soft); }
.rc-weeks { margin: 0 0 12px; }
.rc-weeks svg { display: block; width: 100%; height: 84px; background: var(--rc-card);
  border: 1px solid var(--rc-line); border-radius: 12px; padding: 6px 8px; box-sizing: border-box; }
.rc-weeks .rc-hit { fill: transparent; }
.rc-weeks a:hover .rc-hit, .rc-weeks a:focus-visible .rc-hit { fill: var(--rc-accent-soft); }
.rc-weeks a:focus-visible { outline: 2px solid var(--rc-accent); }
.rc-zero { stroke: var(--rc-line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.rc-course { fill: none; stroke: var(--rc-note); stroke-width: 1.6; pointer-events: none;
  vector-effect: non-scaling-stroke; }
.rc-weeks figcaption { display: flex; justify-content: space-between; gap: 10px; margin-top: 4px;
  font-size: 12px; color: var(--rc-soft); }
.rc-open { border: 1px solid var(--rc-line); border-radius: 12px; padding: 10px 14px;
  background: var(--rc-card); margin-bottom: 12px; font-size: 14px; }
.rc-open summary, .rc-episode summary { cursor: pointer; }
.rc-open ul { list-style: none; margin: 8px 0 0; padding: 0; }
.rc-open li { margin: 0; padding: 4px 0; overflow-wrap: anywhere; }
.rc-open small, .rc-date small { color: var(--rc-soft); font-size: 12px; }
.rc-date { margin: 0 0 18px; }
.rc-date h3 { font-size: 14px; font-weight: 650; margin: 0 0 6px !important; position: sticky;
  top: 0; padding: 6px 0 !important; background: var(--rc-page); z-index: 1; }
.rc-date h3 a { color: var(--rc-ink) !important; text-decoration: none !important; }
.rc-date h3 a:hover { text-decoration: underline !important; }
.rc-date ol { list-style: none; margin: 0; padding: 2px 14px; border: 1px solid var(--rc-line);
  border-radius: 12px; background: var(--rc-card); }
.rc-date ol:empty { display: none; }
.rc-date ol li { margin: 0; }
ul.rc-turned { list-style: none; margin: 0 0 8px; padding: 0; display: flex; flex-wrap: wrap;
  gap: 6px; }
.rc-turned li { margin: 0; padding: 2px 10px; border-radius: 99px; font-size: 13px;
  background: var(--rc-accent-soft); overflow-wrap: anywhere; }
.rc-turned li.rc-ended { background: var(--rc-track); }
.rc-turned li.rc-ended span span { text-decoration: line-through; }
.rc-episode { margin: 6px -8px !important; padding: 6px 10px; border-radius: 8px;
  border-left: 3px solid var(--rc-note); background: var(--rc-note-soft); font-size: 13.5px; }
.rc-episode small { color: var(--rc-note) !important; }
.rc-episode p { margin: 6px 0 2px; overflow-wrap: anywhere; }
.rc-entry { display: grid; grid-template-columns: 46px 1fr; gap: 8px; padding: 7px 0;
  font-size: 14px; border-bottom: 1px solid var(--rc-line); }
.rc-entry:last-child { border-bottom: 0; }
.rc-entry time { font-size: 12px; color: var(--rc-soft); padding-top: 2px;
  font-variant-numeric: tabular-nums; }
.rc-entry b { font-weight: 600; font-size: 12.5px; color: var(--rc-soft); }
.rc-theirs b { color: var(--rc-accent); }
.rc-words { white-space: pre-wrap; overflow-wrap: anywhere; color: var(--rc-ink); }
"""
