"""The frame of the memory view: its parts, its search, and the script that fills it."""

from __future__ import annotations

from html import escape
from typing import Final
from urllib.parse import quote, urlencode
from uuid import uuid4

from ui.playground.render_erasing import ERASING

PARTS: Final = {
    "facts": "Facts",
    "learned": "What was learned",
    "notes": "Notes",
    "rules": "Never kept",
}
"""The parts of the view by their names in the address, with their titles."""


def shell_html(
    contact_id: str, part: str, query: str = "", filled: str = "", *, is_known: bool = False
) -> str:
    """Return the frame for a contact, filled with the HTML of a part, or of what a query found.

    Of somebody of whom anything is kept it can be downloaded, and erased. No two are alike, so that
    what is shown again is drawn again.
    """
    links = "".join(
        f"<a href='?{escape(_address(contact_id, part))}' data-part='{part}'>{title}</a>"
        for part, title in PARTS.items()
    )
    if is_known:
        links += (
            f"<a class='rc-mem-export' href='contacts/{quote(contact_id, safe='')}/export'"
            " title='All that is kept of this person, as a zip'>Download all</a>"
        )
    return (
        f"<div class='rc-mem' data-contact='{escape(contact_id)}' data-shown='{uuid4()}'"
        f" data-of='{escape(part)}' data-query='{escape(query)}'>"
        f"<nav class='rc-parts-of' aria-label='Memory'>{links}</nav>{_SEARCH}"
        "<div class='rc-outcome' role='status' aria-live='polite'></div>"
        f"<div class='rc-mem-body'>{filled}</div>{ERASING if is_known else ''}</div>"
    )


_SEARCH: Final = (
    "<form class='rc-ask' role='search' data-do='search'><input type='search' name='q'"
    " aria-label='Search everything that is remembered' placeholder='Search everything'>"
    "<button class='rc-main'>Search</button></form>"
)


def _address(contact_id: str, part: str) -> str:
    return urlencode({"contact": contact_id, "view": "memory", "part": part})


