// The search box on every page shows results as people type. Without scripts, it is a plain form.
// https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

const form = document.querySelector<HTMLFormElement>('.search form');
const input = form?.querySelector<HTMLInputElement>('input[type="search"]');
if (form && input) enhance(form, input);

/** How long to wait after a key press before searching. */
const PAUSE_MS = 150;

function enhance(box: HTMLFormElement, field: HTMLInputElement): void {
  const list = openList(box, field);
  let request: AbortController | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  /** The query that the options belong to. */
  let shownQuery = '';
  const isCurrent = () => shownQuery === field.value.trim();

  async function search(): Promise<void> {
    request?.abort();
    request = new AbortController();
    const query = field.value.trim();
    if (query.length < 2) {
      shownQuery = '';
      list.clear();
      return;
    }
    const elements = await fetchOptions(query, request.signal);
    if (elements === undefined) return;
    shownQuery = query;
    list.fill(elements);
  }

  field.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, PAUSE_MS);
  });
  field.addEventListener('focus', () => list.show(list.size() > 0 && isCurrent()));
  // Enter opens the selected option, which is the first one by default. Without options, it opens the search
  // page.
  box.addEventListener('submit', async event => {
    event.preventDefault();
    clearTimeout(waiting);
    if (!isCurrent()) await search();
    const option = list.chosen();
    if (option !== undefined && isCurrent()) return location.assign(option.href);
    box.submit();
  });
  focusByKey(field);
}

/** The results below the field. Arrow keys select one. */
function openList(box: HTMLFormElement, field: HTMLInputElement) {
  const popup = addElement(box, 'div', 'found-box');
  const status = addElement(box, 'p', 'unseen');
  status.setAttribute('role', 'status');
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-controls', 'found');
  let options: HTMLAnchorElement[] = [];
  let active = -1;

  function show(isShown: boolean): void {
    popup.hidden = !isShown;
    field.setAttribute('aria-expanded', String(isShown));
    if (!isShown) field.removeAttribute('aria-activedescendant');
  }

  function choose(at: number): void {
    options[active]?.setAttribute('aria-selected', 'false');
    active = at;
    const option = options[at];
    if (option === undefined) return;
    option.setAttribute('aria-selected', 'true');
    field.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  }

  function fill(elements: readonly Element[]): void {
    popup.replaceChildren(...elements);
    options = [...popup.querySelectorAll<HTMLAnchorElement>('[role="option"]')];
    active = -1;
    const count = options.length;
    status.textContent = count === 0 ? 'No results' : `${count} ${count === 1 ? 'result' : 'results'}`;
    show(count > 0 && document.activeElement === field);
    if (count > 0 && !popup.hidden) choose(0);
  }

  function clear(): void {
    options = [];
    show(false);
  }

  // Clicking a result moves the focus before it opens the link.
  field.addEventListener('blur', event => {
    if (!popup.contains(event.relatedTarget as Node | null)) show(false);
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !popup.hidden) {
      show(false);
      event.preventDefault();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && options.length > 0) {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (popup.hidden) show(true);
      else choose((active + step + options.length) % options.length);
      event.preventDefault();
    }
  });
  show(false);
  return { show, fill, clear, size: () => options.length, chosen: () => options[Math.max(active, 0)] };
}

function addElement(box: HTMLFormElement, tag: string, className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  box.append(element);
  return element;
}

/** Undefined if there is no response or a newer search was started. */
async function fetchOptions(query: string, signal: AbortSignal): Promise<Element[] | undefined> {
  const params = new URLSearchParams({ q: query, filters: filtersHere() });
  const middle = document.getElementById('map')?.dataset.middle;
  if (middle !== undefined) params.set('near', middle);
  try {
    // High priority, so that it goes ahead of map tiles. Browsers fetch only six resources at a time.
    const response = await fetch(`/search/options?${params}`, { signal, priority: 'high' });
    if (!response.ok || response.redirected) return undefined;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return signal.aborted ? undefined : [...page.body.children];
  } catch (error) {
    // Either a newer search was started or the network is down. The form still works.
    if (signal.aborted || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** `/` and Ctrl+K focus the field. */
function focusByKey(field: HTMLInputElement): void {
  document.addEventListener('keydown', event => {
    const isSlash = event.key === '/' && !isEditable(event.target as HTMLElement);
    const isK = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isK) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

/** Read each time, because the map's URL changes without a reload. */
const filtersHere = (): string => (location.pathname === '/data' ? location.search.slice(1) : '');

const isEditable = (element: HTMLElement): boolean =>
  element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
