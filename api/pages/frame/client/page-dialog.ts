// Opens a page as a dialog, so that the user stays on this page. A link or button with `data-dialog` names
// the page, which marks what the dialog shows with `data-dialog-content`. Without scripts, the page opens.

import { say } from './toast.ts';

const CONTENT = '[data-dialog-content]';

type Opened = { page: Document; url: string };

let dialog: HTMLDialogElement | undefined;
/** The page in the dialog. Its forms are relative to this URL. */
let shown = '';
let isBusy = false;

/** Fetches a page. Undefined if the server returned something else, which the user then sees. */
async function request(url: string, init: RequestInit = {}): Promise<Opened | undefined> {
  const response = await fetch(url, { ...init, headers: { Accept: 'text/html' } });
  if (response.headers.get('content-type')?.startsWith('text/html'))
    return {
      page: new DOMParser().parseFromString(await response.text(), 'text/html'),
      url: response.url,
    };
  // Signing in leads back to this page.
  if (response.status === 401) location.reload();
  else say((await response.json()).error.message);
  return undefined;
}

async function follow(url: string, init?: RequestInit): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  dialog?.setAttribute('aria-busy', 'true');
  try {
    const opened = await request(url, init);
    if (opened) show(opened);
  } catch {
    say("Plat can't be reached. Check your connection and try again.");
  } finally {
    isBusy = false;
    dialog?.removeAttribute('aria-busy');
  }
}

function show({ page, url }: Opened): void {
  const content = page.querySelector<HTMLElement>(CONTENT);
  if (content) {
    fill(content, url);
    return;
  }
  dialog?.close();
  const result = page.querySelector<HTMLElement>('.toast, main :is(.good, .warn).notice');
  // If the page has no result to show, it is the next step, such as a new report.
  if (result) report(result, url);
  else location.assign(url);
}

/**
 * Shows the result of a form as a toast, with its undo button and a link to what changed: the page that the
 * result names in `data-page`, or the one that undoes it.
 */
function report(result: HTMLElement, url: string): void {
  const form = result.querySelector('form');
  const text = result.cloneNode(true) as HTMLElement;
  for (const part of text.querySelectorAll('form, a:last-child')) part.remove();
  const { pathname } = new URL(result.dataset.page ?? form?.getAttribute('action') ?? url, url);
  say(text.textContent.trim(), {
    ...(form && { undo: () => send(form, form.querySelector('button')) }),
    ...(pathname !== location.pathname && { link: pathname }),
  });
  document.dispatchEvent(new Event('plat:done'));
}

function fill(content: HTMLElement, url: string): void {
  shown = url;
  dialog ??= addDialog();
  const head = content.querySelector('h1, h2');
  if (head) head.id = 'dialog-title';
  dialog.replaceChildren(closeButton(), content);
  if (!dialog.open) dialog.showModal();
  document.dispatchEvent(new CustomEvent('plat:dialog', { detail: dialog }));
}

function addDialog(): HTMLDialogElement {
  const added = document.createElement('dialog');
  added.className = 'page-dialog';
  added.setAttribute('aria-labelledby', 'dialog-title');
  added.addEventListener('click', event => {
    const target = event.target as Element;
    // The backdrop is the dialog itself.
    const isClose = target === added || target.closest('[data-close]');
    if (!isClose) return;
    event.preventDefault();
    added.close();
  });
  added.addEventListener('close', () => added.replaceChildren());
  document.body.append(added);
  return added;
}

function closeButton(): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet only';
  button.setAttribute('data-close', '');
  button.setAttribute('aria-label', 'Close');
  button.innerHTML =
    '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M18 6 6 18M6 6l12 12"/></svg>';
  return button;
}

/** Sends a form the way the browser would, and shows the page that comes back. */
function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const given = (name: string) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? '';
  const url = new URL(given('action'), dialog?.contains(form) ? shown : location.href);
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) fields.append(name, String(value));
  if (given('method') === 'post') return follow(url.href, { method: 'POST', body: fields });
  url.search = String(fields);
  return follow(url.href);
}

document.addEventListener('click', event => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-dialog]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  follow(link.href);
});

document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement;
  if (!dialog?.contains(form) && event.submitter?.dataset.dialog === undefined) return;
  event.preventDefault();
  send(form, event.submitter);
});
