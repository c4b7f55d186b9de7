import { z } from 'zod';
import { allCounties, type County, fiveDigits } from '../../shared/regions/counties.ts';
import { countyOutline } from '../../shared/regions/county-polygons.ts';
import { validationError } from '../http/error-responses.ts';
import { toPageResult } from '../http/paging.ts';
import {
  type Collection,
  type Feature,
  type ItemsRequest,
  meets,
  NO_FEATURES,
  type Queryable,
} from './collection-parts.ts';
import type { Condition } from './cql-text.ts';

const QUERYABLES: Readonly<Record<string, Queryable>> = {
  fips: { title: 'FIPS code', type: 'string', description: '5 digits.' },
  state: { title: 'State', type: 'string', description: 'Two-letter code.' },
};

let cached: readonly Feature[] | undefined;

/** All counties, in order of FIPS code. */
const counties = (): readonly Feature[] => (cached ??= allCounties().map(featureOf));

export const countyItems: Collection = {
  title: 'Counties',
  description:
    'US counties and county equivalents with simplified boundaries, in order of FIPS code. Includes counties without data.',
  queryables: QUERYABLES,
  properties: z.object({ fips: z.string(), name: z.string(), state: z.string() }),
  async list({ boxes, conditions, page }: ItemsRequest) {
    if (boxes?.length === 0) return NO_FEATURES;
    const tests = conditions.map(testOf);
    const after = Number(page.cursorPosition?.place[0] ?? 0);
    const rows: Feature[] = [];
    for (const county of counties()) {
      if (Number(county.id) <= after || !tests.every(matches => matches(county))) continue;
      if (boxes !== undefined && !meets(county, boxes)) continue;
      if (rows.push(county) > page.size) break;
    }
    return toPageResult(page, rows, 0, county => [Number(county.id)]);
  },
  find: async id => counties().find(county => county.id === id),
};

function featureOf({ fips, name, state }: County): Feature {
  const outline = countyOutline(fips);
  return {
    type: 'Feature',
    id: fiveDigits(fips),
    geometry:
      outline.length === 1
        ? { type: 'Polygon', coordinates: outline[0]! }
        : { type: 'MultiPolygon', coordinates: outline },
    properties: { fips: fiveDigits(fips), name, state },
  };
}

function testOf({ property, operator, values }: Condition): (county: Feature) => boolean {
  if (!Object.hasOwn(QUERYABLES, property) || (operator !== '=' && operator !== 'IN'))
    throw validationError({ filter: [`${property} ${operator} is not supported. See queryables`] });
  return ({ properties }) => values.includes((properties as Record<string, string>)[property]!);
}
