// The exports page. Shows progress as the server reports it, and updates the price as the form changes.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

const open = () => document.querySelector<HTMLElement>('#progress[data-open]');
let events: EventSource | undefined;

function watch(): void {
  if (document.visibilityState !== 'visible' || !open()) {
    events?.close();
    events = undefined;
    return;
  }
  events ??= new EventSource('/exports/events');
  events.onmessage = async ({ data }) => {
    if (data === open()?.dataset.version) return;
    // Keep the page as it is while the server can't be reached.
    const page = await fetchPage(location.href).catch(() => undefined);
    if (page) putInPlace(page, ['progress']);
    watch();
  };
}
document.addEventListener('visibilitychange', watch);
watch();

const update = document.querySelector<HTMLButtonElement>('#update');
if (update) {
  update.hidden = true;
  document.addEventListener('change', event => {
    if ((event.target as HTMLElement).matches('#order [type="checkbox"], #order .priced [type="radio"]'))
      update.form!.requestSubmit(update);
  });
}
