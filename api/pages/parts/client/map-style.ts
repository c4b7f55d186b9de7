import type {
  ExpressionSpecification,
  LayerSpecification,
  Map as MapLibre,
  MapSourceDataEvent,
  StyleSpecification,
} from 'maplibre-gl';
import { colorOf } from './css-colors.ts';
import { grows, ofParcels, wordLayers } from './map-words.ts';

const ground = colorOf('map-ground');
const hit = colorOf('hit');
/** Readable on top of results, too. */
const drawn = colorOf('ink');
const parcel = colorOf('map-parcel');
const zip = colorOf('zip');
/** The open parcel stands out from every color of results, and its labels stay readable. */
export const OPEN_OPACITY = 0.5;
/** The rest of the assemblage has the open parcel's color, but paler. */
const TOGETHER_OPACITY = 0.25;
export const EMPTY = { type: 'FeatureCollection' as const, features: [] };

const origin = location.origin;
const tiles = (layer: string, from: number, to: number) => ({
  type: 'vector' as const,
  tiles: [`${origin}/tiles/${layer}/{z}/{x}/{y}.mvt`],
  minzoom: from,
  maxzoom: to,
});

const POLYGONS: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon'];
const POINTS: ExpressionSpecification = ['==', ['geometry-type'], 'Point'];
export const IS_HIT: ExpressionSpecification = ['has', 'hit'];

/**
 * One color for all features, written like the color of parcels, so that MapLibre draws them with the same
 * program. Compiling another one takes longer than drawing the map.
 */
const asForParcels = (color: string): ExpressionSpecification => ['case', IS_HIT, color, color];

/** Parameters that don't change which parcels are marked. */
const NO_SEARCH = ['parcel', 'at', 'page', 'page_size', 'order', 'view', 'map'];

/** Fills results with `color`, and other parcels with the usual color. */
export const fillColor = (color: string | ExpressionSpecification): ExpressionSpecification => [
  'case',
  IS_HIT,
  color,
  parcel,
];

/** Below this zoom level, outlines are part of the fills, because lines of a county take long to draw. */
export const LINES_ZOOM = 13;
const edge: ExpressionSpecification = ['case', IS_HIT, colorOf('hit-edge'), colorOf('map-edge')];

/** The color of results now. Dashed outlines mark parcels that a relaxed search would find. */
export const shownHitColor = (): string | ExpressionSpecification =>
  nearMiss() === undefined ? hitColor(document.getElementById('legend')?.dataset.colors) : parcel;

/** @param classes from the legend: `[from, variable]` for each class */
function hitColor(classes: string | undefined): string | ExpressionSpecification {
  const [first, ...rest] = JSON.parse(classes ?? '[]') as [number | null, string][];
  if (first === undefined) return hit;
  const known = [
    'step',
    ['get', 'hit'],
    colorOf(first[1]),
    ...rest.flatMap(([from, name]) => [from, colorOf(name)]),
  ];
  const byFigure = rest.length === 0 ? colorOf(first[1]) : known;
  // Results without a figure have the value `true`.
  const isKnown: ExpressionSpecification = ['==', ['typeof', ['get', 'hit']], 'number'];
  return ['case', isKnown, byFigure, colorOf('none-soft')] as ExpressionSpecification;
}

/** The search that replaces the one in the URL: relaxed if nothing matches, or empty for a whole county. */
export const nearMiss = (): string | undefined => document.getElementById('legend')?.dataset.nearMiss;

export function parcelTiles(): string[] {
  const query = nearMiss() ?? location.search;
  const search = new URLSearchParams(location.pathname === '/data' ? query : '');
  for (const name of NO_SEARCH) search.delete(name);
  return [`${origin}/tiles/parcels/{z}/{x}/{y}.mvt${search.size === 0 ? '' : `?${search}`}`];
}
// Raster layers don't fade in, because every frame of the fade would redraw the whole map.
const raster = (id: string, paint: object) =>
  ({
    id,
    type: 'raster',
    source: id,
    layout: { visibility: 'none' },
    paint: { 'raster-fade-duration': 0, ...paint },
  }) as LayerSpecification;
const land = (id: string, spec: { type: string; paint: object }) =>
  ({
    ...spec,
    id,
    source: id,
    'source-layer': id,
    layout: { visibility: 'none' },
  }) as LayerSpecification;
/** A layer of the base tiles, which users can turn off. */
const base = (id: string, minzoom: number, spec: { type: string; paint: object }) =>
  ({ ...spec, id, minzoom, source: 'base', 'source-layer': id }) as LayerSpecification;

