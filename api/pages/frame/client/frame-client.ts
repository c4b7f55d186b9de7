// What every page has: the search box, texts that can be copied, and what was done just now.

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
    // Browsers keep the clipboard from pages that came without https, and from those not allowed.
    prompt('Copy this:', text);
  }
});
