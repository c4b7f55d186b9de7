// The board. Lets the user move cards by mouse or keyboard, and refreshes when something changes elsewhere.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';
import { letGo } from '../../frame/client/toast.ts';

const find = (id: string) => document.getElementById(id)!;
const lanes = () => [...document.querySelectorAll<HTMLElement>('.lane')];
const cardOf = (target: EventTarget | null) =>
  (target as HTMLElement | null)?.closest?.<HTMLElement>('.lane .card');
const laneOf = (target: EventTarget | null) =>
  (target as HTMLElement | null)?.closest?.<HTMLElement>('.lane');
const cardsIn = (lane: HTMLElement) => [...lane.querySelectorAll<HTMLElement>('.card')];

let dragged: HTMLElement | undefined;

// Live updates.

/** While the user drags a card or edits a field, the board is not refreshed. */
function isBusy(): boolean {
  return dragged !== undefined || document.activeElement?.matches('#board :is(input, select)') === true;
}

let due = false;
async function refresh(): Promise<void> {
  due = isBusy();
  if (due) return;
  const page = await fetchPage('/deals').catch(() => undefined);
  due = isBusy();
  if (page !== undefined && !due) show(page, ['totals', 'board']);
}

/** Replaces parts of the page, keeping open details, scroll position, and focus. */
function show(page: Document, ids: string[]): void {
  const focused = cardOf(document.activeElement);
  const [inBoard, onLink] = [focused?.id, document.activeElement?.matches('h3 a')];
  const open = [...document.querySelectorAll('.card details[open]')].map(one => cardOf(one)?.id);
  const [left, top] = [find('board').scrollLeft, window.scrollY];
  putInPlace(page, ids);
  for (const id of open) document.querySelector(`#${id} details`)?.setAttribute('open', '');
  find('board').scrollLeft = left;
  window.scrollTo(0, top);
  if (inBoard) document.querySelector<HTMLElement>(`#${inBoard} ${onLink ? 'h3 a' : 'summary'}`)?.focus();
}

let events: EventSource | undefined;
function watch(): void {
  if (document.visibilityState !== 'visible') {
    events?.close();
    events = undefined;
    return;
  }
  if (events !== undefined) return;
  events = new EventSource('/deals/events');
  events.onmessage = ({ data }) => {
    if (data !== find('board').dataset.version) refresh();
  };
}
document.addEventListener('visibilitychange', watch);
document.addEventListener('focusout', () => setTimeout(() => due && refresh()));
watch();

// The user's own changes.

let last: Promise<unknown> = Promise.resolve();

/** Sends one change at a time. Each response is the updated board. */
function send(fields: Record<string, string> | FormData): Promise<void> {
  const body = new URLSearchParams([
    ...(fields instanceof FormData ? fields : new Map(Object.entries(fields))),
  ] as string[][]);
  const sending = last.then(async () => {
    const page = await fetchPage('/deals', { method: 'POST', body });
    if (page === undefined) return;
    show(page, ['messages', 'totals', 'board']);
    const toast = find('messages').querySelector<HTMLElement>('.toast');
    if (toast) letGo(toast);
  });
  last = sending.catch(() => announce("Your change wasn't saved because Plat can't be reached. Try again."));
  return sending;
}

function announce(text: string): void {
  find('announcement').textContent = text;
}

function move(card: HTMLElement, lane: HTMLElement, position: number): void {
  const status = lane.dataset.stage!;
  const stage = lane.querySelector('h2')!.firstChild!.textContent!.trim();
  send({ do: 'move', id: card.dataset.id!, status, position: String(position) }).then(
    () => announce(`${card.dataset.name} is now number ${position + 1} in ${stage}.`),
    () => {},
  );
}

document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement;
  if (form.method !== 'post' || form.getAttribute('action') !== '/deals') return;
  event.preventDefault();
  const fields = new FormData(form, (event as SubmitEvent).submitter);
  // Otherwise, the focused field would count as busy, and the board would not refresh.
  (document.activeElement as HTMLElement | null)?.blur();
  send(fields).catch(() => {});
});

// Keyboard: the card's link has focus.

const SIDEWAYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
const UPRIGHT: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 };

document.addEventListener('keydown', event => {
  const card = cardOf(event.target);
  const by = SIDEWAYS[event.key] ?? UPRIGHT[event.key];
  if (!card || by === undefined || !(event.target as HTMLElement).matches('h3 a')) return;
  event.preventDefault();
  const from = laneOf(card)!;
  const at = cardsIn(from).indexOf(card);
  const lane = event.key in SIDEWAYS ? lanes()[lanes().indexOf(from) + by] : from;
  const position = event.key in SIDEWAYS ? Math.min(at, lane ? cardsIn(lane).length : 0) : at + by;
  if (lane === undefined || position < 0 || (lane === from && position >= cardsIn(from).length)) return;
  // Move the card in the page right away, so that the next key press finds it there.
  cardsIn(lane).includes(card)
    ? cardsIn(lane)[position]!.insertAdjacentElement(by < 0 ? 'beforebegin' : 'afterend', card)
    : lane.querySelector('ol')!.insertBefore(card, cardsIn(lane)[position] ?? null);
  card.querySelector<HTMLElement>('h3 a')!.focus();
  move(card, lane, position);
});

// Drag and drop.

document.addEventListener('dragstart', event => {
  dragged = cardOf(event.target) ?? undefined;
  if (dragged === undefined) return;
  event.dataTransfer!.effectAllowed = 'move';
  event.dataTransfer!.setData('text/plain', dragged.dataset.name!);
  dragged.classList.add('moving');
});

/** The card that the dragged one would be placed before. */
function nextAt(lane: HTMLElement, y: number): HTMLElement | undefined {
  return cardsIn(lane).find(card => {
    const { top, height } = card.getBoundingClientRect();
    return card !== dragged && y < top + height / 2;
  });
}

function unmark(): void {
  for (const one of document.querySelectorAll('.over, .before')) one.classList.remove('over', 'before');
}

document.addEventListener('dragover', event => {
  const lane = laneOf(event.target);
  if (dragged === undefined || !lane) return;
  event.preventDefault();
  unmark();
  lane.classList.add('over');
  nextAt(lane, event.clientY)?.classList.add('before');
});

document.addEventListener('drop', event => {
  const lane = laneOf(event.target);
  if (dragged === undefined || !lane) return;
  event.preventDefault();
  const card = dragged;
  const next = nextAt(lane, event.clientY);
  const others = cardsIn(lane).filter(other => other !== card);
  lane.querySelector('ol')!.insertBefore(card, next ?? null);
  move(card, lane, next === undefined ? others.length : others.indexOf(next));
});

document.addEventListener('dragend', () => {
  dragged?.classList.remove('moving');
  dragged = undefined;
  unmark();
  if (due) refresh();
});

document.querySelector<HTMLElement>('.keys')!.hidden = false;
