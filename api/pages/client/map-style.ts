import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';

/** The style sheet's variable as a color that the map can read; light or dark as the page is. */
function colorOf(variable: string): string {
  document.body.style.color = `var(--${variable})`;
  const { color } = getComputedStyle(document.body);
  document.body.style.removeProperty('color');
  return color;
}

const ground = colorOf('map-ground');
const label = colorOf('map-label');
const halo = colorOf('map-halo');
const hit = colorOf('hit');
const zip = colorOf('zip');
export const EMPTY = { type: 'FeatureCollection' as const, features: [] };

const origin = location.origin;
const tiles = (layer: string, from: number, to: number) => ({
  type: 'vector' as const,
  tiles: [`${origin}/tiles/${layer}/{z}/{x}/{y}.mvt`],
  minzoom: from,
  maxzoom: to,
});

export const isOpen = (id: string | undefined): ExpressionSpecification => ['==', ['id'], Number(id ?? 0)];

/** Of the tiles of parcels. */
const ofParcels = (layer: string) => ({ source: 'parcels', 'source-layer': layer });
const POLYGONS: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon'];
const grows = (from: number, thin: number, thick: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  from,
  thin,
  17,
  thick,
];
const text = (field: ExpressionSpecification, size: number) => ({
  'text-field': field,
  'text-size': size,
  'text-font': ['sans-serif'],
});
const letters = (color: string) => ({
  'text-color': color,
  'text-halo-color': halo,
  'text-halo-width': 1.5,
});

function layersOf({ parcel, basemap }: DOMStringMap): LayerSpecification[] {
  const land = (id: string, spec: { type: string; paint: object }, visible = false) =>
    ({
      ...spec,
      id,
      source: id,
      'source-layer': id,
      layout: { visibility: visible ? 'visible' : 'none' },
    }) as LayerSpecification;
  return [
    { id: 'ground', type: 'background', paint: { 'background-color': ground } },
    {
      id: 'parcel-fill',
      type: 'fill',
      ...ofParcels('parcels'),
      filter: POLYGONS,
      // Flats of one house lie on top of each other: see-through they would add up.
      paint: { 'fill-color': colorOf('map-parcel'), 'fill-opacity': basemap === undefined ? 1 : 0.05 },
    },
    {
      id: 'hillshade',
      type: 'raster',
      source: 'hillshade',
      layout: { visibility: 'none' },
      paint: { 'raster-opacity': 0.6 },
    },
    land('wetlands', { type: 'fill', paint: { 'fill-color': colorOf('wet'), 'fill-opacity': 0.35 } }),
    land('flood', { type: 'fill', paint: { 'fill-color': colorOf('flood'), 'fill-opacity': 0.3 } }),
    {
      id: 'county-lines',
      type: 'line',
      ...ofParcels('counties'),
      paint: { 'line-color': colorOf('map-county'), 'line-width': 1.2 },
    },
    {
      id: 'parcel-lines',
      type: 'line',
      ...ofParcels('parcels'),
      filter: POLYGONS,
      paint: { 'line-color': colorOf('map-edge'), 'line-width': grows(12, 0.4, 1.6) },
    },
    {
      id: 'parcel-points',
      type: 'circle',
      ...ofParcels('parcels'),
      filter: ['==', ['geometry-type'], 'Point'],
      paint: { 'circle-color': colorOf('map-edge'), 'circle-radius': 2 },
    },
    land(
      'roads',
      { type: 'line', paint: { 'line-color': colorOf('map-road'), 'line-width': grows(11, 0.5, 3) } },
      true,
    ),
    {
      id: 'open-line',
      type: 'line',
      ...ofParcels('parcels'),
      filter: isOpen(parcel),
      paint: { 'line-color': colorOf('pick'), 'line-width': 3 },
    },
    {
      id: 'hits',
      type: 'circle',
      source: 'hits',
      paint: {
        'circle-color': hit,
        'circle-radius': 4,
        'circle-stroke-color': colorOf('hit-edge'),
        'circle-stroke-width': 1,
      },
    },
    {
      id: 'area',
      type: 'line',
      source: 'area',
      paint: { 'line-color': hit, 'line-width': 2, 'line-dasharray': [2, 1] },
    },
    {
      id: 'counts',
      type: 'symbol',
      ...ofParcels('counts'),
      paint: letters(label),
      layout: text(
        ['concat', ['get', 'name'], '\n', ['number-format', ['get', 'parcels'], {}], ' parcels'],
        12,
      ),
    },
    {
      id: 'parcel-names',
      type: 'symbol',
      ...ofParcels('names'),
      minzoom: 16,
      layout: text(['get', 'apn'], 11),
      paint: letters(label),
    },
    land('zips', { type: 'line', paint: { 'line-color': zip, 'line-width': 1.5 } }),
    {
      id: 'zip-codes',
      type: 'symbol',
      source: 'zips',
      'source-layer': 'codes',
      paint: letters(zip),
      layout: { visibility: 'none', ...text(['get', 'zip'], 12) },
    },
  ];
}

export function styleOf(shown: DOMStringMap): StyleSpecification {
  const { basemap, attribution } = shown;
  const layers = layersOf(shown);
  const sources: StyleSpecification['sources'] = {
    parcels: tiles('parcels', 0, 16),
    roads: tiles('roads', 11, 15),
    zips: tiles('zips', 8, 12),
    wetlands: tiles('wetlands', 11, 15),
    flood: tiles('flood', 10, 15),
    hillshade: {
      type: 'raster',
      tiles: [`${origin}/tiles/hillshade/{z}/{x}/{y}.png`],
      tileSize: 256,
      minzoom: 9,
      maxzoom: 15,
    },
    hits: { type: 'geojson', data: EMPTY },
    area: { type: 'geojson', data: EMPTY },
  };
  if (basemap !== undefined) {
    sources.basemap = {
      type: 'raster',
      tiles: [basemap],
      tileSize: 256,
      attribution: attribution ?? '',
    };
    layers.splice(1, 0, { id: 'basemap', type: 'raster', source: 'basemap' });
  }
  return { version: 8, sources, layers };
}