const groundLayers = (): LayerSpecification[] => [
  // Has the color of land until the first tiles show where land ends (showSea).
  {
    id: 'sea',
    type: 'background',
    paint: { 'background-color': ground, 'background-color-transition': { duration: 0 } },
  },
  ...(['fill', 'line'] as const).map(
    type =>
      ({
        id: `abroad-${type}`,
        type,
        source: 'base',
        'source-layer': 'abroad',
        // The line hides the gap between a border's two outlines.
        paint:
          type === 'fill'
            ? { 'fill-color': asForParcels(ground), 'fill-antialias': false }
            : { 'line-color': ground, 'line-width': 6 },
      }) as LayerSpecification,
  ),
  {
    id: 'ground',
    type: 'fill',
    ...ofParcels('counties'),
    paint: { 'fill-color': asForParcels(ground), 'fill-antialias': false },
  },
];

const borderLayers = (): LayerSpecification[] => [
  {
    id: 'county-lines',
    type: 'line',
    ...ofParcels('borders'),
    filter: ['==', ['get', 'parcels'], 1],
    paint: { 'line-color': colorOf('map-county'), 'line-width': 1.2 },
  },
  {
    id: 'county-absent',
    type: 'line',
    ...ofParcels('borders'),
    filter: ['!=', ['get', 'parcels'], 1],
    paint: { 'line-color': colorOf('map-county'), 'line-width': 0.8, 'line-dasharray': [4, 3] },
  },
];

const landLayers = (): LayerSpecification[] => [
  raster('basemap', {}),
  raster('aerial', {}),
  {
    id: 'parcel-fill',
    type: 'fill',
    ...ofParcels('parcels'),
    filter: POLYGONS,
    paint: {
      'fill-color': fillColor(hit),
      'fill-outline-color': edge,
      'fill-antialias': ['step', ['zoom'], true, LINES_ZOOM, false],
    },
  },
  raster('hillshade', { 'raster-opacity': 0.8 }),
  ...borderLayers(),
  base('water', 7, { type: 'fill', paint: { 'fill-color': asForParcels(colorOf('map-water')) } }),
  land('wetlands', {
    type: 'fill',
    paint: { 'fill-color': asForParcels(colorOf('wet')), 'fill-opacity': 0.35 },
  }),
  land('flood', {
    type: 'fill',
    paint: { 'fill-color': asForParcels(colorOf('flood')), 'fill-opacity': 0.3 },
  }),
];

/** An overlay's areas, lines, and points, in the colors of their classes. */
const overlayLayers = (name: string): LayerSpecification[] => {
  const source = {
    source: `overlay-${name}`,
    'source-layer': 'overlay',
    layout: { visibility: 'none' as const },
  };
  const color: ExpressionSpecification = ['get', 'color'];
  return [
    {
      id: `${name}-areas`,
      type: 'fill',
      ...source,
      filter: POLYGONS,
      paint: { 'fill-color': color, 'fill-opacity': 0.4 },
    },
    {
      id: `${name}-lines`,
      type: 'line',
      ...source,
      filter: ['!', POINTS],
      paint: { 'line-color': color, 'line-width': grows(10, 0.6, 2) },
    },
    {
      id: `${name}-points`,
      type: 'circle',
      ...source,
      filter: POINTS,
      paint: { 'circle-color': color, 'circle-radius': grows(10, 2, 5) },
    },
  ];
};

const overlaysOf = ({ overlays }: DOMStringMap): string[] => overlays?.split(' ').filter(Boolean) ?? [];

const parcelLayers = (): LayerSpecification[] => [
  {
    id: 'parcel-lines',
    type: 'line',
    ...ofParcels('parcels'),
    minzoom: LINES_ZOOM,
    filter: POLYGONS,
    paint: {
      'line-color': edge,
      'line-width': grows(12, 0.4, 1.6),
    },
  },
  {
    id: 'near-miss',
    type: 'line',
    ...ofParcels('parcels'),
    filter: ['all', POLYGONS, IS_HIT],
    layout: { visibility: 'none' },
    paint: { 'line-color': hit, 'line-width': 2, 'line-dasharray': [2, 1.5] },
  },
  {
    id: 'parcel-points',
    type: 'circle',
    ...ofParcels('parcels'),
    filter: ['all', POINTS, ['!', IS_HIT]],
    paint: { 'circle-color': asForParcels(colorOf('map-edge')), 'circle-radius': grows(11, 1.2, 2) },
  },
  {
    id: 'hits',
    type: 'circle',
    ...ofParcels('parcels'),
    filter: ['all', POINTS, IS_HIT],
    paint: {
      'circle-color': hit,
      'circle-radius': grows(7, 2, 5),
      'circle-stroke-color': colorOf('hit-edge'),
      'circle-stroke-width': 0.7,
    },
  },
];

