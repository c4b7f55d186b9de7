// Exports, on their own page and in dialogs. Shows progress as the server reports it, and updates the
// price as the form changes.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

/** The files of the exports page, or the export in a dialog. */
const open = () => document.querySelector<HTMLElement>('#progress[data-open], #made[data-open]');
let events: EventSource | undefined;

function watch(): void {
  if (document.visibilityState !== 'visible' || !open()) {
    events?.close();
    events = undefined;
    return;
  }
  events ??= new EventSource('/exports/events');
  events.onmessage = async ({ data }) => {
    const part = open();
    if (part && data === part.dataset.version) return;
    // Keep the page as it is while the server can't be reached.
    const url = part?.id === 'made' ? `/exports?made=${part.dataset.id}` : location.href;
    const page = part && (await fetchPage(url).catch(() => undefined));
    if (page) putInPlace(page, ['progress', 'made']);
    watch();
  };
}
document.addEventListener('visibilitychange', watch);

function hideUpdate(): void {
  const update = document.querySelector<HTMLButtonElement>('#update');
  if (update) update.hidden = true;
}
document.addEventListener('plat:dialog', () => {
  hideUpdate();
  watch();
});
hideUpdate();
watch();

document.addEventListener('change', event => {
  const update = document.querySelector<HTMLButtonElement>('#update');
  if ((event.target as HTMLElement).matches('#order [type="checkbox"], #order .priced [type="radio"]'))
    update?.form?.requestSubmit(update);
});
