// The price fields of a list. A price is saved when the user leaves its field, and the focus stays.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';
import { letGo, say } from '../../frame/client/toast.ts';

async function save(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  const typed = field.value;
  const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
  const page = await fetchPage(form.action, { method: 'POST', body }).catch(() => undefined);
  if (page === undefined) return say("The offer wasn't saved. Check your connection.");
  const toast = page.querySelector<HTMLElement>('.toast');
  field.toggleAttribute('aria-invalid', toast === null);
  if (toast === null) return say(page.querySelector('.notice')?.textContent ?? "The offer wasn't saved.");
  putInPlace(page, ['counts', 'needed', `offer-note-${field.id.replace('offer-', '')}`]);
  const saved = page.getElementById(field.id) as HTMLInputElement | null;
  if (saved && field.value === typed) field.value = saved.value;
  const before = saved?.form?.querySelector<HTMLInputElement>('[name=before]');
  if (before) form.querySelector<HTMLInputElement>('[name=before]')!.value = before.value;
  document.querySelector('.toast')?.remove();
  document.body.append(toast);
  letGo(toast);
}

export function saveOffers(): void {
  document.addEventListener('change', event => {
    const field = event.target as HTMLInputElement;
    const form = field.closest<HTMLFormElement>('.offer-form');
    if (form) void save(form, field);
  });
  document.addEventListener('submit', event => {
    const form = (event.target as HTMLElement).closest<HTMLFormElement>('.offer-form');
    if (!form) return;
    event.preventDefault();
    // Pressing Enter also sends a change event if the price changed.
    const fields = [...document.querySelectorAll<HTMLInputElement>('.offer-form [name=offer]')];
    fields[fields.indexOf(form.querySelector('[name=offer]')!) + 1]?.focus();
  });
  document.addEventListener('focusin', event => {
    const field = event.target as HTMLInputElement;
    if (field.matches('.offer-form [name=offer]')) field.select();
  });
}
