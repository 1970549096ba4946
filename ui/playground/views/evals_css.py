"""How results of benchmarks look."""

EVALS_CSS = """
.rc-evals-result { font-size: 14px; color: var(--rc-ink); }
.rc-evals-result p, .rc-evals-result li { overflow-wrap: anywhere; }
.rc-evals-title { font-size: 18px; font-weight: 650; margin: 0 0 4px !important;
  color: var(--rc-ink) !important; }
.rc-evals-title small { font-size: 14px; font-weight: 400; color: var(--rc-soft); }
.rc-evals-result h3 { font-size: 14px; font-weight: 650; margin: 18px 0 6px !important;
  color: var(--rc-ink) !important; }
.rc-evals-soft { color: var(--rc-soft); font-size: 13px; margin: 0 0 8px; }
.rc-evals-note { margin: 0 0 8px; padding: 6px 10px; border-radius: 8px; font-size: 13px;
  background: var(--rc-note-soft); color: var(--rc-note); }
ul.rc-evals-cards { list-style: none; margin: 12px 0; padding: 0; display: grid; gap: 8px;
  grid-template-columns: repeat(auto-fill, minmax(min(150px, 100%), 1fr)); }
.rc-evals-cards li { margin: 0; padding: 10px 12px; border: 1px solid var(--rc-line);
  border-radius: 12px; background: var(--rc-card); }
.rc-evals-cards span, .rc-evals-cards b, .rc-evals-cards small { display: block; }
.rc-evals-cards span { font-size: 12.5px; color: var(--rc-soft); }
.rc-evals-cards b { font-size: 22px; font-weight: 650; font-variant-numeric: tabular-nums; }
.rc-evals-cards small { font-size: 12px; line-height: 1.35; color: var(--rc-soft); }
ul.rc-evals-wanted { list-style: none; margin: 0 0 8px; padding: 8px 12px; border-radius: 10px;
  background: var(--rc-accent-soft); color: var(--rc-accent); font-size: 13.5px; }
.rc-evals-wanted li { margin: 0; padding: 1px 0; }
.rc-evals-wanted.rc-evals-missed { background: var(--rc-warn-soft); color: var(--rc-warn); }
.rc-evals-scroll { overflow-x: auto; margin: 10px 0; border: 1px solid var(--rc-line);
  border-radius: 12px; background: var(--rc-card); }
table.rc-evals-table { width: 100%; border-collapse: collapse; margin: 0 !important;
  font-size: 13.5px; border: 0 !important; }
.rc-evals-table caption { padding: 8px 12px 2px; text-align: left; font-weight: 650; }
.rc-evals-table tr { border: 0; border-bottom: 1px solid var(--rc-line); background: transparent; }
.rc-evals-table tbody tr:last-child { border-bottom: 0; }
.rc-evals-table th, .rc-evals-table td { padding: 6px 12px; border: 0 !important;
  text-align: right; white-space: nowrap; color: var(--rc-ink); background: transparent;
  font-variant-numeric: tabular-nums; }
.rc-evals-table thead th { color: var(--rc-soft); font-weight: 500; }
.rc-evals-table th:first-child { text-align: left; font-weight: 500; white-space: normal;
  min-width: 120px; }
.rc-evals-table th small { display: block; font-size: 12px; font-weight: 400;
  color: var(--rc-soft); }
.rc-evals-table td.rc-evals-better { color: var(--rc-accent); font-weight: 650; }
.rc-evals-table td.rc-evals-worse { color: var(--rc-warn); font-weight: 650; }
.rc-evals-summary { margin: 0 0 10px; padding: 8px 12px; border-radius: 10px;
  background: var(--rc-accent-soft); color: var(--rc-accent); }
.rc-evals-summary.rc-evals-worse { background: var(--rc-warn-soft); color: var(--rc-warn); }
ul.rc-evals-sides { list-style: none; margin: 0 0 10px; padding: 0; }
.rc-evals-sides li { margin: 0; }
.rc-evals-sides small { color: var(--rc-soft); }
.rc-evals-list { list-style: none; margin: 0; padding: 0 14px; border-radius: 12px;
  border: 1px solid var(--rc-line); background: var(--rc-card); }
.rc-evals-list > li { margin: 0; padding: 9px 0; border-bottom: 1px solid var(--rc-line); }
.rc-evals-list > li:last-child { border-bottom: 0; }
.rc-evals-list p { display: block !important; margin: 0 0 2px; }
.rc-evals-result bdi { color: inherit; }
.rc-evals-list small { color: var(--rc-soft); font-size: 12.5px; }
.rc-evals-list summary { cursor: pointer; color: var(--rc-accent); font-size: 13px; }
.rc-evals-list ul { margin: 2px 0 6px; padding-left: 18px; font-size: 13.5px; }
#rc-evals .html-container { padding: 0 !important; }
#rc-evals-close { width: fit-content !important; min-width: 0 !important; padding: 6px 18px;
  border-radius: 12px; font-size: 14px; }
"""
