import { expect, test } from 'vitest';
import { seedCounties } from '../bench/filter-county.ts';
import { newCaller } from '../support/api.ts';
import { apiProcesses } from '../support/api-process.ts';
import { type AttackCall, attackWith, MAX_RATIO, slowdown } from '../support/attack.ts';
import { createTestDatabase } from '../support/database.ts';

/** Shapes that cost much to compute must not keep other accounts waiting. */

const isAsked = process.env.TEST_ATTACKS !== undefined;
const db = await createTestDatabase({}, { regions: true });
const COUNTY = { fips: 19_153, parcels: 19_000, west: -940_000_000 };
if (isAsked) await seedCounties(db.pool, [COUNTY]);
/** About the ground of its lots: some 119 of 0.0008 degrees from west to east, and 160 of 0.0006. */
const [WEST, SOUTH, WIDTH, HEIGHT] = [-94, 41.5, 0.0952, 0.096];

const { startApi } = apiProcesses(db, { STATEMENT_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '120000' });
// If all tests are skipped, nothing would stop the process.
const { url } = isAsked ? await startApi() : { url: '' };
const API = `${url}/api/public/v1`;

type Point = [number, number];
const point = (x: number, y: number): Point => [
  Number((WEST + x * WIDTH).toFixed(7)),
  Number((SOUTH + y * HEIGHT).toFixed(7)),
];

/** A ring that runs to the north and back so many times. */
function comb(teeth: number): Point[] {
  const ring: Point[] = [];
  for (let i = 0; i < teeth; i++) {
    const at = (share: number) => (i + share) / teeth;
    ring.push(point(at(0), 0.02), point(at(0.3), 1), point(at(0.6), 1), point(at(0.9), 0.02));
  }
  return [point(0, 0), ...ring, point(1, 0), point(0, 0)];
}

function circle(vertices: number): Point[] {
  const ring = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices;
    return point(0.5 + 0.45 * Math.cos(angle), 0.5 + 0.45 * Math.sin(angle));
  });
  return [...ring, ring[0]!];
}

const wkt = (ring: readonly Point[]) => ring.map(at => at.join(' ')).join(',');
const polygon = (ring: readonly Point[]) => `POLYGON((${wkt(ring)}))`;
/** Back and forth over the county, across itself all the way. */
const crossing = Array.from({ length: 9_990 }, (_, i) =>
  point((i * 0.618034) % 1, i % 2 === 0 ? 0 : (i * 0.754878) % 1),
);

type Call = Pick<AttackCall, 'url' | 'body'>;
const quote = (shape: string): Call => ({
  url: `${API}/properties/filter/quote/`,
  body: JSON.stringify({ geom_intersects: shape }),
});
const comps = (ring: readonly Point[]): Call => ({
  url: `${API}/comps/?polygon=${JSON.stringify({ type: 'Polygon', coordinates: [ring] })}`,
});
const tool = (shape: string): Call => ({
  url: `${url}/mcp`,
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'quote_filter', arguments: { geom_intersects: shape } },
  }),
});

const { key: attacker } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });
const { key: other } = await newCaller(db);

async function readDetail(signal?: AbortSignal): Promise<void> {
  const response = await fetch(`${API}/properties/${COUNTY.fips * 1e8 + 1}/`, {
    headers: { Authorization: `Bearer ${other}` },
    ...(signal && { signal }),
  });
  expect(response.status).toBe(200);
  await response.text();
}

test.runIf(isAsked).each<[string, Call, number]>([
  ['a quote of a zigzag of 9,990 vertices', quote(polygon(comb(2_497))), 422],
  ['a quote of a line of 9,990 vertices across itself', quote(`LINESTRING(${wkt(crossing)})`), 422],
  ['a quote of a circle of 10,000 vertices', quote(polygon(circle(10_000))), 200],
  ['a quote of a shape that meets every parcel', quote(polygon(comb(120))), 200],
  ['comps within a zigzag', comps(comb(2_000)), 422],
  ['comps within a circle of 9,000 vertices', comps(circle(9_000)), 200],
  ['a tool with a zigzag', tool(polygon(comb(2_497))), 200],
])(
  '%s, 100 in flight, leaves others within 20 times their quiet 99th percentile',
  async (_of, call, status) => {
    const attack = attackWith(100, {
      ...call,
      headers: {
        Authorization: `Bearer ${attacker}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
    });
    expect(await slowdown(readDetail, attack)).toBeLessThanOrEqual(MAX_RATIO);
    expect([...attack.statuses]).toEqual([status]);
  },
);
