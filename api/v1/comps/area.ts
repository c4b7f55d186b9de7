import { PlatError } from '../../../shared/errors.ts';
import { coverQuery } from '../../../shared/kernels/query-geometry/cells.ts';
import { parseGeoJsonArea } from '../../../shared/kernels/query-geometry/geojson.ts';
import {
  covers,
  type PreparedQuery,
  prepareQuery,
} from '../../../shared/kernels/query-geometry/intersects.ts';
import { QUERY_LIMITS } from '../../../shared/kernels/query-geometry/types.ts';
import type { Database } from '../../http/database.ts';
import { validationError } from '../../http/errors.ts';
import { boxesLiteral } from './boxes.ts';

/** A polygon as statements test it: whoever is in a box is inside, and of the comps near the outline these are. */
export type Area = { boxes: string; ids: string[] };

/** Boxes along the outline; see the bench of comps for how many pay. */
const OUTLINE_BOXES = 128;

/** @throws PlatError `validation_error` naming `polygon` and the place of the fault; `unprocessable` over the limit of vertices. */
export function readArea(text: string): PreparedQuery {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw validationError({ polygon: ['is not valid JSON'] });
  }
  const parsed = parseGeoJsonArea(value, QUERY_LIMITS);
  if (parsed.ok) return prepareQuery(parsed.geometry);
  if (parsed.kind === 'too_complex')
    throw new PlatError('unprocessable', `The polygon cannot be searched: ${parsed.message}.`, {
      status: 422,
    });
  throw validationError({ polygon: [parsed.message] });
}

type OutlineRow = { id: string; lon_e7: number; lat_e7: number };

/** Splits a polygon for the index, and looks at the comps near its outline one by one. The boundary belongs to it. */
export async function openArea(area: PreparedQuery, database: Database): Promise<Area> {
  const { inner, edge } = coverQuery(area, { maxCells: OUTLINE_BOXES });
  const near = await database.run<OutlineRow>('comps/list_outline_comps', [boxesLiteral(edge)]);
  const inside = near.filter(({ lon_e7, lat_e7 }) => covers(area, lon_e7, lat_e7));
  return { boxes: boxesLiteral(inner), ids: inside.map(({ id }) => id) };
}
