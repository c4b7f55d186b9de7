import type { Map as MapLibre, StyleSpecification } from 'maplibre-gl';
import { colorOf } from './css-colors.ts';
import { withErrorShown } from './map-faults.ts';
import { IS_HIT, LINES_ZOOM, OPEN_OPACITY } from './map-style.ts';

/** The raster layer for each background. The plain background has none. */
const IMAGES: Record<string, string> = { relief: 'hillshade', aerial: 'aerial', basemap: 'basemap' };
/** Layers to hide on imagery, which already shows them. */
const HIDDEN_BY_PICTURES = new Set(['water']);

type Here = { credits: string[]; kinds: string[] };

/** Opaque on a plain background, because translucent fills of stacked condos would add up. */
function paintParcels(map: MapLibre, isOnPicture: boolean): void {
  map.setPaintProperty('parcel-fill', 'fill-opacity', isOnPicture ? ['case', IS_HIT, 0.45, 0] : 1);
  map.setPaintProperty('open-fill', 'fill-opacity', isOnPicture ? 0 : OPEN_OPACITY);
  const edge = isOnPicture ? 'rgba(255,255,255,0.75)' : colorOf('map-edge');
  map.setPaintProperty('parcel-lines', 'line-color', ['case', IS_HIT, colorOf('hit-edge'), edge]);
  // Over imagery, fills and their outlines are transparent.
  map.setLayerZoomRange('parcel-lines', isOnPicture ? 0 : LINES_ZOOM, 24);
}

function isFar(map: MapLibre, { sources, layers }: StyleSpecification, name: string): boolean {
  const id = IMAGES[name] ?? name;
  const source = sources[id] as { minzoom?: number; tileSize?: number } | undefined;
  const from = source?.minzoom ?? layers.find(layer => layer.id === id)?.minzoom ?? 0;
  return Math.floor(map.getZoom() + Math.log2(512 / (source?.tileSize ?? 512))) < from;
}

const nameInText = (name: string): string => (name === 'Aerial' ? 'aerial imagery' : name.toLowerCase());

/** Why the chosen background isn't visible. */
function noteOf(label: HTMLElement, name: string): string {
  if (label.hasAttribute('data-absent')) return `No ${nameInText(name)} for this area.`;
  return label.hasAttribute('data-far') ? `Zoom in to see ${nameInText(name)}.` : '';
}

async function fetchHere(map: MapLibre, shown: readonly string[]): Promise<Here | undefined> {
  const [west, south, east, north] = map.getBounds().toArray().flat() as number[];
  const box = [Math.max(-180, west!), south, Math.min(180, east!), north].map(side => side!.toFixed(4));
  const query = new URLSearchParams({ box: box.join(), layers: shown.join() });
  const response = await fetch(`/data/credits?${query}`).catch(() => undefined);
  return response?.ok ? response.json() : undefined;
}

function switchLayers(
  map: MapLibre,
  style: StyleSpecification,
  boxes: readonly HTMLInputElement[],
  isOnPicture: boolean,
): void {
  for (const layer of style.layers) {
    if (!('source' in layer)) continue;
    const names = [layer.source, layer['source-layer']];
    const box = boxes.find(({ dataset }) => names.includes(dataset.layer));
    if (box === undefined) continue;
    const isHidden = isOnPicture && HIDDEN_BY_PICTURES.has(layer.id);
    map.setLayoutProperty(layer.id, 'visibility', box.checked && !isHidden ? 'visible' : 'none');
  }
}

type Choices = { boxes: readonly HTMLInputElement[]; grounds: readonly HTMLInputElement[] };

function sayWhatIsHidden(
  map: MapLibre,
  style: StyleSpecification,
  { boxes, grounds }: Choices,
  { kinds }: Here,
): void {
  for (const input of [...boxes, ...grounds]) {
    const { kind, layer } = input.dataset;
    const label = input.closest('label');
    if (kind !== undefined) label?.toggleAttribute('data-absent', !kinds.includes(kind));
    label?.toggleAttribute('data-far', isFar(map, style, layer ?? input.value));
  }
  const note = document.getElementById('ground-note');
  const label = grounds.find(({ checked }) => checked)?.closest('label');
  const name = label?.textContent?.trim();
  if (note && label && name) note.textContent = noteOf(label, name);
}

/** Switches the background and layers. Shows the data credits, and which layers have no data in view. */
export function openGround(
  map: MapLibre,
  style: StyleSpecification,
  basemapCredit: string | undefined,
): void {
  const panel = document.querySelector<HTMLElement>('.layers');
  const credits = document.getElementById('credits');
  const boxes = [...document.querySelectorAll<HTMLInputElement>('[data-layer]')];
  const grounds = [...document.querySelectorAll<HTMLInputElement>('[name=ground]')];
  const chosen = () =>
    grounds.find(({ checked }) => checked)?.value ?? (map.getLayer('basemap') ? 'basemap' : 'plain');
  /** Whether imagery is visible in this view. */
  let isOnPicture = false;

  const showLayers = () => switchLayers(map, style, boxes, isOnPicture);

  function showGround(): void {
    for (const [name, id] of Object.entries(IMAGES))
      if (map.getLayer(id)) map.setLayoutProperty(id, 'visibility', name === chosen() ? 'visible' : 'none');
    showLayers();
    say();
  }

  let latest = 0;
  async function say(): Promise<void> {
    const mine = ++latest;
    const layers = boxes.filter(({ checked }) => checked).map(({ dataset }) => dataset.layer!);
    const here = await fetchHere(map, [...layers, chosen()]);
    if (mine !== latest || here === undefined) return;
    const wasOnPicture = isOnPicture;
    isOnPicture = chosen() === 'basemap' || (chosen() === 'aerial' && here.kinds.includes('imagery'));
    if (isOnPicture !== wasOnPicture) {
      paintParcels(map, isOnPicture);
      showLayers();
    }
    const own = chosen() === 'basemap' && basemapCredit ? [basemapCredit] : [];
    if (credits) credits.textContent = [...here.credits, ...own].join(' · ');
    sayWhatIsHidden(map, style, { boxes, grounds }, here);
  }

  panel?.addEventListener('change', event => {
    if ((event.target as HTMLInputElement).name === 'ground') showGround();
    else {
      showLayers();
      say();
    }
  });
  // Runs before the first tiles are requested, so that nothing is drawn twice.
  map.on('style.load', () => withErrorShown(showGround));
  map.on('moveend', say);
}
