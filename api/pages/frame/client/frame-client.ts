// Scripts for every page: the search box, copy buttons, toasts, and dialogs.

import './page-dialog.ts';
import './search-field.ts';
import { letGo, say } from './toast.ts';

const toast = document.querySelector<HTMLElement>('.toast');
if (toast) letGo(toast);

/** Without https or permission, browsers block the clipboard. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    say(URL.canParse(text) ? 'Link copied' : `Copied: ${text}`);
    return true;
  } catch {
    return false;
  }
}

document.addEventListener('click', async event => {
  const text = (event.target as Element).closest<HTMLElement>('[data-copy]')?.dataset.copy;
  if (text !== undefined && !(await copy(text))) prompt('Copy this:', text);
});

/** A dialog with a link also copies it. */
document.addEventListener('plat:dialog', event => {
  const dialog = (event as CustomEvent<HTMLElement>).detail;
  const link = dialog.querySelector<HTMLElement>('[data-copies]')?.dataset.copies;
  if (link !== undefined) copy(link);
});
