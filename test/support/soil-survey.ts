import type { Position } from 'geojson';
import { makeZip } from '../unit/formats/make.ts';
import { shapefile } from './shapefiles.ts';

/** A map unit of a made-up soil survey. Numbers are in centimeters, as in SSURGO. */
export type MapUnit = {
  mukey: string;
  symbol?: string;
  name?: string;
  farmland?: string;
  septic?: string;
  drainage?: string;
  hydric?: number;
  bedrockCm?: number;
  waterCm?: number;
  /** Which tables have the unit. Default: both. */
  tables?: ('mapunit' | 'muaggatt')[];
};

type Polygon = { mukey: string; ring: Position[] };

const text = (value: string | undefined): string =>
  value === undefined ? '' : `"${value.replaceAll('"', '""')}"`;

/** A line of muaggatt.txt: 40 columns. */
const rating = ({ mukey, symbol, name, septic, drainage, hydric, bedrockCm, waterCm }: MapUnit): string => {
  const cells: string[] = Array(40).fill('');
  cells[0] = text(symbol ?? 'A');
  cells[1] = text(name ?? 'Amy silt loam, 0 to 1 percent slopes');
  cells[5] = String(bedrockCm ?? '');
  cells[6] = String(waterCm ?? '');
  cells[15] = text(drainage);
  cells[26] = text(septic);
  cells[37] = text(hydric === undefined ? undefined : String(hydric));
  cells[39] = text(mukey);
  return cells.join('|');
};

/** A line of mapunit.txt: 24 columns. */
const unit = ({ mukey, symbol, name, farmland }: MapUnit): string => {
  const cells: string[] = Array(24).fill('');
  cells[0] = text(symbol ?? 'A');
  cells[1] = text(name ?? 'Amy silt loam, 0 to 1 percent slopes');
  cells[11] = text(farmland);
  cells[22] = text('15092');
  cells[23] = text(mukey);
  return cells.join('|');
};

/** A survey area's files as the Natural Resources Conservation Service packs them, with made-up soils. */
export function surveyFiles(area: string, units: readonly MapUnit[], polygons: readonly Polygon[]) {
  const symbolOf = (mukey: string) => units.find(each => each.mukey === mukey)?.symbol ?? 'A';
  const lines = (of: 'mapunit' | 'muaggatt', write: (each: MapUnit) => string) =>
    units.flatMap(each => ((each.tables ?? [of]).includes(of) ? [`${write(each)}\n`] : [])).join('');
  return {
    ...shapefile(
      `${area}/spatial/soilmu_a_${area.toLowerCase()}`,
      5,
      polygons.map(({ ring }) => [ring]),
      {
        AREASYMBOL: polygons.map(() => area),
        SPATIALVER: polygons.map(() => '22'),
        MUSYM: polygons.map(({ mukey }) => symbolOf(mukey)),
        MUKEY: polygons.map(({ mukey }) => mukey),
      },
    ),
    // A survey area has other shapefiles too.
    ...shapefile(`${area}/spatial/soilsa_a_${area.toLowerCase()}`, 5, [], { AREASYMBOL: [] }),
    [`${area}/tabular/mapunit.txt`]: lines('mapunit', unit),
    [`${area}/tabular/muaggatt.txt`]: lines('muaggatt', rating),
  };
}

export const surveyZip = (...survey: Parameters<typeof surveyFiles>): Buffer =>
  makeZip(surveyFiles(...survey));

/** A square of `side` degrees with its southwest corner at a point, clockwise as shapefiles have it. */
export const ring = (west: number, south: number, side = 0.01): Position[] => [
  [west, south],
  [west, south + side],
  [west + side, south + side],
  [west + side, south],
  [west, south],
];
