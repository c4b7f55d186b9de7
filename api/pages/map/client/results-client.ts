// Selection and keyboard navigation for search results, as a list or table.

import { acresTogether } from '../../../../shared/kernels/acres-together.ts';
import { followTabs } from './parcel-tabs.ts';
import { openSpreads } from './range-spread.ts';

type Box = HTMLInputElement;
type Link = HTMLAnchorElement;

const BOXES = '#results [name="property_id"]';
const LINKS = '#results a[data-parcel]';
const boxes = (): Box[] => [...document.querySelectorAll<Box>(BOXES)];
const links = (): Link[] => [...document.querySelectorAll<Link>(LINKS)];
const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format;

/** Updates the number of selected parcels and their acres. */
function updateSelection(): void {
  const bar = document.getElementById('selection');
  if (!bar) return;
  const all = boxes();
  const selected = all.filter(({ checked }) => checked);
  const whole = bar.querySelector<Box>('#select-all')!;
  whole.hidden = all.length === 0;
  whole.checked = selected.length > 0 && selected.length === all.length;
  whole.indeterminate = selected.length > 0 && !whole.checked;
  const acres = acresTogether(
    selected.map(({ dataset }) => ({
      boundary: dataset.boundary ?? null,
      acres: Number(dataset.acres),
      boundaryAcres: Number(dataset.boundaryAcres),
    })),
  );
  const words = bar.querySelector('#selected')!;
  words.textContent = `${selected.length} selected · ${digits(acres)} acres`;
  words.toggleAttribute('hidden', selected.length === 0);
  bar.querySelector('[type="reset"]')!.toggleAttribute('hidden', selected.length === 0);
  for (const button of bar.querySelectorAll<HTMLButtonElement>('[data-selected]'))
    button.disabled = selected.length === 0;
}

/** The start of a Shift selection. */
let last: Box | undefined;

document.addEventListener('click', event => {
  const box = event.target as Box;
  if (!box.matches(BOXES)) return;
  const all = boxes();
  const [from, to] = [last === undefined ? -1 : all.indexOf(last), all.indexOf(box)];
  if (event.shiftKey && from >= 0 && to >= 0)
    for (const between of all.slice(Math.min(from, to), Math.max(from, to))) between.checked = box.checked;
  last = box;
});

document.addEventListener('change', event => {
  const box = event.target as Box;
  if (box.id === 'select-all') for (const each of boxes()) each.checked = box.checked;
  if (box.id === 'select-all' || box.matches(BOXES)) updateSelection();
});

// Runs after the fields have been reset.
document.addEventListener('reset', () => setTimeout(updateSelection));

const rowOf = (element: Element) => element.closest<HTMLElement>('#results :is(li, tr)');
const linkOf = (row: Element) => row.querySelector<Link>('a[data-parcel]');
const boxOf = (row: Element) => row.querySelector<Box>('[name="property_id"]');

/** Only one row is in the Tab order. Arrow keys move between rows. */
function rove(to: Element | null | undefined): void {
  for (const link of links()) {
    const row = rowOf(link)!;
    const stop = row === to ? 0 : -1;
    link.tabIndex = stop;
    boxOf(row)!.tabIndex = stop;
  }
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

function move(row: HTMLElement, event: KeyboardEvent): void {
  const all = links();
  const to = all[all.indexOf(linkOf(row)!) + STEPS[event.key]!];
  if (!to) return;
  const isBox = (event.target as Element).matches(BOXES);
  const control = isBox ? boxOf(rowOf(to)!)! : to;
  control.focus();
  control.scrollIntoView({ block: 'nearest' });
}

document.addEventListener('keydown', event => {
  const target = event.target as HTMLElement;
  const row = target.matches(`${BOXES}, ${LINKS}`) ? rowOf(target) : null;
  if (event.key === 'Escape') return close(event);
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key in STEPS) move(row, event);
  // A checkbox already handles Space.
  else if (event.key === ' ' && target.matches(LINKS))
    boxOf(row)!.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: event.shiftKey }));
  else if (event.key === 'Enter' && target.matches(BOXES)) linkOf(row)!.click();
  else return;
  event.preventDefault();
});

/** Marks the hovered row and reports its parcel to the map. */
function point(row: HTMLElement | null | undefined): void {
  document.querySelector('#results .pointed')?.classList.remove('pointed');
  row?.classList.add('pointed');
  // Empty for a parcel without a location.
  const place = (row && linkOf(row))?.dataset.point || undefined;
  document.dispatchEvent(new CustomEvent('plat:point', { detail: place?.split(',').map(Number) }));
}

document.addEventListener('focusin', event => {
  const target = event.target as HTMLElement;
  if (!target.matches(`${BOXES}, ${LINKS}`)) return;
  rove(rowOf(target));
  point(rowOf(target));
});
document.addEventListener('mouseover', event => {
  const row = rowOf(event.target as Element);
  if (row && linkOf(row) && !row.classList.contains('pointed')) point(row);
});
document.addEventListener('mouseout', event => {
  const to = event.relatedTarget as Element | null;
  if (rowOf(event.target as Element) && !(to && rowOf(to))) point(null);
});
document.addEventListener('plat:pointed', event => {
  const id = (event as CustomEvent<string | undefined>).detail;
  const link = id && document.querySelector(`${LINKS}[data-parcel="${CSS.escape(id)}"]`);
  point(link ? rowOf(link) : null);
});

/** The open parcel, and the scroll position of the list that it was opened from. */
let opened: { id: string; tops: number[] } | undefined;
const scrolled = () => [
  document.getElementById('side'),
  document.querySelector('.tablebox'),
  document.scrollingElement,
];

document.addEventListener(
  'click',
  event => {
    const link = (event.target as Element).closest<Link>(LINKS);
    if (link) opened = { id: link.dataset.parcel!, tops: scrolled().map(each => each?.scrollTop ?? 0) };
  },
  true,
);
document.addEventListener('plat:open', event => {
  const id = new URL((event as CustomEvent<string>).detail, location.href).searchParams.get('parcel');
  if (id !== null && links().length > 0) opened = { id, tops: scrolled().map(each => each?.scrollTop ?? 0) };
});

/** Escape returns from a parcel to the list, unless it closes something else. */
function close(event: KeyboardEvent): void {
  const isTaken =
    event.defaultPrevented ||
    (event.target as HTMLElement).matches('input, select, textarea') ||
    document.querySelector('dialog[open], :popover-open, #drawing:not([hidden])');
  if (!isTaken) document.querySelector<Link>('#parcel a')?.click();
}

function handleLoad(): void {
  updateSelection();
  rove(rowOf(links()[0] ?? document.body));
  point(null);
  followTabs();
  const head = document.querySelector<HTMLElement>('#parcel h1');
  if (head && opened) {
    // The user may have moved on to another parcel.
    opened.id = new URLSearchParams(location.search).get('parcel') ?? opened.id;
    head.tabIndex = -1;
    head.focus();
  } else if (opened && links().length > 0) {
    const { id, tops } = opened;
    opened = undefined;
    for (const [at, each] of scrolled().entries()) each?.scrollTo(0, tops[at]!);
    const link = document.querySelector<Link>(`${LINKS}[data-parcel="${CSS.escape(id)}"]`);
    link?.focus({ preventScroll: true });
    link?.scrollIntoView({ block: 'nearest' });
  }
}
document.addEventListener('plat:loaded', handleLoad);
handleLoad();
openSpreads();

// On a phone, the map comes before the filters.
if (matchMedia('(max-width: 47.5rem)').matches)
  document.querySelector('#filters > details')?.removeAttribute('open');