MEMORY_SCRIPT: Final = """
const frame = () => element.querySelector('.rc-mem');
const body = () => element.querySelector('.rc-mem-body');
const part = () => new URL(location).searchParams.get('part') || 'facts';
let asked = 0;
// A question too long for an address is kept beside it: with the page's place in the history.
const LONGEST = 6000;
const question = () =>
  history.state?.question || new URL(location).searchParams.get('q') || '';

const tell = (text, isBad) => {
  const at = element.querySelector('.rc-outcome');
  at.replaceChildren(text);
  at.classList.toggle('rc-bad', !!isBad);
  return at;
};

const made = (title, does) => {
  const button = document.createElement('button');
  Object.assign(button.dataset, does);
  button.textContent = title;
  return button;
};
const offer = (at, told) => {
  if (!told.act && !told.offer) return;
  const button = made(told.offer || 'Undo', told.offer ? { do: 'clear', rule: told.rule }
    : { do: told.act.startsWith('[') ? 'unclear' : 'undo', act: told.act });
  at.append(' ', button);
  if (told.act) setTimeout(() => button.remove(), 12000);
};

// Rows are often summed up alike: what was unfolded is told by whose summary it is, too.
const unfolded = summary => {
  const { key, value } = summary.closest('[data-key]')?.dataset || {};
  return [key, value, summary.textContent].join('\\n');
};

// Returns whether it was done: what was typed stays where it was not.
const ask = async what => {
  const mine = ++asked;
  let told;
  try {
    told = await server.ask({ contact: frame().dataset.contact, part: part(),
      q: question(), ...what });
  } catch {
    told = { error: 'Recollect does not answer. Is it still running?' };
  }
  if (told.error) {
    const at = tell(told.error, true);
    if (told.note) at.append(' ', made('Keep it as a note', { do: 'note', text: told.note }));
    return false;
  }
  if (told.said) offer(tell(told.said), told);
  if (told.gone !== undefined) element.querySelector('.rc-mem-gone').innerHTML = told.gone;
  if (told.html === undefined) return true;
  if (mine !== asked) return true;
  const open = [...body().querySelectorAll('details[open] > summary')].map(unfolded);
  const found = body().querySelector('.rc-find')?.value || '';
  body().innerHTML = told.html;
  body().querySelectorAll('details > summary').forEach(each => {
    if (what.do && open.includes(unfolded(each))) each.parentElement.open = true;
  });
  const find = body().querySelector('.rc-find');
  if (find && what.do) { find.value = found; narrow(found); }
  return true;
};

const mark = () => {
  if (!frame()) return;
  element.querySelectorAll('[data-part]').forEach(link => {
    if (link.dataset.part === part()) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
  const box = element.querySelector('.rc-ask input');
  if (document.activeElement !== box) box.value = question();
  // While Gradio selects the first tab, facts are shown whatever the address says.
  const { of, query } = frame().dataset;
  if (of === part() && (of !== 'search' || query === question())) return;
  Object.assign(frame().dataset, { of: part(), query: question() });
  body().innerHTML = '<p class="rc-nothing">Looking …</p>';
  ask({});
};

const go = (to, question) => {
  const at = new URL(location);
  Object.entries({ view: 'memory', ...to }).forEach(([k, v]) => at.searchParams.set(k, v));
  history.pushState(question ? { question } : null, '', at);
  tell('');
  frame().dataset.of = '';
  mark();
};

const narrow = text => {
  const words = text.toLowerCase().split(/\\s+/).filter(Boolean);
  let some = false;
  body().querySelectorAll('.rc-group').forEach(group => {
    let any = false;
    group.querySelectorAll('.rc-fact').forEach(row => {
      const told = `${row.dataset.key} ${row.dataset.value}`.replace(/[_:]/g, ' ').toLowerCase();
      row.hidden = !words.every(word => told.includes(word));
      any ||= !row.hidden;
    });
    group.hidden = !any;
    some ||= any;
    const more = group.querySelector('.rc-more');
    if (more && words.length) more.open = true;
  });
  body().querySelector('.rc-none-found').hidden = some || !words.length;
};

const restored = row => {
  const value = row.querySelector('.rc-so');
  value.replaceChildren(row.dataset.value);
  row.querySelector('[data-do=edit]').focus();
};
const edited = row => {
  const form = document.createElement('form');
  form.dataset.do = 'edit';
  form.innerHTML = '<input name="text" maxlength="240" required aria-label="What is so">'
    + '<button class="rc-main">Keep</button>';
  form.elements.text.value = row.dataset.value;
  row.querySelector('.rc-so').replaceChildren(form);
  form.elements.text.select();
};

element.addEventListener('click', async event => {
  const link = event.target.closest('a[data-part]');
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    return go({ part: link.dataset.part });
  }
  const button = event.target.closest('button[data-do]');
  if (!button) return;
  const row = button.closest('[data-key]');
  if (button.dataset.do === 'edit') {
    if (row.querySelector('form')) restored(row);
    else edited(row);
    return;
  }
  button.disabled = true;
  await ask({ ...row?.dataset, ...button.dataset });
  button.disabled = false;
});
// Nobody is chosen who is no more: the list is asked for without them.
const erased = async form => {
  const last = form.querySelector('button');
  last.disabled = true;
  tell('Erasing …');
  const isDone = await ask({ do: 'erase', typed: form.elements.typed.value });
  last.disabled = false;
  if (!isDone) return;
  document.dispatchEvent(new CustomEvent('rc-erased', { detail: frame().dataset.contact }));
  element.querySelectorAll('.rc-mem-erase, .rc-mem-export').forEach(each => each.remove());
  element.querySelector('.rc-outcome').scrollIntoView({ block: 'center' });
  const at = new URL(location);
  at.searchParams.delete('contact');
  history.replaceState(null, '', at);
  document.dispatchEvent(new Event('visibilitychange'));
};
element.addEventListener('toggle', event => {
  if (event.target.matches('.rc-mem-erase[open]')) ask({ do: 'weigh' });
}, true);
element.addEventListener('submit', async event => {
  event.preventDefault();
  const form = event.target;
  if (form.dataset.do === 'erase') return erased(form);
  if (form.dataset.do === 'search') {
    const q = form.elements.q.value;
    const isLong = encodeURIComponent(q).length > LONGEST;
    return go({ part: 'search', q: isLong ? '' : q }, isLong ? q : '');
  }
  const row = form.closest('[data-key]');
  const typed = Object.fromEntries(new FormData(form));
  if (await ask({ ...row?.dataset, ...form.dataset, ...typed })) form.reset();
});
element.addEventListener('keydown', event => {
  const row = event.target.closest('.rc-so form')?.closest('[data-key]');
  if (event.key === 'Escape' && row) restored(row);
});
element.addEventListener('input', event => {
  if (event.target.matches('.rc-find')) narrow(event.target.value);
});
watch('value', mark);
mark();
"""
"""What the view does in the browser. The only thing it asks for is `ask`, of this very page."""

