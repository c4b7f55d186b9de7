// Refreshes a page that shows progress until the work is finished.
import { fetchPage, putInPlace } from '../../frame/client/swap-page.ts';

const LOOK_MS = 1_500;

const isOpen = () => document.querySelector('#progress[data-open]') !== null;

async function look(): Promise<void> {
  if (document.visibilityState === 'visible') {
    // If the server can't be reached, the page stays as it is.
    const page = await fetchPage(location.href).catch(() => undefined);
    if (page) putInPlace(page, ['progress']);
  }
  if (isOpen()) setTimeout(look, LOOK_MS);
}

if (isOpen()) setTimeout(look, LOOK_MS);
