// Moves the map to the results and marks the one under the mouse.

import { LngLatBounds, type Map as MapLibre, Marker } from 'maplibre-gl';

const PADDING = 48;
/** Size in pixels below which a parcel counts as not visible. */
const SMALL = 24;

let isKept = false;
/** Keeps the map from moving to the next results. */
export const keepView = (): void => {
  isKept = true;
};

export function openResults(map: MapLibre): void {
  markPointed(map);
  const button = document.getElementById('fit');
  button?.addEventListener('click', () => fitResults(map));
  let shown: string | undefined;
  /** Moves the map when the place of the results changes, but not when other filters change. */
  const follow = (isFirst: boolean) => {
    const where = document.getElementById('results')?.dataset.where;
    button?.toggleAttribute('hidden', where === undefined);
    if (where === undefined || where === shown) return;
    shown = where;
    if (isKept) {
      isKept = false;
      return;
    }
    // The map already opened on the county in the URL.
    if (!isFirst || !new URLSearchParams(location.search).has('county')) fitResults(map);
  };
  follow(true);
  document.addEventListener('plat:loaded', () => follow(false));
}

async function fitResults(map: MapLibre): Promise<void> {
  const response = await fetch(`/data/box.json${location.search}`);
  const box = response.ok ? ((await response.json()) as [number, number, number, number] | null) : null;
  if (box) moveTo(map, new LngLatBounds(box), PADDING);
}

export function moveTo(map: MapLibre, box: LngLatBounds, padding: number): void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.fitBounds(box, { padding, maxZoom: 17, duration: isCalm ? 0 : 500 });
}

export function isSeen(map: MapLibre, box: LngLatBounds): boolean {
  const [one, other] = [map.project(box.getSouthWest()), map.project(box.getNorthEast())];
  return map.getBounds().contains(box.getCenter()) && one.dist(other) >= SMALL;
}

/** Draws a ring around the hovered row's parcel, and reports the parcel that is hovered on the map. */
function markPointed(map: MapLibre): void {
  const ring = document.createElement('div');
  ring.className = 'ring';
  const marker = new Marker({ element: ring });
  document.addEventListener('plat:point', event => {
    const place = (event as CustomEvent<[number, number] | undefined>).detail;
    if (place) marker.setLngLat(place).addTo(map);
    else marker.remove();
  });
  const layers = ['hits', 'parcel-fill', 'parcel-points'];
  let pointed: string | undefined;
  const report = (id: string | undefined) => {
    if (id === pointed) return;
    pointed = id;
    document.dispatchEvent(new CustomEvent('plat:pointed', { detail: id }));
  };
  map.on('mousemove', ({ point }) => {
    const hit = map.queryRenderedFeatures(point, { layers }).find(({ id }) => id !== undefined);
    report(hit && String(hit.id));
  });
  map.on('mouseout', () => report(undefined));
}
