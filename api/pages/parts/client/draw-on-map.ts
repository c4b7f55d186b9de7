import type { LngLat, Map as MapLibre } from 'maplibre-gl';
import { EMPTY } from './map-style.ts';
import { acresText, circleAround, distanceText, lengthText, metersBetween, type Place } from './measure.ts';

const KEYS = matchMedia('(pointer: coarse)').matches
  ? ''
  : 'Keyboard: arrow keys move the map, + and - zoom, Enter adds a point at the center, Backspace removes the last point, Escape cancels.';

/** The hint for each mode, and its message after each point. */
const MODES = {
  area: {
    hint: `Click or tap each corner of the area. ${KEYS}`,
    said: (places: readonly Place[]) =>
      places.length < 3
        ? `${counted(places, 'corner')}. An area needs at least three.`
        : `${counted(places, 'corner')}, ${acresText(places)}. Choose Done to search inside.`,
  },
  radius: {
    hint: `Click or tap the center, then a point on the edge of the circle. ${KEYS}`,
    said: ([middle, rim]: readonly Place[]) =>
      rim === undefined
        ? 'Click or tap a point on the edge of the circle.'
        : `${distanceText(metersBetween(middle!, rim))} radius. Click or tap to search inside the circle.`,
  },
  measure: {
    hint: `Click or tap the points of a line or an area. ${KEYS}`,
    said: (places: readonly Place[]) =>
      places.length < 2
        ? 'Click or tap the next point.'
        : `${lengthText(places)}${places.length > 2 ? ` · area inside: ${acresText(places)}` : ''}`,
  },
};

export type Mode = keyof typeof MODES;

const counted = ({ length }: readonly Place[], what: string) => `${length} ${what}${length === 1 ? '' : 's'}`;
const placeOf = ({ lng, lat }: LngLat): Place => [lng, lat];

function createSketch(map: MapLibre) {
  let isBlank = true;
  return (line: readonly Place[], points: readonly Place[] = []): void => {
    const source = map.getSource('area') as { setData(data: object): void } | undefined;
    const feature = (type: string, coordinates: readonly Place[]) => ({
      type: 'Feature',
      properties: {},
      geometry: { type, coordinates },
    });
    const features = [
      ...(line.length < 2 ? [] : [feature('LineString', line)]),
      ...(points.length === 0 ? [] : [feature('MultiPoint', points)]),
    ];
    // Setting empty data a second time would redraw the whole map.
    if (isBlank && features.length === 0) return;
    isBlank = features.length === 0;
    source?.setData({ ...EMPTY, features });
  };
}

function ringOf(mode: Mode | undefined, places: readonly Place[]): Place[] {
  if (mode !== 'radius') return places.length > 2 ? [...places, places[0]!] : [];
  const [middle, rim] = places;
  // Two points at the same place don't make a circle.
  const meters = middle && rim ? metersBetween(middle, rim) : 0;
  return meters > 1 ? circleAround(middle!, meters) : [];
}

/** The area in the URL, if it is a single outline. */
function ringOfAddress(): Place[] {
  const text = new URLSearchParams(location.search).get('geom_intersects') ?? '';
  const ring = /^\s*POLYGON\s*\(\(([^()]*)\)\)\s*$/i.exec(text)?.[1];
  return ring === undefined ? [] : ring.split(',').map(pair => pair.trim().split(/\s+/).map(Number) as Place);
}

/**
 * Lets the user draw an area or a circle. The drawing fills the page's `polygon` field. Without that field,
 * it sets the `geom_intersects` filter in the URL.
 */
export function openDrawing(map: MapLibre) {
  const button = document.getElementById('draw');
  const panel = document.getElementById('drawing');
  const status = panel?.querySelector('output');
  const draw = createSketch(map);
  const places: Place[] = [];
  let mode: Mode | undefined;

  /** Draws the points and updates the message. @param to a preview of the next point */
  function update(to?: Place): void {
    if (mode === undefined) return;
    const all = to ? [...places, to] : places;
    draw(mode === 'radius' || all.length > 2 ? ringOf(mode, all) : all, places);
    if (status) status.textContent = all.length === 0 ? MODES[mode].hint : MODES[mode].said(all);
  }

  function start(next: Mode | undefined): void {
    mode = next;
    places.length = 0;
    showDrawing(map, next !== undefined);
    if (next === undefined) show();
    else {
      update();
      map.getCanvas().focus();
    }
  }

  /** Searches inside the drawn outline. */
  function finish(): void {
    const ring = mode === 'measure' ? [] : ringOf(mode, places);
    if (ring.length > 3) search(ring);
    start(undefined);
  }

  function add(place: Place): void {
    places.push(place);
    update();
    if (mode === 'radius' && places.length === 2) finish();
  }

  const show = () => {
    if (mode === undefined) draw(ringOfAddress());
  };

  button?.removeAttribute('hidden');
  button?.addEventListener('click', () => (mode ? finish() : start('area')));
  map.on('mousemove', event => {
    if (mode === 'radius' && places.length === 1) update(placeOf(event.lngLat));
  });
  onKeys(map, panel, {
    isOn: () => mode !== undefined,
    Enter: () => add(placeOf(map.getCenter())),
    Escape: () => start(undefined),
    Backspace() {
      places.pop();
      update();
    },
  });
  return { isDrawing: () => mode !== undefined, add: (at: LngLat) => add(placeOf(at)), start, show };
}

function showDrawing(map: MapLibre, isOn: boolean): void {
  const button = document.getElementById('draw');
  button?.toggleAttribute('data-on', isOn);
  button?.querySelector('span')?.replaceChildren(isOn ? 'Done' : 'Draw an area');
  document.getElementById('drawing')?.toggleAttribute('hidden', !isOn);
  document.getElementById('cross')?.classList.toggle('unseen', !isOn);
  map.getCanvas().style.cursor = isOn ? 'crosshair' : '';
}

type Keys = { isOn(): boolean } & Record<'Enter' | 'Escape' | 'Backspace', () => void>;

function onKeys(map: MapLibre, panel: HTMLElement | null, keys: Keys): void {
  // Buttons for touch screens.
  panel?.querySelector('[value="back"]')?.addEventListener('click', keys.Backspace);
  panel?.querySelector('[value="cancel"]')?.addEventListener('click', keys.Escape);
  map.getCanvas().addEventListener('keydown', event => {
    const { key } = event;
    if (!keys.isOn() || !(key === 'Enter' || key === 'Escape' || key === 'Backspace')) return;
    keys[key]();
    event.preventDefault();
  });
}

/** Searches inside a closed ring and keeps the other filters. @param dropped parameters to drop */
export function search(ring: readonly Place[], dropped: readonly string[] = []): void {
  const rounded = ring.map(place => place.map(degrees => Number(degrees.toFixed(6))));
  const field = document.querySelector<HTMLInputElement>('[name=polygon]');
  if (field) {
    field.value = JSON.stringify({ type: 'Polygon', coordinates: [rounded] });
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return;
  }
  const url = new URL(location.href);
  for (const name of ['parcel', 'at', 'page', ...dropped]) url.searchParams.delete(name);
  url.searchParams.set('geom_intersects', `POLYGON((${rounded.map(place => place.join(' ')).join(', ')}))`);
  document.dispatchEvent(new CustomEvent('plat:open', { detail: url.pathname + url.search }));
}
