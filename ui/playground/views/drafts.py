"""What is typed in the chat, kept in the browser until the ledger has it: nothing of it is lost."""

from __future__ import annotations

from typing import Final

DRAFTS: Final = """
// A draft, and what was sent and is not known to be stored, by person, tenant and address.
const place = contact =>
  ['recollect-unsent', location.pathname, lines().dataset.tenant, contact].join(' ');
const unkept = {};
const kept = contact => {
  const none = { draft: '', sent: [] };
  if (unkept[contact]) return unkept[contact];
  try { return { ...none, ...JSON.parse(localStorage.getItem(place(contact))) }; }
  catch { return none; }
};
const keep = (contact, change) => {
  const now = { ...kept(contact), ...change };
  try {
    if (now.draft || now.sent.length) localStorage.setItem(place(contact), JSON.stringify(now));
    else localStorage.removeItem(place(contact));
    delete unkept[contact];
  } catch { unkept[contact] = now;  /* full, or closed to us: kept as long as the page */ }
};
const settle = (contact, ids) => {
  const { sent } = kept(contact), left = sent.filter(each => !ids.includes(each.id));
  if (left.length < sent.length) keep(contact, { sent: left });
};

const column = element.closest('.column');
const box = () => column.querySelector('#rc-box textarea');
const type = (input, text) => {
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
};
// The box is one for all, and drawn anew at times: what stands in it follows who is shown.
const fill = () => {
  const input = box(), contact = lines()?.dataset.contact;
  if (!input || !contact || input.dataset.contact === contact) return;
  const isEarly = input.value && input.dataset.early;
  delete input.dataset.early;
  input.dataset.contact = contact;
  if (isEarly) {
    keep(contact, { draft: input.value });
    if (isEarly === 'sent') say();
  }
  else if (input.value !== kept(contact).draft) type(input, kept(contact).draft);
};
new MutationObserver(fill).observe(column, { childList: true, subtree: true });
column.addEventListener('input', ({ target }) => {
  if (target !== box()) return;
  if (target.dataset.contact) keep(target.dataset.contact, { draft: target.value });
  else target.dataset.early = 'typed';
});
// Nothing of somebody who is erased stays in the browser.
document.addEventListener('rc-erased', ({ detail: contact }) => {
  keep(contact, { draft: '', sent: [] });
  const input = box();
  if (input?.dataset.contact === contact) type(input, '');
});

// What was sent stands there at once; the server draws it when it has it.
const underway = new Set(), refused = new Set();
const pend = () => {
  const at = lines();
  if (!at) return;
  at.querySelectorAll('.rc-pending').forEach(each => each.remove());
  const drawn = new Set([...at.querySelectorAll('[data-sent]')].map(each => each.dataset.sent));
  for (const { id, text } of kept(at.dataset.contact).sent) {
    if (drawn.has(id)) continue;
    const [line, said] = [0, 0].map(() => document.createElement('div'));
    line.className = 'rc-line user message rc-pending';
    said.className = 'rc-said';
    said.dir = 'auto';
    said.textContent = text;
    line.append(said);
    at.append(line);
    if (!refused.has(id)) continue;
    const note = document.createElement('div');
    note.className = 'rc-note user rc-pending';
    note.textContent = 'The console does not answer. This is kept here until it does.';
    at.append(note);
  }
  if (isAtEnd) at.scrollTop = at.scrollHeight;
};
let posting = Promise.resolve();
const post = (contact, { id, text }, isLate) => {
  underway.add(id);
  posting = posting.then(async () => {
    // Gradio answers nothing where the server is away.
    const isTaken = await server.say({ contact, id, text, late: isLate }).catch(() => null);
    underway.delete(id);
    if (isTaken) refused.delete(id); else refused.add(id);
    if (isTaken) news(); else pend();
  });
};
const say = () => {
  const input = box(), contact = input?.dataset.contact, text = input?.value ?? '';
  if (!text.trim()) return;
  // Nobody is shown yet: it is sent to who is.
  if (!contact) {
    input.dataset.early = 'sent';
    return;
  }
  // Only pages that are safe in the browser's eyes have `randomUUID`.
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)),
    each => each.toString(16).padStart(2, '0')).join('');
  const entry = { id, text, at: Date.now() };
  keep(contact, { draft: '', sent: [...kept(contact).sent, entry] });
  type(input, '');
  isAtEnd = true;
  pend();
  post(contact, entry, false);
};
column.addEventListener('keydown', event => {
  if (event.target !== box() || event.key !== 'Enter') return;
  if (event.shiftKey || event.isComposing) return;
  event.preventDefault();
  say();
}, true);
column.addEventListener('click', event => {
  const isSent = event.target.closest('#rc-send');
  if (!isSent && !event.target.closest('[data-skip]')) return;
  if (isSent) say();
  box()?.focus();
});
// Another tab, or this one, may be sending it at this moment: it is asked about a little later.
const asked = contact => kept(contact).sent.filter(
  each => !underway.has(each.id) && Date.now() - each.at > 5000);
const told = (contact, { settled, missing }) => {
  settle(contact, settled);
  for (const each of asked(contact)) if (missing.includes(each.id)) post(contact, each, true);
};
"""
"""What the chat does with what is typed: `say` sends a message under an id made here."""
