// Until the work is finished, refreshes a page that shows progress.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

const POLL_MS = 1_500;

const isOpen = () => document.querySelector('#progress[data-open]') !== null;

async function refresh(): Promise<void> {
  if (document.visibilityState === 'visible') {
    // If the server can't be reached, the page stays as it is.
    const page = await fetchPage(location.href).catch(() => undefined);
    if (page) putInPlace(page, ['progress']);
  }
  if (isOpen()) setTimeout(refresh, POLL_MS);
}

if (isOpen()) setTimeout(refresh, POLL_MS);
