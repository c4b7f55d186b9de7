import type { LngLat, Map as MapLibre } from 'maplibre-gl';
import { EMPTY } from './map-style.ts';

type Place = [lon: number, lat: number];

const HINT =
  'Click the corners one after the other. By keyboard: arrows move the map, + and - zoom, Enter sets a corner in the middle, Backspace takes the last one back, Escape gives up.';

/**
 * An area that is drawn on the map goes into the page's field `polygon`, else into the address's filter
 * `geom_intersects`, which is shown.
 */
export function openDrawing(map: MapLibre) {
  const button = document.getElementById('draw');
  const status = document.getElementById('drawing');
  const cross = document.getElementById('cross');
  const corners: Place[] = [];
  let drawing = false;

  function draw(places: readonly Place[]): void {
    const source = map.getSource('area') as { setData(data: object): void } | undefined;
    const line = places.length > 2 ? [...places, places[0]!] : places;
    const geometry = { type: 'LineString', coordinates: line };
    source?.setData(line.length < 2 ? EMPTY : { type: 'Feature', properties: {}, geometry });
  }

  function say(): void {
    if (!status) return;
    const count = corners.length === 1 ? '1 corner.' : `${corners.length} corners.`;
    status.textContent =
      corners.length === 0
        ? HINT
        : `${count} ${corners.length < 3 ? 'Three make an area.' : 'Done shows what is within.'}`;
  }

  function begin(on: boolean): void {
    drawing = on;
    corners.length = 0;
    if (button) button.textContent = on ? 'Done' : 'Draw an area';
    status?.toggleAttribute('hidden', !on);
    cross?.classList.toggle('unseen', !on);
    map.getCanvas().style.cursor = on ? 'crosshair' : '';
    say();
    if (!on) return;
    draw([]);
    map.getCanvas().focus();
  }

  /** Asks for what is within. */
  function finish(): void {
    if (corners.length > 2) {
      const ring = [...corners, corners[0]!].map(place => place.map(degrees => Number(degrees.toFixed(6))));
      const field = document.querySelector<HTMLInputElement>('[name=polygon]');
      if (field) {
        field.value = JSON.stringify({ type: 'Polygon', coordinates: [ring] });
        field.dispatchEvent(new Event('input', { bubbles: true }));
      } else {
        const url = new URL(location.href);
        for (const name of ['parcel', 'page']) url.searchParams.delete(name);
        const wkt = `POLYGON((${ring.map(place => place.join(' ')).join(', ')}))`;
        url.searchParams.set('geom_intersects', wkt);
        document.dispatchEvent(new CustomEvent('plat:open', { detail: url.pathname + url.search }));
      }
    }
    begin(false);
  }

  function add({ lng, lat }: LngLat): void {
    corners.push([lng, lat]);
    draw(corners);
    say();
  }

  /** The area of the address, as far as it is one outline. */
  function show(): void {
    if (drawing) return;
    const text = new URLSearchParams(location.search).get('geom_intersects') ?? '';
    const ring = /^\s*POLYGON\s*\(\(([^()]*)\)\)\s*$/i.exec(text)?.[1];
    draw(
      ring === undefined ? [] : ring.split(',').map(pair => pair.trim().split(/\s+/).map(Number) as Place),
    );
  }

  button?.removeAttribute('hidden');
  button?.addEventListener('click', () => (drawing ? finish() : begin(true)));
  map.getCanvas().addEventListener('keydown', event => {
    if (!drawing) return;
    if (event.key === 'Enter') add(map.getCenter());
    else if (event.key === 'Escape') {
      begin(false);
      show();
    } else if (event.key === 'Backspace') {
      corners.pop();
      draw(corners);
      say();
    } else return;
    event.preventDefault();
  });
  return { isDrawing: () => drawing, add, show };
}