const areaLayers = (): LayerSpecification[] => [
  {
    id: 'area',
    type: 'line',
    source: 'area',
    paint: { 'line-color': drawn, 'line-width': 2, 'line-dasharray': [2, 1] },
  },
  {
    id: 'area-points',
    type: 'circle',
    source: 'area',
    filter: POINTS,
    paint: {
      'circle-color': colorOf('map-halo'),
      'circle-radius': 4,
      'circle-stroke-color': drawn,
      'circle-stroke-width': 2,
    },
  },
];

/** The layers' filter and visibility. Without parcels, they are hidden. @param ids separated by spaces */
const pickedBy = (ids = '') => ({
  filter: ['in', ['id'], ['literal', ids.split(' ').map(Number)]] as ExpressionSpecification,
  layout: { visibility: ids === '' ? ('none' as const) : ('visible' as const) },
});

/** The fill and the outline of parcels in the color of the open one. */
const picked = (
  name: string,
  ids: string | undefined,
  opacity: number,
  width: number,
): LayerSpecification[] => [
  {
    id: `${name}-fill`,
    type: 'fill',
    ...ofParcels('parcels'),
    ...pickedBy(ids),
    paint: { 'fill-color': asForParcels(colorOf('pick')), 'fill-opacity': opacity },
  },
  {
    id: `${name}-line`,
    type: 'line',
    ...ofParcels('parcels'),
    ...pickedBy(ids),
    paint: { 'line-color': colorOf('pick'), 'line-width': width },
  },
];

/** Shows another open parcel, and the rest of its assemblage. */
export function showPicked(map: MapLibre, { parcel: open, together }: DOMStringMap): void {
  for (const [name, ids] of Object.entries({ open, together }))
    for (const type of ['fill', 'line']) {
      const { filter, layout } = pickedBy(ids);
      map.setFilter(`${name}-${type}`, filter);
      map.setLayoutProperty(`${name}-${type}`, 'visibility', layout.visibility);
    }
}

/** Layers of a source are next to each other if possible, because a new source clips the whole map again. */
const layersOf = ({ parcel: opened, together, ...shown }: DOMStringMap): LayerSpecification[] => [
  ...groundLayers(),
  ...landLayers(),
  ...overlaysOf(shown).flatMap(overlayLayers),
  base('roads', 11, {
    type: 'line',
    paint: { 'line-color': colorOf('map-road'), 'line-width': grows(11, 0.5, 3) },
  }),
  ...parcelLayers(),
  ...picked('together', together, TOGETHER_OPACITY, 1.5),
  ...picked('open', opened, OPEN_OPACITY, 3),
  ...areaLayers(),
  ...wordLayers(),
  land('zips', { type: 'line', paint: { 'line-color': zip, 'line-width': 1.5 } }),
];

/**
 * Colors the sea once the last parcel tile shows where the land is. Doing this later would redraw the whole
 * map.
 */
export function showSea(map: MapLibre): void {
  const show = () => {
    map.off('sourcedata', onData);
    map.off('load', show);
    map.setPaintProperty('sea', 'background-color', colorOf('map-water'));
  };
  const onData = ({ sourceId, tile }: MapSourceDataEvent) => {
    if (sourceId === 'parcels' && tile && map.isSourceLoaded('parcels')) show();
  };
  map.on('sourcedata', onData);
  map.on('load', show);
}

const images = (layer: string, end: string, from: number, to: number) => ({
  type: 'raster' as const,
  tiles: [`${origin}/tiles/${layer}/{z}/{x}/{y}.${end}`],
  tileSize: 256,
  minzoom: from,
  maxzoom: to,
});

export function styleOf(shown: DOMStringMap): StyleSpecification {
  const { basemap } = shown;
  const layers = layersOf(shown).filter(({ id }) => id !== 'basemap' || basemap !== undefined);
  const sources: StyleSpecification['sources'] = {
    // First, because MapLibre draws the map once more after the last tile with names.
    base: tiles('base', 0, 15),
    parcels: { ...tiles('parcels', 0, 16), tiles: parcelTiles() },
    zips: tiles('zips', 8, 12),
    wetlands: tiles('wetlands', 11, 15),
    flood: tiles('flood', 10, 15),
    hillshade: images('hillshade', 'png', 11, 15),
    aerial: images('aerial', 'jpg', 11, 18),
    ...Object.fromEntries(
      overlaysOf(shown).map(name => [`overlay-${name}`, tiles(`overlay-${name}`, 10, 15)]),
    ),
    area: { type: 'geojson', data: EMPTY },
    ...(basemap !== undefined && { basemap: { type: 'raster', tiles: [basemap], tileSize: 256 } as const }),
  };
  return { version: 8, sources, layers };
}
