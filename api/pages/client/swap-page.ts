// Pages of ours are fetched, and the parts that changed are put in place.

/** @returns undefined where another page came, such as the one to sign in: the browser goes there */
export async function fetchPage(url: string, init: RequestInit = {}): Promise<Document | undefined> {
  const response = await fetch(url, { ...init, headers: { Accept: 'text/html' } });
  const isHere = new URL(response.url).pathname === new URL(url, location.href).pathname;
  if (!isHere || !response.headers.get('content-type')?.startsWith('text/html')) {
    location.assign(url);
    return undefined;
  }
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

export function putInPlace(page: Document, ids: readonly string[]): void {
  for (const id of ids) {
    const part = page.getElementById(id);
    const here = document.getElementById(id);
    if (!part || !here) continue;
    const focused = here.contains(document.activeElement) ? document.activeElement!.id : '';
    here.replaceWith(part);
    if (focused) document.getElementById(focused)?.focus();
  }
}
