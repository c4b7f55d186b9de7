// A deal's page. A modal dialog previews a price while the user types, and the page updates when a worker
// finds something.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

const { pathname } = location;

const dialog = document.querySelector<HTMLDialogElement>('#price-dialog');
if (dialog) {
  // Without JavaScript, the dialog is open as part of the page. Reopen it as a modal dialog.
  dialog.open = false;
  dialog.showModal();
  dialog.addEventListener('close', () => location.assign(pathname));
  let typing: ReturnType<typeof setTimeout> | undefined;
  dialog.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(showOutcome, 250);
  });
}

async function showOutcome(): Promise<void> {
  const field = dialog!.querySelector<HTMLInputElement>('[name=new_price]')!;
  const typed = field.value;
  const params = new URLSearchParams({ change: 'price', new_price: typed });
  const page = await fetchPage(`${pathname}?${params}`).catch(() => undefined);
  // Skip the preview if the user has typed more since.
  if (page !== undefined && field.value === typed) putInPlace(page, ['outcome']);
}

/** The parts to refresh. The form isn't one of them, because the user may be typing in it. */
const PARTS = ['head', 'figures', 'advice', 'background', 'history'];

let events: EventSource | undefined;
let version = document.querySelector<HTMLElement>('.dealing')!.dataset.version!;

function watch(): void {
  events?.close();
  events = undefined;
  if (document.visibilityState !== 'visible') return;
  events = new EventSource('/deals/events');
  events.onmessage = async ({ data }) => {
    if (data === version) return;
    const page = await fetchPage(pathname).catch(() => undefined);
    if (page === undefined) return;
    version = data;
    putInPlace(page, PARTS);
  };
}

document.addEventListener('visibilitychange', watch);
watch();
