// Scripts for every page: the search box, copy buttons, toasts, and dialogs.

import './page-dialog.ts';
import './search-field.ts';
import { letGo, say } from './toast.ts';

const toast = document.querySelector<HTMLElement>('.toast');
if (toast) letGo(toast);

document.addEventListener('click', async event => {
  const button = (event.target as Element).closest<HTMLElement>('[data-copy]');
  if (!button) return;
  const text = button.dataset.copy || location.href;
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  } catch {
    // Without https or permission, browsers block the clipboard.
    prompt('Copy this:', text);
  }
});
