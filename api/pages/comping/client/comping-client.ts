// Lets the user choose comps. The browser sends what the user picks or enters, and shows the figures that the
// server computes from it.

import { say } from '../../frame/client/toast.ts';
import { map, sourceOf } from '../../parts/client/map-client.ts';
import { type Mark, openMarks } from '../../parts/client/map-marks.ts';
import { EMPTY } from '../../parts/client/map-style.ts';
import {
  type Filters,
  inOrder,
  isShown,
  readFilters,
  type Shown,
  type Update,
  weightText,
} from '../comping-filter.ts';

const page = document.querySelector<HTMLElement>('.comping')!;
const address = page.dataset.report!;
const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const filterForm = find<HTMLFormElement>('filters');
const list = find('comps');

let comps: Shown[] = [];
let subject: [number, number] | null = null;
const rows = new Map<string, HTMLElement>();
const chosen = new Set<string>();
/** Undefined until the selection changes, because the page has the weights already. */
let weights: Map<string, number> | undefined;
let visible = new Set<string>();

/** Sends one change at a time, so that responses arrive in order. */
let last: Promise<unknown> = Promise.resolve();

function send(fields: [string, string][]): Promise<void> {
  const sending = last.then(async () => {
    const body = new URLSearchParams(fields);
    const headers = { Accept: 'application/json' };
    const response = await fetch(address, { method: 'POST', body, headers });
    if (response.ok && !response.redirected) return show(await response.json());
    const { error } = await response
      .json()
      .catch(() => ({ error: { message: "Your change wasn't saved. Sign in again." } }));
    showNotice(error.details ? Object.values(error.details).flat().join('; ') : error.message);
    markChosen();
  });
  last = sending.catch(() => {
    showNotice("Your change wasn't saved because Plat can't be reached. Try again.");
    markChosen();
  });
  return sending;
}

function show(update: Update): void {
  if (update.version < Number(page.dataset.version)) return;
  page.dataset.version = String(update.version);
  const open = [...document.querySelectorAll<HTMLElement>('details[data-open][open]')].map(
    one => one.dataset.open,
  );
  const parsed = new DOMParser().parseFromString(update.html, 'text/html');
  const isSharing = find<HTMLDetailsElement>('share').open;
  for (const part of ['cover', 'strip', 'share', 'results'])
    find(part).replaceWith(parsed.getElementById(part)!);
  find<HTMLDetailsElement>('share').open = isSharing;
  for (const one of open) document.querySelector(`details[data-open="${one}"]`)?.setAttribute('open', '');
  chosen.clear();
  for (const id of update.chosen) chosen.add(id);
  weights = new Map(update.result?.lines.map(({ comp, weight }) => [comp.id, weight]));
  if (update.link !== undefined) copyLink(update.link);
  showNotice('');
  markChosen();
  showText(update);
}

/** Browsers allow this for a few seconds after a click. Otherwise, the link is shown with its own button. */
function copyLink(link: string): void {
  navigator.clipboard?.writeText(new URL(link, location.href).href).then(
    () => say('Link copied'),
    () => {},
  );
}

function markChosen(): void {
  for (const [id, row] of rows) {
    const weight = weights?.get(id);
    if (weights) row.querySelector('.weight')!.textContent = weight === undefined ? '' : weightText(weight);
    row.querySelector<HTMLInputElement>('input[name=comp]')!.checked = chosen.has(id);
    row.classList.toggle('is-chosen', chosen.has(id));
  }
  drawComps();
}

let notice: HTMLElement | null = null;
function showNotice(message: string): void {
  notice ??= find('candidates').insertBefore(document.createElement('p'), list);
  notice.className = message === '' ? '' : 'notice bad';
  notice.setAttribute('role', 'alert');
  notice.textContent = message;
}

// Filters.

let due = 0;
function filterSoon(): void {
  cancelAnimationFrame(due);
  due = requestAnimationFrame(filter);
}

let order = '';
function filter(): void {
  const filters: Filters = readFilters(
    new URLSearchParams(new FormData(filterForm) as unknown as Record<string, string>),
  );
  visible = new Set(comps.filter(comp => isShown(comp, filters)).map(({ id }) => id));
  for (const [id, row] of rows) if (row.hidden === visible.has(id)) row.hidden = !row.hidden;
  if (filters.order !== order) {
    order = filters.order;
    list.append(...inOrder(comps, order).flatMap(({ id }) => rows.get(id) ?? []));
  }
  find('shown').textContent = visible.size.toLocaleString('en-US');
  drawComps();
}

filterForm.addEventListener('input', filterSoon);
filterForm.addEventListener('submit', event => event.preventDefault());
find('unfilter').addEventListener('click', event => {
  event.preventDefault();
  for (const field of filterForm.querySelectorAll<HTMLInputElement>('input')) {
    if (field.type === 'checkbox') field.checked = true;
    else field.value = '';
  }
  sourceOf('area')?.setData(EMPTY);
  filterSoon();
});

// Choosing.

list.addEventListener('change', event => {
  const box = event.target as HTMLInputElement;
  if (box.name !== 'comp') return;
  const name = box.closest('li')!.querySelector('b')!.textContent;
  if (!box.checked) sayUndoable(`${name} removed`);
  send([
    ['do', box.checked ? 'add' : 'remove'],
    ['comp', box.value],
  ]);
});

