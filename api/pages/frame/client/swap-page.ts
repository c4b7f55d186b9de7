// Fetches pages and replaces the parts that changed.

/**
 * @returns undefined if the server returned another page, such as sign-in. The browser then opens that page
 */
export async function fetchPage(url: string, init: RequestInit = {}): Promise<Document | undefined> {
  const response = await fetch(url, { ...init, headers: { Accept: 'text/html' } });
  const isHere = new URL(response.url).pathname === new URL(url, location.href).pathname;
  if (!isHere || !response.headers.get('content-type')?.startsWith('text/html')) {
    location.assign(url);
    return undefined;
  }
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

const FOCUSABLE = 'a, button, input, select, textarea, summary';
const focusableIn = (part: Element) => [...part.querySelectorAll<HTMLElement>(FOCUSABLE)];

/** Finds the same element in the new part, by id or by position and text. */
function sameIn(part: Element, { id, textContent }: Element, place: number): HTMLElement | null {
  if (id) return document.getElementById(id);
  const there = focusableIn(part)[place];
  return there?.textContent === textContent ? there : null;
}

/** Replaces a part and keeps the focus. */
export function replacePart(here: HTMLElement, part: HTMLElement): void {
  const focused = here.contains(document.activeElement) ? document.activeElement : null;
  const place = focused ? focusableIn(here).indexOf(focused as HTMLElement) : -1;
  here.replaceWith(part);
  if (!focused) return;
  const same = sameIn(part, focused, place);
  // If the focused element is gone, focus the part instead of the top of the page.
  if (!same) part.tabIndex = -1;
  (same ?? part).focus({ preventScroll: same === null });
}

export function putInPlace(page: Document, ids: readonly string[]): void {
  for (const id of ids) {
    const part = page.getElementById(id);
    const here = document.getElementById(id);
    if (part && here) replacePart(here, part);
  }
}
