"""How the settings view works and looks in the browser."""

from __future__ import annotations

from typing import Final

SETTINGS_SCRIPT: Final = """
const told = (text, isBad) => {
  const at = element.querySelector('.rc-conf-told');
  at.textContent = text;
  at.classList.toggle('rc-conf-bad', !!isBad);
};
const mistaken = (form, name, text) => {
  const at = form.querySelector(`.rc-conf-error[data-for="${name}"]`);
  if (!at) return false;
  at.textContent = text;
  form.elements[name]?.setAttribute('aria-invalid', 'true');
  return true;
};
element.addEventListener('submit', async event => {
  event.preventDefault();
  const form = event.target, part = form.closest('[data-part]');
  form.querySelectorAll('.rc-conf-error').forEach(each => each.replaceChildren());
  form.querySelectorAll('[aria-invalid]').forEach(each => each.removeAttribute('aria-invalid'));
  const button = form.querySelector('button');
  button.disabled = true;
  let answer;
  try {
    answer = await server.ask({ do: form.dataset.do, ...Object.fromEntries(new FormData(form)) });
  } catch {
    answer = { error: 'Recollect does not answer. Is it still running?' };
  }
  button.disabled = false;
  const errors = Object.entries(JSON.parse(answer.errors || '{}'));
  const unplaced = errors.filter(([name, text]) => !mistaken(form, name, text));
  if (errors.length) form.elements[errors[0][0]]?.focus();
  if (answer.html) part.innerHTML = answer.html;
  const wrong = answer.error || unplaced.map(([, text]) => text).join(' ');
  told(wrong || answer.said || '', !!wrong);
});
"""
"""What the view does in the browser. The only thing it asks for is `ask`, of this very page."""

SETTINGS_CSS: Final = """
#rc-settings > .html-container { padding: 0 !important; }
.rc-conf { font-size: 14px; color: var(--rc-ink); max-width: 860px; }
.rc-conf section { margin: 0 0 18px; padding: 14px 16px; background: var(--rc-card);
  border: 1px solid var(--rc-line); border-radius: 12px; }
.rc-conf h2 { font-size: 14px; font-weight: 650; margin: 0 0 10px; color: var(--rc-ink); }
.rc-conf form { display: flex; flex-direction: column; gap: 8px; align-items: start;
  margin-bottom: 10px; min-width: 0; }
.rc-conf label { display: flex; flex-direction: column; gap: 3px; width: 100%; font-size: 12.5px;
  color: var(--rc-soft); min-width: 0; }
.rc-conf :is(input:not([type=checkbox]), textarea, select) { padding: 7px 10px; font-size: 14px;
  color: var(--rc-ink); background: var(--rc-page); border: 1px solid var(--rc-line);
  border-radius: 8px; width: 100%; min-width: 0; min-height: 38px; }
.rc-conf select { appearance: auto; }
.rc-conf [aria-invalid] { border-color: var(--rc-warn) !important; }
.rc-conf ::placeholder { color: var(--rc-soft); opacity: 1; }
.rc-conf-grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr));
  gap: 10px 16px; width: 100%; margin-bottom: 8px; }
.rc-conf label.rc-conf-check { flex-direction: row; align-items: center; gap: 8px; }
.rc-conf-check input { width: 18px; height: 18px; }
.rc-conf button { border: 1px solid var(--rc-line); background: none; cursor: pointer;
  padding: 6px 14px; margin: 0; border-radius: 8px; font-size: 13px; font-weight: 500;
  color: var(--rc-ink); min-height: 34px; }
.rc-conf button.rc-conf-main { background: var(--rc-user); color: var(--rc-user-ink); border: 0; }
.rc-conf small { font-size: 12px; color: var(--rc-soft); }
.rc-conf small.rc-conf-later { color: var(--rc-note); }
.rc-conf-error { color: var(--rc-warn); font-size: 12.5px; font-weight: 550; }
.rc-conf-error:empty, .rc-conf-told:empty { display: none; }
.rc-conf-told { position: sticky; top: 8px; z-index: 2; padding: 8px 12px; margin-bottom: 10px;
  border-radius: 8px; background: var(--rc-accent-soft); color: var(--rc-accent); }
.rc-conf-told.rc-conf-bad { background: var(--rc-warn-soft); color: var(--rc-warn); }
.rc-conf-outcome { padding: 10px 14px; border-left: 3px solid var(--rc-fill);
  background: var(--rc-page); border-radius: 0 8px 8px 0; }
.rc-conf-outcome p { margin: 4px 0 0; }
.rc-conf code { font-size: 12.5px; color: var(--rc-soft); background: none; }
.rc-conf summary { cursor: pointer; color: var(--rc-soft); padding: 4px; }
.rc-conf ul { list-style: none; margin: 8px 0 0; padding: 0; }
.rc-conf li { margin: 0; padding: 6px 0; border-bottom: 1px solid var(--rc-line);
  overflow-wrap: anywhere; }
.rc-conf li span { color: var(--rc-soft); font-size: 12.5px; }
"""
