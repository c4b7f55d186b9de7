import {
  type ExpressionSpecification,
  GeolocateControl,
  LngLatBounds,
  Map as MapLibre,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type VectorTileSource,
} from 'maplibre-gl';
import { colorOf } from './css-colors.ts';
import { openDrawing } from './draw-on-map.ts';
import { openCard } from './map-card.ts';
import { showFaults, withErrorShown } from './map-faults.ts';
import { openGround } from './map-ground.ts';
import { isSeen, keepView, moveTo, openResults } from './map-results.ts';
import {
  fillColor,
  nearMiss,
  parcelTiles,
  shownHitColor,
  showPicked,
  showSea,
  styleOf,
} from './map-style.ts';
import { openTools, viewOfAddress } from './map-tools.ts';

declare const MAP_WORKER: string;
setWorkerUrl(MAP_WORKER);

const element = document.getElementById('map')!;

const boxOf = (text: string | undefined): LngLatBounds | undefined => {
  const box = text === undefined ? null : (JSON.parse(text) as [number, number, number, number] | null);
  return box === null ? undefined : new LngLatBounds(box);
};

/** The first view: the parcel, the county, or otherwise the contiguous states. */
const start =
  boxOf(element.dataset.box) ?? boxOf(element.dataset.start) ?? new LngLatBounds([-125, 24, -66, 50]);

const isNarrow = element.clientWidth < 600;

/** On a phone, the legend would hide half of the map. Closed, it still shows its colors. */
function foldLegend(): void {
  if (isNarrow) document.querySelector('details.legend')?.removeAttribute('open');
}
foldLegend();

/** The height of a legend that covers the whole width of the map. */
const below = Math.min(
  document.querySelector(isNarrow ? '.legend' : '.legend.counties')?.clientHeight ?? 0,
  element.clientHeight / 3,
);
const margin = isNarrow ? 16 : 40;

const view = viewOfAddress();
if (view) keepView();
const style = styleOf(element.dataset);
export const map = withErrorShown(
  () =>
    new MapLibre({
      container: element,
      style,
      ...(view ?? { bounds: start }),
      fitBoundsOptions: {
        padding: { top: margin, right: margin, bottom: margin + below, left: margin },
        maxZoom: 17,
      },
      maxZoom: 20,
      attributionControl: false,
      dragRotate: false,
      fadeDuration: 0,
    }),
);
map.addControl(new NavigationControl({ showCompass: false }));
map.addControl(new ScaleControl({ unit: 'imperial' }));
map.addControl(new GeolocateControl({}));

/** Tests and benchmarks wait until everything is drawn. */
map.on('idle', () => element.setAttribute('data-idle', 'true'));
// The search box prefers results near the center.
map.on('idle', () =>
  element.setAttribute(
    'data-middle',
    map
      .getCenter()
      .toArray()
      .map(degrees => degrees.toFixed(5))
      .join(),
  ),
);
showFaults(map);
map.on('movestart', () => element.removeAttribute('data-idle'));

openGround(map, style, element.dataset.attribution);

/** Opens a parcel and keeps the filters. */
function open(id: string | number): void {
  const url = new URL(location.href);
  url.searchParams.set('parcel', String(id));
  // The map doesn't know the parcel's position in the results.
  url.searchParams.delete('at');
  document.dispatchEvent(new CustomEvent('plat:open', { detail: url.pathname + url.search }));
}

const area = openDrawing(map);
openTools(map, area);

map.on('click', event => {
  if (area.isDrawing()) {
    area.add(event.lngLat);
    return;
  }
  const layers = ['hits', 'parcel-fill', 'parcel-points'];
  // Small parcels have no ids at low zoom levels.
  const hit = map.queryRenderedFeatures(event.point, { layers }).find(({ id }) => id !== undefined);
  if (hit) return open(String(hit.id));
  const [county] = map.queryRenderedFeatures(event.point, { layers: ['counts'] });
  if (county) location.assign(`/data?county=${String(county.id).padStart(5, '0')}`);
});
for (const layer of ['hits', 'parcel-fill']) {
  map.on('mouseenter', layer, () =>
    map.getCanvas().style.setProperty('cursor', area.isDrawing() ? 'crosshair' : 'pointer'),
  );
  map.on('mouseleave', layer, () =>
    map.getCanvas().style.setProperty('cursor', area.isDrawing() ? 'crosshair' : ''),
  );
}

export const sourceOf = (id: string) => map.getSource(id) as { setData(data: object): void } | undefined;

let [hitTiles] = parcelTiles();

function showHits(): void {
  area.show();
  const tiles = parcelTiles();
  if (tiles[0] !== hitTiles) (map.getSource('parcels') as VectorTileSource).setTiles(tiles);
  [hitTiles] = tiles;
  const hasNearMiss = nearMiss() !== undefined;
  const color = shownHitColor();
  map.setPaintProperty('parcel-fill', 'fill-color', fillColor(color));
  map.setLayoutProperty('near-miss', 'visibility', hasNearMiss ? 'visible' : 'none');
  map.setPaintProperty('hits', 'circle-color', color);
}

const RAMP = (JSON.parse(element.dataset.ramp ?? '[]') as string[]).map(colorOf);
type Value = { fips: number; name: string; shown: string; class: number };

async function showValues(address: string): Promise<void> {
  const values: Value[] = await (await fetch(address)).json();
  const byFips = new Map(values.map(value => [value.fips, value]));
  map.setLayoutProperty('counts', 'visibility', 'none');
  const isUnknown: ExpressionSpecification = ['==', ['feature-state', 'class'], null];
  map.addLayer(
    {
      id: 'values',
      type: 'fill',
      source: 'parcels',
      'source-layer': 'counties',
      paint: {
        'fill-color': [
          'case',
          isUnknown,
          'rgba(0,0,0,0)',
          RAMP.length < 2
            ? (RAMP[0] ?? 'rgba(0,0,0,0)')
            : ([
                'step',
                ['feature-state', 'class'],
                RAMP[0]!,
                ...RAMP.slice(1).flatMap((color, i) => [i + 1, color]),
              ] as ExpressionSpecification),
        ],
        'fill-opacity': 0.85,
      },
    },
    'county-lines',
  );
  // The lightest color is close to the light theme's background, and the darkest to the dark theme's.
  map.setPaintProperty('county-lines', 'line-color', '#7c8a82');
  for (const { fips, class: own } of values)
    map.setFeatureState({ source: 'parcels', sourceLayer: 'counties', id: fips }, { class: own });
  const label = document.getElementById('hovered');
  map.on('mousemove', 'values', event => {
    const value = byFips.get(Number(event.features?.[0]?.id));
    if (label) label.textContent = value ? `${value.name}: ${value.shown}` : '';
    map.getCanvas().style.cursor = value ? 'pointer' : '';
  });
  map.on('click', 'values', event => {
    const fips = Number(event.features?.[0]?.id);
    if (byFips.has(fips)) location.assign(element.dataset.opens + String(fips).padStart(5, '0'));
  });
}

showSea(map);
const { values, comps } = element.dataset;
map.on('style.load', () =>
  withErrorShown(() => {
    if (values !== undefined) showValues(values);
    else if (comps === undefined) {
      showHits();
      openResults(map);
      openCard(map);
    }
  }),
);
document.addEventListener('plat:loaded', event => {
  const there = (event as CustomEvent<Document>).detail.getElementById('map')?.dataset;
  foldLegend();
  showPicked(map, there ?? {});
  const box = boxOf(there?.box);
  if (box && !isSeen(map, box)) moveTo(map, box, 60);
  showHits();
});
