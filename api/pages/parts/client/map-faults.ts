import type { Map as MapLibre } from 'maplibre-gl';

const place = document.getElementById('map-fault');

function tell(words: string): void {
  if (!place) return;
  place.hidden = words === '';
  place.textContent = words;
}

/**
 * Does what the map cannot do without, and says so on the page where it fails. MapLibre keeps to itself what
 * the listeners of its style throw.
 */
export function seen<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    tell('The map cannot be drawn in this browser, or not all of it. The list beside it works.');
    reportError(error);
    throw error;
  }
}

/** Tiles that do not come are said until one looks elsewhere, where they are asked for again. */
export function tellFaults(map: MapLibre): void {
  let isMissing = false;
  map.on('movestart', () => {
    if (isMissing) tell('');
    isMissing = false;
  });
  map.on('error', event => {
    map.getContainer().setAttribute('data-error', event.error.message);
    if (!('sourceId' in event)) reportError(event.error);
    else if (!isMissing) {
      isMissing = true;
      tell('Parts of the map could not be loaded. Move it to try again.');
    }
  });
}
