// Forms and links that work without script answer here without a reload: the same page is fetched and the
// part that changed is put in place.

import { fetchPage, putInPlace } from './swap-page.ts';

/** What changes with the address: the list or the parcel, and what the map's colors mean. */
const VIEW = ['side', 'legend'];

let latest = 0;

/**
 * Fetches a page of ours and takes over its parts `ids`; the address follows, so that the view can be shared.
 */
async function load(url: string, ids: string[], push: boolean): Promise<void> {
  const mine = ++latest;
  const page = await fetchPage(url);
  // A later question has been asked since.
  if (mine !== latest || page === undefined) return;
  putInPlace(page, ids);
  document.title = page.title;
  if (push) history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  document.dispatchEvent(new CustomEvent('plat:loaded', { detail: page }));
}

function addressOf(form: HTMLFormElement): string {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') params.append(name, String(value));
  return `${form.getAttribute('action')}?${params}`;
}

let waiting: ReturnType<typeof setTimeout> | undefined;

/** A place that is half typed asks nothing: neither left empty nor one of the list. */
const isHalfTyped = ({ list, value }: HTMLInputElement): boolean =>
  list !== null && value !== '' && ![...list.querySelectorAll('option')].some(place => place.value === value);

/** Answers a form once nobody has typed for a while; a place has other switches, too. */
function ask(field: HTMLInputElement, delayMs: number): void {
  const { form } = field;
  if (!form?.dataset.live) return;
  const ids = form.dataset.live.split(' ');
  clearTimeout(waiting);
  waiting = setTimeout(() => load(addressOf(form), field.list ? [...ids, 'switches'] : ids, false), delayMs);
}

document.addEventListener('input', event => {
  const field = event.target as HTMLInputElement;
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
  load(addressOf(form), VIEW, true);
});

document.addEventListener('click', event => {
  const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('#side a, #legend a');
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
  if (!link || !plain || link.origin !== location.origin || link.pathname !== '/data') return;
  event.preventDefault();
  load(link.href, VIEW, true);
});

document.addEventListener('plat:open', event => load((event as CustomEvent<string>).detail, VIEW, true));
addEventListener('popstate', () => location.reload());
