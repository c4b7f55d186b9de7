import type { MapCoverage } from '../../shared/parcels/map-statements.ts';
import { FACT_ZOOMS } from '../tiles/parcel-tiles.ts';
import { VECTOR_TILE } from '../tiles/tile-cache.ts';

const TITLE = 'Parcels';
const DESCRIPTION =
  'Boundaries of parcels on the roll. Below zoom level 15, parcels that are too small to see are points without properties.';
const CREDIT = 'Plat';

const FIELDS = {
  property_id: { type: 'integer', title: 'Parcel id' },
  apn: { type: 'string', title: 'Parcel number (APN)' },
  acres: { type: 'number', title: 'Acres' },
};

const PATH = 'collections/parcels/tiles/WebMercatorQuad';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * @param apiUrl empty if URLs are relative
 * @param search the map key as a query string, or empty
 */
export const tileJson = (apiUrl: string, search: string, { bounds, credits }: MapCoverage) => ({
  tilejson: '3.0.0',
  name: TITLE,
  description: DESCRIPTION,
  scheme: 'xyz',
  tiles: [`${apiUrl}/ogc/${PATH}/{z}/{y}/{x}${search}`],
  minzoom: FACT_ZOOMS.min,
  maxzoom: FACT_ZOOMS.max,
  bounds,
  attribution: [CREDIT, ...credits].map(escaped).join(', '),
  vector_layers: [
    {
      id: 'parcels',
      description: DESCRIPTION,
      minzoom: FACT_ZOOMS.min,
      maxzoom: FACT_ZOOMS.max,
      fields: Object.fromEntries(Object.entries(FIELDS).map(([name, { title }]) => [name, title])),
    },
  ],
});

export type TileJson = ReturnType<typeof tileJson>;

const SET = 'http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad';
const MERCATOR = 'http://www.opengis.net/def/crs/EPSG/0/3857';
const TILING_SCHEME = 'http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme';
export const TILESETS_VECTOR = 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector';

const json = (rel: string, href: string, title: string) => ({ rel, href, type: 'application/json', title });

const zooms = Array.from({ length: FACT_ZOOMS.max - FACT_ZOOMS.min + 1 }, (_, at) => FACT_ZOOMS.min + at);

const summaryOf = (root: string) => ({
  title: TITLE,
  dataType: 'vector',
  crs: MERCATOR,
  tileMatrixSetURI: SET,
  links: [
    json('self', `${root}/${PATH}`, TITLE),
    json(TILING_SCHEME, `${root}/tileMatrixSets/WebMercatorQuad`, 'WebMercatorQuad'),
    {
      rel: 'item',
      href: `${root}/${PATH}/{tileMatrix}/{tileRow}/{tileCol}`,
      type: VECTOR_TILE,
      title: 'Vector tiles',
      templated: true,
    },
  ],
});

/** @param root URL of `/ogc`, without a trailing slash */
export const tilesetList = (root: string): object => ({
  links: [json('self', `${root}/collections/parcels/tiles`, 'Tile sets')],
  tilesets: [summaryOf(root)],
});

export const tilesetPage = (root: string): object => ({
  ...summaryOf(root),
  description: DESCRIPTION,
  tileMatrixSetLimits: zooms.map(zoom => ({
    tileMatrix: String(zoom),
    minTileRow: 0,
    maxTileRow: 2 ** zoom - 1,
    minTileCol: 0,
    maxTileCol: 2 ** zoom - 1,
  })),
  layers: [
    {
      id: 'parcels',
      dataType: 'vector',
      geometryDimension: 2,
      minTileMatrix: String(FACT_ZOOMS.min),
      maxTileMatrix: String(FACT_ZOOMS.max),
      propertiesSchema: { type: 'object', properties: FIELDS },
    },
  ],
});

/** Half the width of the world in meters. */
const EDGE_M = 20_037_508.342789244;
const TILE_PX = 256;
/** The size of a pixel on a standard screen in meters, which scale denominators refer to. */
const PIXEL_M = 0.28e-3;
/** As registered. */
const LEVELS = 25;

/** OGC Two Dimensional Tile Matrix Set 2.0, annex D.1. */
export const tileMatrixSet = (): object => ({
  id: 'WebMercatorQuad',
  title: 'Google Maps Compatible for the World',
  uri: SET,
  crs: MERCATOR,
  orderedAxes: ['X', 'Y'],
  wellKnownScaleSet: 'http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible',
  tileMatrices: Array.from({ length: LEVELS }, (_, zoom) => {
    const cellSize = (2 * EDGE_M) / TILE_PX / 2 ** zoom;
    return {
      id: String(zoom),
      scaleDenominator: cellSize / PIXEL_M,
      cellSize,
      pointOfOrigin: [-EDGE_M, EDGE_M],
      tileWidth: TILE_PX,
      tileHeight: TILE_PX,
      matrixWidth: 2 ** zoom,
      matrixHeight: 2 ** zoom,
    };
  }),
});
