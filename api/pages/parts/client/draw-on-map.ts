import type { LngLat, Map as MapLibre } from 'maplibre-gl';
import { EMPTY } from './map-style.ts';
import { acresText, circleAround, distanceText, lengthText, metersBetween, type Place } from './measure.ts';

const KEYS = matchMedia('(pointer: coarse)').matches
  ? ''
  : 'By keyboard: arrows move the map, + and - zoom, Enter sets a point in the middle, Backspace takes the last one back, Escape gives up.';

/** What is drawn, point by point, and said of it. */
const MODES = {
  area: {
    hint: `Click or tap the corners one after the other. ${KEYS}`,
    said: (places: readonly Place[]) =>
      places.length < 3
        ? `${counted(places, 'corner')}. Three make an area.`
        : `${counted(places, 'corner')}, ${acresText(places)}. Done shows what is within.`,
  },
  radius: {
    hint: `Click or tap the middle, then how far around it. ${KEYS}`,
    said: ([middle, rim]: readonly Place[]) =>
      rim === undefined
        ? 'Click or tap how far around it.'
        : `${distanceText(metersBetween(middle!, rim))} around. The next one shows what is within.`,
  },
  measure: {
    hint: `Click or tap the points of a line or an outline. ${KEYS}`,
    said: (places: readonly Place[]) =>
      places.length < 2
        ? 'Click or tap the next point.'
        : `${lengthText(places)}${places.length > 2 ? ` · closed to an area: ${acresText(places)}` : ''}`,
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
    // Nothing instead of nothing would draw the whole map anew.
    if (isBlank && features.length === 0) return;
    isBlank = features.length === 0;
    source?.setData({ ...EMPTY, features });
  };
}

function ringOf(mode: Mode | undefined, places: readonly Place[]): Place[] {
  if (mode !== 'radius') return places.length > 2 ? [...places, places[0]!] : [];
  const [middle, rim] = places;
  // One on the other is no circle.
  const meters = middle && rim ? metersBetween(middle, rim) : 0;
  return meters > 1 ? circleAround(middle!, meters) : [];
}

/** The area of the address, as far as it is one outline. */
function ringOfAddress(): Place[] {
  const text = new URLSearchParams(location.search).get('geom_intersects') ?? '';
  const ring = /^\s*POLYGON\s*\(\(([^()]*)\)\)\s*$/i.exec(text)?.[1];
  return ring === undefined ? [] : ring.split(',').map(pair => pair.trim().split(/\s+/).map(Number) as Place);
}

/**
 * An area or a radius that is drawn on the map goes into the page's field `polygon`, else into the address's
 * filter `geom_intersects`, which is shown.
 */
export function openDrawing(map: MapLibre) {
  const button = document.getElementById('draw');
  const panel = document.getElementById('drawing');
  const status = panel?.querySelector('output');
  const draw = createSketch(map);
  const places: Place[] = [];
  let mode: Mode | undefined;

  /** Draws and says what the places make, `to` being where the next one would be. */
  function tell(to?: Place): void {
    if (mode === undefined) return;
    const all = to ? [...places, to] : places;
    draw(mode === 'radius' || all.length > 2 ? ringOf(mode, all) : all, places);
    if (status) status.textContent = all.length === 0 ? MODES[mode].hint : MODES[mode].said(all);
  }

  function begin(next: Mode | undefined): void {
    mode = next;
    places.length = 0;
    showDrawing(map, next !== undefined);
    if (next === undefined) show();
    else {
      tell();
      map.getCanvas().focus();
    }
  }

  /** Asks for what is within. */
  function finish(): void {
    const ring = mode === 'measure' ? [] : ringOf(mode, places);
    if (ring.length > 3) search(ring);
    begin(undefined);
  }

  function add(place: Place): void {
    places.push(place);
    tell();
    if (mode === 'radius' && places.length === 2) finish();
  }

  const show = () => {
    if (mode === undefined) draw(ringOfAddress());
  };

  button?.removeAttribute('hidden');
  button?.addEventListener('click', () => (mode ? finish() : begin('area')));
  map.on('mousemove', event => {
    if (mode === 'radius' && places.length === 1) tell(placeOf(event.lngLat));
  });
  onKeys(map, panel, {
    isOn: () => mode !== undefined,
    Enter: () => add(placeOf(map.getCenter())),
    Escape: () => begin(undefined),
    Backspace() {
      places.pop();
      tell();
    },
  });
  return { isDrawing: () => mode !== undefined, add: (at: LngLat) => add(placeOf(at)), begin, show };
}

function showDrawing(map: MapLibre, isOn: boolean): void {
  document.getElementById('draw')?.replaceChildren(isOn ? 'Done' : 'Draw an area');
  document.getElementById('drawing')?.toggleAttribute('hidden', !isOn);
  document.getElementById('cross')?.classList.toggle('unseen', !isOn);
  map.getCanvas().style.cursor = isOn ? 'crosshair' : '';
}

type Keys = { isOn(): boolean } & Record<'Enter' | 'Escape' | 'Backspace', () => void>;

function onKeys(map: MapLibre, panel: HTMLElement | null, keys: Keys): void {
  // For fingers, which have no keys.
  panel?.querySelector('[value="back"]')?.addEventListener('click', keys.Backspace);
  panel?.querySelector('[value="cancel"]')?.addEventListener('click', keys.Escape);
  map.getCanvas().addEventListener('keydown', event => {
    const { key } = event;
    if (!keys.isOn() || !(key === 'Enter' || key === 'Escape' || key === 'Backspace')) return;
    keys[key]();
    event.preventDefault();
  });
}

/** Shows what is within a closed ring, with the other filters that are set. */
export function search(ring: readonly Place[], besides: readonly string[] = []): void {
  const rounded = ring.map(place => place.map(degrees => Number(degrees.toFixed(6))));
  const field = document.querySelector<HTMLInputElement>('[name=polygon]');
  if (field) {
    field.value = JSON.stringify({ type: 'Polygon', coordinates: [rounded] });
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return;
  }
  const url = new URL(location.href);
  for (const name of ['parcel', 'at', 'page', ...besides]) url.searchParams.delete(name);
  url.searchParams.set('geom_intersects', `POLYGON((${rounded.map(place => place.join(' ')).join(', ')}))`);
  document.dispatchEvent(new CustomEvent('plat:open', { detail: url.pathname + url.search }));
}
