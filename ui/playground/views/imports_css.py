"""How the import looks."""

IMPORTS_CSS = """
.rc-progress { font-size: 14px; margin: 4px 0 10px; overflow-wrap: anywhere; }
.rc-progress progress { width: 100%; height: 10px; appearance: none; border: 0;
  border-radius: 5px; overflow: hidden; background: var(--rc-track); color: var(--rc-fill); }
.rc-progress progress::-webkit-progress-bar { background: var(--rc-track); }
.rc-progress progress::-webkit-progress-value { background: var(--rc-fill); }
.rc-progress progress::-moz-progress-bar { background: var(--rc-fill); }
.rc-progress p { margin: 4px 0; }
.rc-progress small, .rc-brought small { color: var(--rc-soft); font-size: 12.5px; }
ul.rc-brought { list-style: none; margin: 0; padding: 0; }
.rc-brought li { margin: 0; padding: 10px 0; border-bottom: 1px solid var(--rc-line);
  overflow-wrap: anywhere; font-size: 14px; }
.rc-brought li:last-child { border-bottom: 0; }
.rc-brought a { color: var(--rc-accent) !important; padding: 0 !important; }
.rc-asked, .form:has(.rc-asked) { background: transparent !important; border: 0 !important;
  box-shadow: none !important; padding: 4px 0 !important; }
.rc-asked span[data-testid='block-info'] { background: none !important; padding: 0 !important;
  color: var(--rc-soft) !important; font-size: 13px; font-weight: 500; }
.rc-asked .wrap label, .rc-asked :is(input[type='text'], textarea) { box-shadow: none !important;
  border: 1px solid var(--rc-line) !important; border-radius: 10px !important;
  background: var(--rc-card) !important; color: var(--rc-ink) !important; }
.rc-asked .wrap label.selected { border-color: var(--rc-fill) !important;
  background: var(--rc-accent-soft) !important; color: var(--rc-accent) !important; }
.rc-asked input[type='radio'] { border-color: var(--rc-soft) !important;
  background-color: var(--rc-card) !important; }
.rc-asked input[type='radio']:checked { background-color: var(--rc-user) !important; }
button.rc-imports-do { border-radius: 12px !important; box-shadow: none !important;
  flex: 0 0 auto !important; width: fit-content !important; padding: 8px 22px; }
button.rc-imports-do.primary { background: var(--rc-user) !important;
  color: var(--rc-user-ink) !important; }
"""
