// Forms and links that work without script answer here without a reload: the same page is fetched and the
// part that changed is put in place.

import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

/** What changes with the address: the list or the parcel, and what the map's colors mean. */
const VIEW = ['side', 'legend'];

let latest = 0;
/** The question whose answer is in the page. */
let shown = location.search;

/** Whether the address that is asked becomes a step of Back, takes the place of the last one, or is one. */
type Step = 'push' | 'replace' | 'there';

/** Fetches a page of ours and takes over its parts `ids`; the address follows, to be shared. */
async function load(url: string, ids: string[], step: Step): Promise<void> {
  const mine = ++latest;
  const skeleton = showWaiting(ids);
  const page = await fetchPage(url).finally(skeleton.end);
  // A newer request has started, or is about to.
  if (mine !== latest || waiting !== undefined || page === undefined) return;
  if (ids.includes('switches')) isElsewhere = false;
  putInPlace(page, ids);
  document.title = page.title;
  if (step === 'push') history.pushState(null, '', url);
  else if (step === 'replace') history.replaceState(null, '', url);
  shown = location.search;
  document.dispatchEvent(new CustomEvent('plat:loaded', { detail: page }));
}

/** Nobody sees a shorter wait. */
const SKELETON_MS = 400;
const SKELETON_ROWS = 9;

/** The old answer is paler until the new one comes; where there is none, grey rows stand for it. */
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

/** Runs while somebody types. */
let waiting: ReturnType<typeof setTimeout> | undefined;
/** Another place was chosen, whose switches have not come yet. */
let isElsewhere = false;

/** A place that is half typed asks nothing: neither left empty nor one of the list. */
const isHalfTyped = ({ list, value }: HTMLInputElement): boolean =>
  list !== null && value !== '' && ![...list.querySelectorAll('option')].some(place => place.value === value);

/** The field whose answer the address is of: Back takes back a field, not a letter. */
let answered = '';

/** Answers a form once nobody has typed for a while; a place has other switches, too. */
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

// Whatever is typed when the field is left, or Enter pressed, is meant.
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
  // A part of what is shown: the browser goes there.
  if (link.hash !== '' && link.search === shown) return;
  event.preventDefault();
  load(link.href, VIEW, 'push');
});

document.addEventListener('plat:open', event => load((event as CustomEvent<string>).detail, VIEW, 'push'));
addEventListener('popstate', () => {
  // Not a tab of the open parcel.
  if (location.search === shown) return;
  answered = '';
  load(location.href, VIEW, 'there');
});
