"""How the lab looks."""

LAB_CSS = """
.rc-lab-heading, .rc-lab-title { font-size: 14px; font-weight: 650; margin: 0 0 8px !important;
  color: var(--rc-ink) !important; }
ul.rc-lab-scenes { list-style: none; margin: 0; padding: 0; display: grid; gap: 6px;
  grid-template-columns: repeat(auto-fill, minmax(min(190px, 100%), 1fr)); }
.rc-lab-scenes li { margin: 0; padding: 0; }
.rc-lab-scenes button { display: flex; flex-direction: column; width: 100%; height: 100%;
  padding: 8px 12px; text-align: left; cursor: pointer; border: 1px solid var(--rc-line);
  border-radius: 10px; font-size: 14px; font-weight: 600; box-shadow: none;
  background: var(--rc-card); color: var(--rc-ink); }
.rc-lab-scenes button:hover, .rc-lab-scenes button:focus-visible {
  background: var(--rc-accent-soft); }
.rc-lab-scenes small { display: block; margin-top: 2px; font-size: 12.5px; font-weight: 400;
  line-height: 1.35; color: var(--rc-soft); }
.rc-lab-scenes button:hover small, .rc-lab-scenes button:focus-visible small {
  color: var(--rc-ink); }
.rc-lab-course { font-size: 14px; color: var(--rc-ink); }
.rc-lab-rule { margin: 0 0 10px; padding: 8px 12px; border-radius: 10px;
  background: var(--rc-accent-soft); color: var(--rc-accent); overflow-wrap: anywhere; }
.rc-lab-rule b { color: inherit; }
.rc-lab-rule span { font-size: 12.5px; }
.rc-lab-rule.rc-lab-broken { background: var(--rc-warn-soft); color: var(--rc-warn); }
ol.rc-lab-rows { list-style: none; margin: 0; padding: 0 14px; border: 1px solid var(--rc-line);
  border-radius: 12px; background: var(--rc-card); }
.rc-lab-row { display: grid; grid-template-columns: 22px minmax(0, 1fr); gap: 8px; margin: 0;
  padding: 9px 0; border-bottom: 1px solid var(--rc-line); overflow-wrap: anywhere; }
.rc-lab-row:last-child { border-bottom: 0; }
.rc-lab-row p { margin: 0 0 2px; }
.rc-lab-number { font-size: 12px; padding-top: 2px; color: var(--rc-soft);
  font-variant-numeric: tabular-nums; }
.rc-lab-who b { margin-right: 8px; font-weight: 650; }
.rc-lab-words { white-space: pre-wrap; }
.rc-lab-why { color: var(--rc-soft); }
.rc-lab-verdict { font-weight: 600; color: var(--rc-ink); }
.rc-lab-why code { font-size: 12px; padding: 1px 6px; border-radius: 6px;
  background: var(--rc-track); color: var(--rc-ink); }
.rc-lab-sent { color: var(--rc-accent); }
.rc-lab-sent.rc-lab-none, .rc-lab-sent small, .rc-lab-steps { color: var(--rc-soft); }
.rc-lab-sent small, .rc-lab-steps { font-size: 12px; }
.rc-lab-wrong { background: var(--rc-warn-soft); margin: 0 -14px; padding: 9px 14px; }
.rc-lab-mark { color: var(--rc-warn); }
.rc-lab-busy { margin: 10px 0 0; color: var(--rc-soft); }
.rc-lab-choice, .form:has(> .rc-lab-choice), #rc-lab-line .form, #rc-lab-line .block,
#rc-lab-scenes {
  background: transparent !important; border: 0 !important; box-shadow: none !important;
  padding: 0 !important; }
#rc-lab-scenes .html-container, #rc-lab .html-container { padding: 0 !important; }
#rc-lab-line .form { gap: 14px; overflow: visible; }
.rc-lab-choice > span, .rc-lab-choice > span span, #rc-lab-text label > span {
  background: none !important; color: var(--rc-soft) !important; font-size: 12.5px;
  font-weight: 500; padding: 0 !important; margin: 0 0 4px; }
.rc-lab-choice .wrap { gap: 6px; }
.rc-lab-choice .wrap label { padding: 4px 10px; font-size: 13.5px; font-weight: 500;
  border: 1px solid var(--rc-line); border-radius: 99px; box-shadow: none;
  background: var(--rc-card) !important; color: var(--rc-ink) !important; }
.rc-lab-choice .wrap label.selected { background: var(--rc-accent-soft) !important;
  border-color: var(--rc-fill); color: var(--rc-accent) !important; }
#rc-lab-text textarea, #rc-lab-text input { border: 1px solid var(--rc-line) !important;
  border-radius: 10px !important; background: var(--rc-card); }
#rc-lab-play { background: var(--rc-user) !important; color: #ffffff; }
#rc-lab-line button { border-radius: 12px; font-size: 15px; padding: 8px 12px; }
"""