/** Shows a toast with a button that restores the current selection. */
function sayUndoable(words: string): void {
  const before = [...chosen].map((id): [string, string] => ['comp', id]);
  say(words, { undo: () => send([['do', 'select'], ['was', [...chosen].join(',')], ...before]) });
}

/** Toasts for the buttons that change the selection. */
const CHOSEN: Record<string, string> = {
  remove: 'Comp removed',
  clear: 'All comps removed',
  model: "Now using Plat's comps",
};

document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement;
  if (!form.matches('[data-change], #candidates')) return;
  event.preventDefault();
  if (form.id === 'candidates') return;
  const button = (event as SubmitEvent).submitter as HTMLButtonElement;
  const fields = [...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]);
  const words = CHOSEN[button.value];
  if (words !== undefined) sayUndoable(words);
  send([...fields, [button.name, button.value]]);
});

// The title and notes, which are saved while the user types.

const texts = find<HTMLFormElement>('texts');
const fieldOf = (name: string) => texts.elements.namedItem(name) as HTMLInputElement;
let typing = 0;
let unsaved = false;

texts.addEventListener('input', () => {
  unsaved = true;
  find('saved').textContent = '';
  clearTimeout(typing);
  typing = setTimeout(saveText, 600) as unknown as number;
});
texts.addEventListener('submit', event => {
  event.preventDefault();
  clearTimeout(typing);
  saveText();
});

function saveText(): void {
  unsaved = false;
  const names = ['title', 'notes', 'was_title', 'was_notes'];
  send([['do', 'text'], ...names.map((name): [string, string] => [name, fieldOf(name).value])]);
}

/** Shows the stored text, which is what the next change starts from. Keeps text that the user is typing. */
function showText({ title, notes, conflict }: Update): void {
  const saved = find('saved');
  for (const [name, stored] of [
    ['title', title],
    ['notes', notes],
  ] as const) {
    const field = fieldOf(name);
    const was = fieldOf(`was_${name}`);
    const isMine = field.value !== was.value.replaceAll('\r\n', '\n');
    was.value = stored;
    if (!isMine && !unsaved) field.value = stored;
    if (conflict?.[name] !== undefined)
      saved.textContent = `The ${name} ${name === 'title' ? 'was' : 'were'} changed in another window to “${stored}”. Keep typing to replace it with yours, or copy what you need.`;
  }
  find('report-title').textContent = title || fieldOf('title').placeholder;
  if (
    conflict === undefined &&
    !unsaved &&
    fieldOf('title').value === title &&
    fieldOf('notes').value === notes
  )
    saved.textContent = 'Saved';
}

/** When the user returns to this window, shows changes made in others. */
document.addEventListener('visibilitychange', async () => {
  if (document.visibilityState !== 'visible') return;
  const response = await fetch(address, { headers: { Accept: 'application/json' } }).catch(() => undefined);
  if (response?.ok && response.headers.get('content-type')?.startsWith('application/json'))
    show(await response.json());
});

const print = find('print');
print.hidden = false;
print.addEventListener('click', () => window.print());

// The map.

let marks: ReturnType<typeof openMarks> | undefined;

/** Scrolls the list to the comp under the mouse on the map. */
function pointFromMap(id: string | undefined): void {
  point(id);
  const row = id === undefined ? undefined : rows.get(id);
  if (row === undefined || row.hidden) return;
  const { scrollTop, clientHeight } = list;
  if (row.offsetTop < scrollTop || row.offsetTop + row.offsetHeight > scrollTop + clientHeight)
    list.scrollTop = row.offsetTop - clientHeight / 3;
}

function pick(id: string): void {
  const row = rows.get(id);
  row?.scrollIntoView({ block: 'nearest' });
  row?.querySelector('input')?.focus();
}

function drawComps(): void {
  const shown = comps
    .filter(({ id }) => visible.has(id) || chosen.has(id))
    .map(({ id, lon, lat, status }): Mark => ({ id, lon, lat, kind: status, chosen: chosen.has(id) }))
    .sort((a, b) => Number(a.chosen) - Number(b.chosen));
  if (subject !== null)
    shown.push({ id: 'subject', lon: subject[0], lat: subject[1], kind: 'SUBJECT', chosen: true });
  marks?.show(shown);
}

let pointed: HTMLElement | undefined;
function point(id: string | undefined): void {
  pointed?.classList.remove('pointed');
  pointed = id === undefined ? undefined : rows.get(id);
  pointed?.classList.add('pointed');
  marks?.point(id);
}

const rowOf = (event: Event) => (event.target as HTMLElement).closest<HTMLElement>('li')?.dataset.id;
list.addEventListener('pointerover', event => point(rowOf(event)));
list.addEventListener('focusin', event => point(rowOf(event)));
list.addEventListener('pointerleave', () => point(undefined));

async function start(): Promise<void> {
  const response = await fetch(`${address}/comps.json`);
  const data = (await response.json()) as {
    comps: Shown[];
    chosen: string[];
    subject: [number, number] | null;
    outline: [number, number][][];
  };
  comps = data.comps;
  subject = data.subject;
  marks = openMarks(map, data.outline, pointFromMap, pick);
  for (const id of data.chosen) chosen.add(id);
  for (const row of list.querySelectorAll<HTMLElement>('li')) rows.set(row.dataset.id!, row);
  order = readFilters(new URLSearchParams(location.search)).order;
  filter();
  page.dataset.ready = 'true';
}

start();
