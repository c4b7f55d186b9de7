// The results of a search: which of them are selected.

type Box = HTMLInputElement;

const ROWS = '#results [name="property_id"]';
const boxes = (): Box[] => [...document.querySelectorAll<Box>(ROWS)];
const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format;

/** Says how many are selected; a list that came anew begins without any. */
function count(): void {
  const bar = document.getElementById('selection');
  if (!bar) return;
  const all = boxes();
  const selected = all.filter(({ checked }) => checked);
  const whole = bar.querySelector<Box>('#select-all')!;
  whole.hidden = all.length === 0;
  whole.checked = selected.length > 0 && selected.length === all.length;
  whole.indeterminate = selected.length > 0 && !whole.checked;
  const acres = selected.reduce((sum, { dataset }) => sum + Number(dataset.acres ?? 0), 0);
  const words = bar.querySelector('#selected')!;
  words.textContent = `${selected.length} selected · ${digits(acres)} acres`;
  words.toggleAttribute('hidden', selected.length === 0);
  bar.querySelector('[type="reset"]')!.toggleAttribute('hidden', selected.length === 0);
}

/** Where a range begins that Shift ends. */
let last: Box | undefined;

document.addEventListener('click', event => {
  const box = event.target as Box;
  if (!box.matches(ROWS)) return;
  const all = boxes();
  const [from, to] = [last === undefined ? -1 : all.indexOf(last), all.indexOf(box)];
  if (event.shiftKey && from >= 0 && to >= 0)
    for (const between of all.slice(Math.min(from, to), Math.max(from, to))) between.checked = box.checked;
  last = box;
});

document.addEventListener('change', event => {
  const box = event.target as Box;
  if (box.id === 'select-all') for (const each of boxes()) each.checked = box.checked;
  if (box.id === 'select-all' || box.matches(ROWS)) count();
});

// Once the fields have been reset.
document.addEventListener('reset', () => setTimeout(count));
document.addEventListener('plat:loaded', count);
count();
