import { areasOf } from '../../shared/market/comps-area.ts';
import { SHOWN_STATUSES } from '../../shared/market/comps-query.ts';
import type { CompsFilter } from '../../shared/market/select-comps.ts';
import { UUID } from '../../shared/model/uuid.ts';
import { validationError } from '../http/error-responses.ts';
import { toPageResult } from '../http/paging.ts';
import { checkInput } from '../http/validate.ts';
import { requireKnownRegions } from '../v1/common/known-regions.ts';
import { comp, toComp } from '../v1/market/comp-schema.ts';
import { findComps, listComps, type PlacedComp } from '../v1/market/list-comps.ts';
import {
  areaOf,
  type Collection,
  type Feature,
  type ItemsRequest,
  NO_FEATURES,
  pageOfOne,
  pointGeometry,
  type Queryable,
} from './collection-parts.ts';
import type { Condition } from './cql-text.ts';

const SCOPES = ['fips', 'zip'];

const QUERYABLES: Readonly<Record<string, Queryable>> = {
  fips: { title: 'County', type: 'string', description: '5-digit county FIPS code.' },
  zip: { title: 'ZIP code', type: 'string' },
  status: { title: 'Status', type: 'string', description: `${SHOWN_STATUSES.join(', ')}.` },
  lot_size: { title: 'Lot size', type: 'number', description: 'In acres.' },
  days_on_market: { title: 'Days on market', type: 'integer' },
};

/** The names of the bounds of a range in the query of comps/. */
const RANGES: Readonly<Record<string, string>> = { lot_size: 'acres', days_on_market: 'dom' };

export const compItems: Collection = {
  title: 'Comps',
  description:
    'Listings and sales of land, in order of id. The properties are those of a comp in `comps/`. With `datetime`, only sales in that period.',
  queryables: QUERYABLES,
  properties: comp.omit({ id: true, latitude: true, longitude: true }),
  async list(request: ItemsRequest, { db }, call) {
    const { boxes, days, page } = request;
    const query = queryOf(request);
    if (boxes?.length === 0) return NO_FEATURES;
    await requireKnownRegions(db, [
      { field: 'filter', type: 'county', codes: query.fips === undefined ? [] : [query.fips] },
      { field: 'filter', type: 'zip', codes: query.zip === undefined ? [] : [query.zip] },
    ]);
    const areas = await areasOf(query, call.work);
    // Few sales may be in the period, and no index finds them.
    if (areas.length === 0 && days !== undefined) await call.work.takeTurn();
    const dated = {
      ...query,
      ...(days?.from && { sold_from: days.from }),
      ...(days?.to && { sold_to: days.to }),
    };
    const found = await findComps(dated, areas, { ...page, count: 0 }, db, call.work);
    const { next, rows } = toPageResult(page, found.rows, 0, row => [row.place, row.id]);
    return { ...NO_FEATURES, next, rows: rows.map(featureOf) };
  },
  async find(id, { db }, call) {
    if (!UUID.test(id)) return undefined;
    const { rows } = await findComps({ id }, [], { ...pageOfOne(call.now), count: 0 }, db, call.work);
    return rows[0] && featureOf(rows[0]);
  },
};

function featureOf(row: PlacedComp): Feature {
  const { id, latitude: _latitude, longitude: _longitude, ...properties } = toComp(row);
  return { type: 'Feature', id, geometry: pointGeometry(row.lon_e7, row.lat_e7), properties };
}

/** The query of comps/ for a request. Without conditions, the whole collection can be read. */
function queryOf({ boxes, conditions }: ItemsRequest): CompsFilter {
  const query: Record<string, string | string[]> = {};
  for (const condition of conditions) {
    for (const [name, value] of Object.entries(parametersOf(condition))) {
      if (query[name] !== undefined) throw fault(condition.property, 'is limited twice in the same way');
      query[name] = value;
    }
  }
  if (boxes !== undefined && boxes.length > 0)
    query.polygon = JSON.stringify({ type: 'MultiPolygon', coordinates: areaOf(boxes) });
  const names = Object.keys(query);
  if (names.length === 0) return {};
  if (boxes === undefined && !SCOPES.some(scope => names.includes(scope)))
    throw validationError({ filter: [`needs a bbox, or one of ${SCOPES.join(', ')}`] });
  return checkInput(listComps, { params: {}, query }).query as CompsFilter;
}

const fault = (property: string, why: string) => validationError({ filter: [`${property} ${why}`] });

function parametersOf({ property, operator, values }: Condition): Record<string, string | string[]> {
  if (!Object.hasOwn(QUERYABLES, property))
    throw fault(property, 'is not a property that filters can use. See queryables');
  const [first, last = first] = values.map(String);
  const range = RANGES[property];
  const min = { [`${range}_min`]: first! };
  const max = { [`${range}_max`]: last! };
  if (range !== undefined) {
    if (operator === '=' || operator === 'BETWEEN') return { ...min, ...max };
    if (operator === '>=') return min;
    if (operator === '<=') return max;
  } else if (operator === '=') return { [property]: first! };
  else if (operator === 'IN' && property === 'status') return { status: values.map(String) };
  throw fault(property, `does not support ${operator}`);
}
