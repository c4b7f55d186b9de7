// The list page. Counts selected rows, saves a status when it changes, and reads numbers from a file.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';
import { saveOffers } from './offer-fields.ts';

type Box = HTMLInputElement;

const boxes = (): Box[] => [...document.querySelectorAll<Box>('.list-rows [name="property_id"][form]')];

function count(): void {
  const whole = document.querySelector<Box>('#select-all');
  const words = document.querySelector('#selected');
  if (!whole || !words) return;
  const all = boxes();
  const selected = all.filter(({ checked }) => checked).length;
  whole.checked = selected > 0 && selected === all.length;
  whole.indeterminate = selected > 0 && !whole.checked;
  words.textContent = `${selected} selected`;
  words.toggleAttribute('hidden', selected === 0);
}

function prepare(): void {
  document.querySelector<Box>('#select-all')?.removeAttribute('hidden');
  // Choosing a status saves it, so its button isn't needed.
  for (const button of document.querySelectorAll<HTMLElement>('.row-form > .buttons button'))
    button.hidden = true;
  count();
}

saveOffers();
prepare();

// A dialog changed a row, such as by adding its deal.
document.addEventListener('plat:done', async () => {
  const page = await fetchPage(location.href).catch(() => undefined);
  if (page) putInPlace(page, ['counts', 'rows']);
  prepare();
});

document.addEventListener('change', event => {
  const field = event.target as Box;
  const isWhole = field.id === 'select-all';
  if (isWhole) for (const box of boxes()) box.checked = field.checked;
  if (isWhole || field.matches('[name="property_id"]')) count();
  const form = field.closest<HTMLFormElement>('.row-form');
  if (form && field.matches('select'))
    form.requestSubmit(form.querySelector<HTMLButtonElement>('.buttons button'));
});

const file = document.querySelector<Box>('#file');
file?.closest('[hidden]')?.removeAttribute('hidden');
file?.addEventListener('change', async () => {
  const [chosen] = file.files ?? [];
  if (!chosen) return;
  const text = await chosen.text();
  if (/[\0\ufffd]/.test(text)) {
    file.value = '';
    file.setCustomValidity("This isn't a text file. Save the sheet as CSV and choose that file.");
    file.reportValidity();
    return file.setCustomValidity('');
  }
  const lines = text.split(/\r?\n/);
  const first = lines.map(line => (/^\s*"([^"]*)"/.exec(line)?.[1] ?? line.split(/[,;\t]/)[0] ?? '').trim());
  document.querySelector<HTMLTextAreaElement>('#numbers')!.value = first.filter(Boolean).join('\n');
});
