import type { Map as MapLibre } from 'maplibre-gl';

const place = document.getElementById('map-fault');

function show(words: string): void {
  if (!place) return;
  place.hidden = words === '';
  place.textContent = words;
}

/** Shows an error on the page if `act` fails. MapLibre swallows errors that its style listeners throw. */
export function withErrorShown<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    show("Your browser can't display the map. You can still use the list.");
    reportError(error);
    throw error;
  }
}

/** Shows an error when tiles fail to load, until the map moves and requests them again. */
export function showFaults(map: MapLibre): void {
  let isMissing = false;
  map.on('movestart', () => {
    if (isMissing) show('');
    isMissing = false;
  });
  map.on('error', event => {
    map.getContainer().setAttribute('data-error', event.error.message);
    if (!('sourceId' in event)) reportError(event.error);
    else if (!isMissing) {
      isMissing = true;
      show("Some of the map didn't load. Move the map to try again.");
    }
  });
}
