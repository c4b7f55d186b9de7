// Files: how far they are, told by the server, and a price that follows what is chosen.
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
    // While the server is away the page stays as it is.
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
