import type { Map as MapLibre, StyleSpecification } from 'maplibre-gl';
import { colorOf } from './css-colors.ts';
import { seen } from './map-faults.ts';
import { IS_HIT } from './map-style.ts';

/** The raster layer of each ground; plain has none. */
const IMAGES: Record<string, string> = { relief: 'hillshade', aerial: 'aerial', basemap: 'basemap' };
/** What a picture of the land shows itself. */
const HIDDEN_BY_PICTURES = new Set(['water']);

type Here = { credits: string[]; kinds: string[] };

/** Flats of one house lie on each other: see-through they add up, so that on plain ground nothing is. */
function paintParcels(map: MapLibre, isOnPicture: boolean): void {
  map.setPaintProperty('parcel-fill', 'fill-opacity', isOnPicture ? ['case', IS_HIT, 0.45, 0] : 1);
  const edge = isOnPicture ? 'rgba(255,255,255,0.75)' : colorOf('map-edge');
  map.setPaintProperty('parcel-lines', 'line-color', ['case', IS_HIT, colorOf('hit-edge'), edge]);
}

function isFar(map: MapLibre, style: StyleSpecification, name: string): boolean {
  const source = style.sources[IMAGES[name] ?? name] as { minzoom?: number; tileSize?: number } | undefined;
  return Math.floor(map.getZoom() + Math.log2(512 / (source?.tileSize ?? 512))) < (source?.minzoom ?? 0);
}

/** Below the choice of grounds: why the chosen one is not seen. */
function noteOf(label: HTMLElement, name: string): string {
  if (label.hasAttribute('data-absent')) return `${name} is not loaded here.`;
  return label.hasAttribute('data-far') ? `Zoom in for ${name.toLowerCase()}.` : '';
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
    const box = boxes.find(({ dataset }) => dataset.layer === layer.source);
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

/** Switches ground and layers, says whose data is shown, and which layers are not loaded where one looks. */
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
  /** Whether the parcels lie on a picture where one looks: not beyond the imagery. */
  let isOnPicture = false;

  const showLayers = () => switchLayers(map, style, boxes, isOnPicture);

  function showGround(): void {
    for (const [name, id] of Object.entries(IMAGES))
      if (map.getLayer(id)) map.setLayoutProperty(id, 'visibility', name === chosen() ? 'visible' : 'none');
    showLayers();
    say();
  }

  let asked = 0;
  async function say(): Promise<void> {
    const mine = ++asked;
    const layers = boxes.filter(({ checked }) => checked).map(({ dataset }) => dataset.layer!);
    const here = await fetchHere(map, [...layers, chosen()]);
    if (mine !== asked || here === undefined) return;
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
  // Before the first tiles are asked for: what is drawn later is drawn twice.
  map.on('style.load', () => seen(showGround));
  map.on('moveend', say);
}
