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
#rc-file :is(label[data-testid='block-label'], [data-testid='upload-text'], .or) {
  color: var(--rc-ink) !important; background: var(--rc-card) !important; opacity: 1; }
#rc-file, #rc-file button { background: var(--rc-card) !important; }
#rc-file { border: 1px dashed var(--rc-soft) !important; border-radius: 16px !important; }
@media (max-width: 760px) {
  #rc-file { height: 230px !important; }
  #rc-file label[data-testid='block-label'] { left: 0; right: 0; border: 0; box-shadow: none;
    padding: 10px 14px; font-size: 13.5px; }
  #rc-file button { padding-top: 56px; }
}
"""
