"""How the graph looks."""

GRAPH_CSS = """
.rc-graph { display: grid; grid-template-columns: minmax(0, 1fr) 240px; gap: 14px;
  grid-template-areas: 'picture list' 'told list'; align-items: start; }
.rc-picture { grid-area: picture; border: 1px solid var(--rc-line); border-radius: 16px;
  background: var(--rc-card); padding: 8px; }
.rc-picture svg { display: block; width: 100%; height: auto; max-height: 70vh; margin: 0 auto; }
.rc-picture line { stroke: var(--rc-line); stroke-width: 1.5; }
.rc-picture line.rc-further { stroke: var(--rc-fill); stroke-opacity: .6; }
.rc-picture line.rc-over { stroke-dasharray: 4 4; }
.rc-picture .rc-knot rect { fill: var(--rc-card); stroke: var(--rc-soft); stroke-width: 1.2; }
.rc-picture .rc-person rect { fill: var(--rc-accent-soft); stroke: var(--rc-accent); }
.rc-picture .rc-pet rect { fill: var(--rc-warn-soft); stroke: var(--rc-warn); }
.rc-picture .rc-place rect { fill: var(--rc-note-soft); stroke: var(--rc-note); }
.rc-picture .rc-organisation rect { fill: var(--rc-track); }
.rc-picture .rc-thing rect { stroke-dasharray: 3 2; }
.rc-picture .rc-me rect { fill: var(--rc-user); stroke: var(--rc-user); }
.rc-picture text { font-size: 13px; fill: var(--rc-ink); pointer-events: none; }
.rc-picture a { text-decoration: none !important; }
.rc-picture .rc-me text { fill: var(--rc-user-ink); font-weight: 650; }
.rc-picture .rc-beneath { font-size: 10.5px; fill: var(--rc-soft); }
.rc-picture a:hover rect, .rc-picture a:focus-visible rect,
.rc-picture a[aria-current] rect { stroke-width: 3; }
.rc-picture a:focus-visible { outline: 2px solid var(--rc-accent); outline-offset: 2px; }
.rc-graph nav { grid-area: list; max-height: 78vh; overflow-y: auto; }
.rc-graph nav summary { cursor: pointer; font-size: 13px; font-weight: 650; padding: 4px 0; }
.rc-graph nav ul, .rc-about ul { list-style: none; margin: 0 0 8px; padding: 0; }
.rc-graph nav li { margin: 0; padding: 0; }
.rc-graph nav a { display: flex; gap: 8px; justify-content: space-between; padding: 5px 8px;
  border-radius: 8px; font-size: 14px; color: var(--rc-ink) !important; overflow-wrap: anywhere;
  text-decoration: none !important; }
.rc-graph nav a:hover, .rc-graph nav a:focus-visible { background: var(--rc-track); }
.rc-graph nav a[aria-current] { background: var(--rc-accent-soft); }
.rc-graph small { color: var(--rc-soft); font-size: 12px; font-weight: 400; }
.rc-about { grid-area: told; }
.rc-about:not(:empty) { border: 1px solid var(--rc-line); border-radius: 16px; padding: 12px 16px;
  background: var(--rc-card); font-size: 14px; }
.rc-about h3 { margin: 0 0 4px !important; font-size: 17px; }
.rc-about h4 { margin: 12px 0 4px !important; font-size: 12px; letter-spacing: .04em;
  color: var(--rc-soft); font-weight: 650; }
.rc-about p { margin: 0; color: var(--rc-soft); font-size: 13px; }
.rc-about li { margin: 0; padding: 3px 0; overflow-wrap: anywhere; }
.rc-about li.rc-over b { text-decoration: line-through; font-weight: 400; }
.rc-about a { color: var(--rc-accent) !important; padding: 0 !important; }
@media (max-width: 900px) {
  .rc-graph { grid-template-columns: minmax(0, 1fr); grid-template-areas: 'told' 'list'; }
  .rc-picture { display: none; }
  .rc-graph nav { max-height: none; }
}
"""
