// The map's tools: measure, copy coordinates, share a link, save a picture, and search the visible area.

import { type LngLat, type Map as MapLibre, Marker } from 'maplibre-gl';
import { type Mode, type openDrawing, search } from './draw-on-map.ts';
import { keepView } from './map-results.ts';

/** The URL parameter for the view, in OpenStreetMap's format: `13.2/43.1756/-72.1035`. */
const VIEW = 'map';
const DIGITS = 5;

/** Reads the view from the URL and removes it, because the user may move the map next. */
export function viewOfAddress(): { zoom: number; center: [number, number] } | undefined {
  const url = new URL(location.href);
  const text = url.searchParams.get(VIEW);
  if (text === null) return undefined;
  url.searchParams.delete(VIEW);
  history.replaceState(null, '', url);
  const [zoom, lat, lon] = text.split('/').map(Number);
  const isPlace = Math.abs(lat!) <= 85 && Math.abs(lon!) <= 180;
  return isPlace && zoom! >= 0 ? { zoom: zoom!, center: [lon!, lat!] } : undefined;
}

const textOf = ({ lat, lng }: LngLat): string => `${lat.toFixed(DIGITS)}, ${lng.toFixed(DIGITS)}`;

function addressOfView(map: MapLibre): string {
  const url = new URL(location.href);
  const { lat, lng } = map.getCenter();
  url.searchParams.set(
    VIEW,
    `${map.getZoom().toFixed(2)}/${[lat, lng].map(degrees => degrees.toFixed(DIGITS)).join('/')}`,
  );
  url.hash = '';
  return url.href;
}

export function openTools(map: MapLibre, drawing: ReturnType<typeof openDrawing>): void {
  const menu = document.getElementById('tools');
  if (!menu) return;
  menu.removeAttribute('hidden');
  const on = (value: string, act: () => void) =>
    menu.querySelector(`[value="${value}"]`)!.addEventListener('click', () => {
      menu.removeAttribute('open');
      act();
    });
  // Close on an outside click or Escape, like other menus.
  document.addEventListener('click', event => {
    if (!menu.contains(event.target as Node)) menu.removeAttribute('open');
  });
  menu.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !menu.hasAttribute('open')) return;
    event.preventDefault();
    menu.removeAttribute('open');
    menu.querySelector('summary')!.focus();
  });
  for (const mode of ['measure', 'radius'] satisfies Mode[]) on(mode, () => drawing.start(mode));
  const spot = openSpot(map);
  on('spot', () => spot(map.getCenter()));
  on('picture', () => savePicture(map));
  // A long press fires this event too.
  map.on('contextmenu', event => {
    if (!drawing.isDrawing()) spot(event.lngLat);
  });
  const share = document.querySelector<HTMLAnchorElement>('#share-view');
  share?.addEventListener('click', () => {
    share.search = new URL(addressOfView(map)).search;
  });
  offerSearch(map);
}

/** Marks a point on the map and shows its coordinates, to copy or to open in a map service. */
function openSpot(map: MapLibre): (at: LngLat) => void {
  const panel = document.getElementById('spot')!;
  const marker = new Marker({ color: '#b3175f' });
  const close = () => {
    panel.hidden = true;
    marker.remove();
    map.getCanvas().focus();
  };
  panel.querySelector('[value="close"]')!.addEventListener('click', close);
  panel.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  });
  return at => {
    const text = textOf(at);
    const [lat, lon] = text.split(', ');
    const button = panel.querySelector<HTMLElement>('[data-copy]')!;
    button.dataset.copy = text;
    button.firstChild!.textContent = `${text} `;
    const [google, osm] = panel.querySelectorAll('a');
    google!.href = `https://www.google.com/maps/search/?api=1&query=${lat},${lon}`;
    osm!.href = `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=17/${lat}/${lon}`;
    marker.setLngLat(at).addTo(map);
    panel.hidden = false;
    button.focus();
  };
}

/** Saves the visible map as a PNG with its data credits. */
function savePicture(map: MapLibre): void {
  // The canvas can only be read while a frame is rendered.
  map.once('render', () => {
    const drawn = map.getCanvas();
    const canvas = document.createElement('canvas');
    canvas.width = drawn.width;
    canvas.height = drawn.height;
    const pen = canvas.getContext('2d')!;
    pen.drawImage(drawn, 0, 0);
    const ratio = drawn.width / drawn.clientWidth;
    const credit = document.getElementById('credits')?.textContent?.trim();
    const words = ['Plat', credit].filter(Boolean).join(' · ');
    pen.font = `${12 * ratio}px Inter, sans-serif`;
    const width = pen.measureText(words).width + 12 * ratio;
    pen.fillStyle = '#ffffffd9';
    pen.fillRect(canvas.width - width, canvas.height - 20 * ratio, width, 20 * ratio);
    pen.fillStyle = '#17201b';
    pen.fillText(words, canvas.width - width + 6 * ratio, canvas.height - 6 * ratio);
    canvas.toBlob(blob => {
      if (!blob) return;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `plat-map-${new Date().toISOString().slice(0, 10)}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    });
  });
  map.triggerRepaint();
}

/** Below this zoom level, the visible area is too large to search. */
const SEARCH_ZOOM = 9;
/** Place filters, which the visible area replaces. */
const WHERE = ['county', 'counties', 'zips_include', 'owner_parcel_id', 'list_id', 'property_id', 'state'];

/** Shows the "Search this area" button once the user has moved the map. */
function offerSearch(map: MapLibre): void {
  const button = document.getElementById('search-here');
  map.on('moveend', event => {
    const byHand = 'originalEvent' in event && event.originalEvent !== undefined;
    if (byHand) button?.toggleAttribute('hidden', map.getZoom() < SEARCH_ZOOM);
  });
  button?.addEventListener('click', () => {
    button.hidden = true;
    const [west, south, east, north] = map.getBounds().toArray().flat() as [number, number, number, number];
    const ring: [number, number][] = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    keepView();
    search(ring, WHERE);
  });
}