MEMORY_CSS: Final = """
#rc-memory > .html-container { padding: 0 !important; }
.rc-mem { font-size: 14px; color: var(--rc-ink); max-width: 860px; }
.rc-mem ::placeholder { color: var(--rc-soft); opacity: 1; }
.rc-mem [hidden] { display: none !important; }
.rc-parts-of { display: flex; flex-wrap: wrap; gap: 4px; margin-bottom: 10px; }
.rc-parts-of a { padding: 6px 12px; border-radius: 99px; color: var(--rc-soft) !important;
  text-decoration: none !important; font-weight: 500; }
.rc-parts-of a:hover { background: var(--rc-track); }
.rc-parts-of a[aria-current] { background: var(--rc-accent-soft);
  color: var(--rc-accent) !important; }
.rc-parts-of .rc-mem-export { margin-left: auto; }
.rc-mem-erase { margin-top: 28px; padding-top: 10px; border-top: 1px solid var(--rc-line); }
.rc-mem-erase p { margin: 8px 0; }
.rc-mem-erase form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
.rc-mem-erase label { display: flex; flex-direction: column; gap: 2px; flex: 0 1 320px;
  overflow-wrap: anywhere; }
.rc-mem button.rc-mem-last { color: var(--rc-warn); border: 1px solid var(--rc-warn);
  padding: 7px 14px; min-height: 38px; }
.rc-mem ul.rc-mem-counts { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 16px;
  margin: 6px 0; padding: 0; color: var(--rc-soft); }
.rc-mem-counts b { color: var(--rc-ink); font-weight: 600; }
.rc-mem-receipt p { margin: 6px 0; overflow-wrap: anywhere; }
.rc-mem :is(a, button, summary, input, textarea, select):focus-visible {
  outline: 2px solid var(--rc-fill); outline-offset: 1px; }
.rc-ask { display: flex; gap: 8px; margin-bottom: 12px; }
.rc-ask input { flex: 1 1 auto; }
.rc-wraps > :first-child { flex: none; }
.rc-pages { display: flex; gap: 8px; margin: 10px 0; }
.rc-wraps { flex-wrap: wrap; }
.rc-outcome:not(:empty) { padding: 8px 12px; border-radius: 10px; margin-bottom: 10px;
  background: var(--rc-accent-soft); color: var(--rc-ink); overflow-wrap: anywhere; }
.rc-outcome button, .rc-version button { color: var(--rc-accent) !important;
  text-decoration: underline; }
.rc-outcome.rc-bad:not(:empty) { background: var(--rc-warn-soft); color: var(--rc-warn); }
.rc-tools { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center;
  color: var(--rc-soft); }
.rc-mem :is(input, textarea, select) { padding: 7px 10px; font-size: 14px; color: var(--rc-ink);
  background: var(--rc-card); border: 1px solid var(--rc-line); border-radius: 8px;
  min-width: 0; }
.rc-mem select { appearance: auto; }
.rc-mem :is(select, .rc-main) { min-height: 38px; }
.rc-mem .rc-find { flex: 0 1 240px; }
.rc-mem button { border: 0; background: none; cursor: pointer; padding: 3px 8px; margin: 0;
  border-radius: 6px; font-size: 13px; font-weight: 500; color: var(--rc-soft); box-shadow: none; }
.rc-mem button:hover { background: var(--rc-track); color: var(--rc-ink); }
.rc-mem button.rc-main { background: var(--rc-user); color: var(--rc-user-ink);
  padding: 7px 14px; }
.rc-mem summary { cursor: pointer; color: var(--rc-soft); padding: 2px 4px; border-radius: 6px; }
.rc-add form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; padding: 8px 0; }
.rc-note-form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; margin-bottom: 12px; }
.rc-note-form label { display: flex; flex-direction: column; gap: 2px; font-size: 12.5px;
  color: var(--rc-soft); }
.rc-note-form label:first-child { flex: 1 1 320px; }
.rc-add[open] { flex: 1 1 100%; }
.rc-add label { display: flex; flex-direction: column; gap: 2px; font-size: 12.5px;
  flex: 1 1 160px; }
.rc-group h3 { font-size: 13px; font-weight: 650; color: var(--rc-soft); margin: 18px 0 4px; }
.rc-group h3 span { font-weight: 400; }
ul.rc-list, ul.rc-versions { list-style: none; margin: 0; padding: 0; }
.rc-mem li { margin: 0; }
.rc-list > li { padding: 7px 12px; background: var(--rc-card); border: 1px solid;
  border-color: var(--rc-line) !important; border-bottom-width: 0; }
.rc-list > li:first-child { border-radius: 12px 12px 0 0; }
.rc-list > li:last-child { border-bottom-width: 1px; border-radius: 0 0 12px 12px; }
.rc-list > li:only-child { border-radius: 12px; }
.rc-row { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; }
.rc-key { color: var(--rc-soft); flex: 0 0 132px; overflow-wrap: anywhere; }
.rc-versions .rc-key { flex: none; margin-right: 4px; }
.rc-row .rc-so { flex: 1 1 160px; font-weight: 550; overflow-wrap: anywhere; }
.rc-so form { display: flex; gap: 6px; }
.rc-so form input { flex: 1 1 auto; }
.rc-acts { display: flex; gap: 2px; margin-left: auto; align-items: baseline; }
.rc-from { font-size: 12.5px; margin-left: 138px; }
.rc-mem blockquote { margin: 6px 0 4px; padding: 4px 10px; border-left: 3px solid var(--rc-fill);
  color: var(--rc-ink); overflow-wrap: anywhere; white-space: pre-line; font-size: 13.5px; }
.rc-origin { margin: 2px 0 6px; color: var(--rc-soft); font-size: 12.5px; }
.rc-mem a { color: var(--rc-accent); text-decoration: underline; }
.rc-marking { display: flex; flex-wrap: wrap; gap: 2px 6px; align-items: baseline;
  margin: 2px 0 8px; color: var(--rc-soft); font-size: 12.5px; }
.rc-marking span { margin-right: 12px; }
.rc-mem .rc-marking button { border: 1px solid var(--rc-line); color: var(--rc-accent);
  margin-right: 4px; }
.rc-rule-form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; margin-bottom: 12px; }
.rc-rule-form label { display: flex; flex-direction: column; gap: 2px; font-size: 12.5px;
  color: var(--rc-soft); flex: 1 1 150px; }
.rc-rule-form label:nth-of-type(2) { flex: 2 1 220px; }
.rc-mem .rc-rule-form :is(input, select) { width: 100%; min-height: 38px; }
.rc-version { padding: 2px 0; color: var(--rc-soft); overflow-wrap: anywhere; }
.rc-version s { color: var(--rc-ink); }
.rc-past, .rc-more { margin-top: 12px; }
.rc-more { margin-top: 4px; }
.rc-more .rc-list { margin-top: 4px; }
@media (max-width: 720px) {
  .rc-key { flex: 1 1 auto; font-size: 12.5px; }
  .rc-acts { order: 1; }
  .rc-row .rc-so { order: 2; flex-basis: 100%; }
  .rc-versions .rc-key { flex-basis: auto; }
  .rc-from { margin-left: 0; }
  .rc-from summary { padding: 6px 0; }
  .rc-mem button { padding: 4px 8px; }
}
"""
