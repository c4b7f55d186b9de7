// Handles forms and links without a page reload: fetches the same page and swaps in the parts that changed.
// Forms and links also work without this script.

import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

/** The parts that change with the URL: the list or the parcel, and the map's legend. */
const VIEW = ['side', 'legend'];

let latest = 0;
/** The query that the page shows. */
let shown = location.search;

/** What happens to the browser history: a new entry, a replaced entry, or nothing if it's already there. */
type Step = 'push' | 'replace' | 'there';

/** Fetches a page and swaps in the elements in `ids`. Updates the URL, so that people can share it. */
async function load(url: string, ids: string[], step: Step): Promise<void> {
  const mine = ++latest;
  const skeleton = showWaiting(ids);
  const page = await fetchPage(url).finally(skeleton.end);
  // A newer request has started or is about to.
  if (mine !== latest || waiting !== undefined || page === undefined) return;
  if (ids.includes('switches')) isElsewhere = false;
  putInPlace(page, ids);
  document.title = page.title;
  if (step === 'push') history.pushState(null, '', url);
  else if (step === 'replace') history.replaceState(null, '', url);
  shown = location.search;
  document.dispatchEvent(new CustomEvent('plat:loaded', { detail: page }));
}

/** Shorter waits go unnoticed. */
const SKELETON_MS = 400;
const SKELETON_ROWS = 9;

/** Dims the old results until the new ones arrive, or shows gray rows if there are none. */
function showWaiting(ids: readonly string[]) {
  const parts = ids.flatMap(id => document.getElementById(id) ?? []);
  for (const part of parts) part.setAttribute('aria-busy', 'true');
  const due = setTimeout(() => {
    const results = document.getElementById('results');
    if (!results || results.querySelector('[data-parcel]')) return;
    const rows = document.createElement('div');
    rows.className = 'skeletons';
    rows.append(...Array.from({ length: SKELETON_ROWS }, () => document.createElement('span')));
    results.replaceChildren(rows);
  }, SKELETON_MS);
  return {
    end() {
      clearTimeout(due);
      for (const part of parts) part.removeAttribute('aria-busy');
    },
  };
}

function addressOf(form: HTMLFormElement): string {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') params.append(name, String(value));
  return `${form.getAttribute('action')}?${params}`;
}

/** Set while the user is typing. */
let waiting: ReturnType<typeof setTimeout> | undefined;
/** True after the user chooses another county, until its switches have loaded. */
let isElsewhere = false;

/** A half-typed county is neither empty nor one of the suggestions. The page doesn't search it yet. */
const isHalfTyped = ({ list, value }: HTMLInputElement): boolean =>
  list !== null && value !== '' && ![...list.querySelectorAll('option')].some(place => place.value === value);

/**
 * The last field that changed the URL. Tracked so that the Back button undoes a whole field, not one letter.
 */
let answered = '';

/** Submits the form after a pause in typing. Choosing another county also reloads the switches. */
function ask(field: HTMLInputElement, delayMs: number): void {
  const { form } = field;
  if (!form?.dataset.live) return;
  const ids = form.dataset.live.split(' ');
  isElsewhere ||= field.list !== null;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    waiting = undefined;
    const isSame = answered === field.name && field.type !== 'checkbox';
    answered = field.name;
    load(addressOf(form), isElsewhere ? [...ids, 'switches', 'more'] : ids, isSame ? 'replace' : 'push');
  }, delayMs);
}

document.addEventListener('input', event => {
  const field = event.target as HTMLInputElement;
  if (field.name === '') return;
  if (!field.list || !isHalfTyped(field)) ask(field, 250);
});

// Leaving the field or pressing Enter accepts what the user typed.
document.addEventListener('change', event => {
  const field = event.target as HTMLInputElement;
  if (field.list && isHalfTyped(field)) ask(field, 0);
});

document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement;
  if (!form.dataset.live) return;
  event.preventDefault();
  clearTimeout(waiting);
  waiting = undefined;
  load(addressOf(form), VIEW, 'push');
});

document.addEventListener('click', event => {
  const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('#side a, #legend a');
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
  if (!link || !plain || link.origin !== location.origin || link.pathname !== '/data') return;
  // Let the browser follow links within the page.
  if (link.hash !== '' && link.search === shown) return;
  event.preventDefault();
  load(link.href, VIEW, 'push');
});

document.addEventListener('plat:open', event => load((event as CustomEvent<string>).detail, VIEW, 'push'));
addEventListener('popstate', () => {
  // Ignores the tabs of the open parcel.
  if (location.search === shown) return;
  answered = '';
  load(location.href, VIEW, 'there');
});
