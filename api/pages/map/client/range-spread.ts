// Histograms above range filters, with two handles each. Moving a handle fills in the range's fields.

import { replacePart } from '../../frame/client/swap-page.ts';

type Field = HTMLInputElement;

/** The filters in the form, except the ranges that have histograms. */
function otherFilters(form: HTMLFormElement): string {
  const params = new URLSearchParams();
  const own = new Set([...form.querySelectorAll<Field>('[data-of] > div input')].map(({ name }) => name));
  for (const [name, value] of new FormData(form))
    if (value !== '' && !own.has(name)) params.append(name, String(value));
  return params.toString();
}

/** The filters that the current histograms are for. */
let shown = '';

async function show(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('#filters');
  if (!form?.querySelector('.filters')?.hasAttribute('open')) return;
  const query = otherFilters(form);
  if (query === shown && form.querySelector('.spread')) return;
  shown = query;
  const response = await fetch(`/data/spreads?${query}`);
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  // The filters have changed in the meantime.
  if (query !== shown) return;
  for (const range of document.querySelectorAll<HTMLElement>('.range[data-of]')) {
    const old = range.querySelector<HTMLElement>('.spread');
    const spread = page.querySelector<HTMLElement>(`.spread[data-of="${range.dataset.of}"]`);
    if (!spread) {
      old?.remove();
      continue;
    }
    if (old) replacePart(old, spread);
    else range.querySelector('legend')!.after(spread);
    follow(range);
  }
}

const fieldsOf = (range: Element) => [...range.querySelectorAll<Field>(':scope > div:last-child input')];
const thumbsOf = (range: Element) => [...range.querySelectorAll<Field>('.thumbs input')];
const edgesOf = (range: Element) =>
  JSON.parse(range.querySelector<HTMLElement>('.spread')!.dataset.edges!) as number[];

/** Moves the handles to the fields' values and marks the bars between them. */
function follow(range: Element): void {
  const edges = edgesOf(range);
  const last = edges.length - 1;
  const [low, high] = fieldsOf(range).map(({ value }) => Number(value.replace(/[$,\s]/g, '')) || 0) as [
    number,
    number,
  ];
  const from = low === 0 ? 0 : edges.filter(edge => edge <= low).length - 1;
  const to = high === 0 ? last : edges.findIndex(edge => edge >= high);
  const ends = [Math.max(0, from), to < 0 ? last : to] as const;
  for (const [at, thumb] of thumbsOf(range).entries()) {
    thumb.value = String(ends[at]);
    const field = fieldsOf(range)[at]!;
    thumb.setAttribute('aria-valuetext', field.value === '' ? 'any' : field.value);
  }
  for (const [at, bar] of range.querySelectorAll('rect').entries())
    bar.classList.toggle('in', at >= ends[0] && at < ends[1]);
}

/** Writes the bar edge at the handle into the handle's field, or clears the field at either end. */
function write(range: Element, thumb: Field): void {
  const edges = edgesOf(range);
  const thumbs = thumbsOf(range);
  const at = thumbs.indexOf(thumb);
  const other = Number(thumbs[1 - at]!.value);
  const place =
    at === 0 ? Math.min(Number(thumb.value), other - 1) : Math.max(Number(thumb.value), other + 1);
  thumb.value = String(place);
  const field = fieldsOf(range)[at]!;
  field.value = place === (at === 0 ? 0 : edges.length - 1) ? '' : String(edges[place]);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

export function openSpreads(): void {
  document.addEventListener('input', event => {
    const field = event.target as Field;
    const range = field.closest('.range[data-of]');
    if (!range?.querySelector('.spread')) return;
    if (field.type === 'range') write(range, field);
    else follow(range);
  });
  // Capture the event, because it doesn't bubble.
  document.addEventListener('toggle', show, true);
  document.addEventListener('plat:loaded', show);
  show();
}
