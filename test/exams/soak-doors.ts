import { MCP_HEADERS, toolCall } from '../support/tool-call.ts';

export type Doors = { url: string; key: string; cookie: string; webhook: string; propertyId: number };

const V1 = '/api/public/v1';
const EXPORT_POLL_MS = 500;

type Call = { path: string; as?: 'key' | 'session'; body?: object; headers?: Record<string, string> };

/** Calls to every door, by name. Each runs repeatedly. */
const callsOf = (propertyId: number): Record<string, Call[]> => ({
  rest: [
    { path: `${V1}/markets-stats/33019/stats/` },
    { path: `${V1}/properties/${propertyId}/` },
    { path: `${V1}/properties/filter/?page_size=500`, body: { county: '33019', acres_min: 1 } },
    { path: `${V1}/comps/?fips=33019&page_size=100` },
    { path: `${V1}/properties/${propertyId}/ai-comp-value/?explain=true` },
    { path: `${V1}/search/?q=mill` },
    { path: `${V1}/changes/?limit=100` },
  ],
  mcp: [
    { path: '/mcp', headers: MCP_HEADERS, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    {
      path: '/mcp',
      headers: MCP_HEADERS,
      body: toolCall('filter_properties', { county: '33019', acres_min: 5 }),
    },
  ],
  ogc: [
    { path: '/ogc/collections' },
    { path: '/ogc/collections/parcels/items?limit=200&bbox=-72.2,43.1,-72.0,43.3' },
  ],
  pages: [
    '/data?county=33019',
    '/data?county=33019&view=table',
    `/data?parcel=${propertyId}`,
    '/markets',
    '/lists',
    '/deals',
    '/account',
  ].map(path => ({ path, as: 'session' as const })),
  tiles: [11, 12, 13, 14].map(z => ({ path: tilePath(z, -72.1, 43.18), as: 'session' as const })),
});

function tilePath(z: number, lon: number, lat: number): string {
  const x = Math.floor(((lon + 180) / 360) * 2 ** z);
  const sine = Math.asinh(Math.tan((lat * Math.PI) / 180));
  const y = Math.floor(((1 - sine / Math.PI) / 2) * 2 ** z);
  return `/tiles/parcels/${z}/${x}/${y}.mvt`;
}

/** One round through a door. @returns statuses and how often they came */
export async function callDoor(doors: Doors, name: string): Promise<Record<string, number>> {
  if (name === 'exports') return makeExport(doors);
  if (name === 'webhooks') return testWebhook(doors);
  const statuses: Record<string, number> = {};
  for (const call of callsOf(doors.propertyId)[name]!) {
    const { status } = await send(doors, call);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

export const DOORS = [...Object.keys(callsOf(0)), 'exports', 'webhooks'];

async function send(doors: Doors, { path, as = 'key', body, headers }: Call, method = body ? 'POST' : 'GET') {
  const response = await fetch(doors.url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(as === 'key' ? { Authorization: `Bearer ${doors.key}` } : { Cookie: doors.cookie }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Orders an export in a format, downloads it, and deletes it. */
async function makeExport(doors: Doors): Promise<Record<string, number>> {
  const formats = ['csv', 'xlsx', 'geojsonl', 'geoparquet', 'kml', 'gpkg', 'fgb'];
  const format = formats[exportCount++ % formats.length]!;
  const body = { filter: { county: '33019', acres_min: 20 }, format };
  const ordered = await send(doors, { path: `${V1}/exports/`, body });
  if (ordered.status !== 202) return { [ordered.status]: 1 };
  const { id } = JSON.parse(ordered.bytes.toString());
  const path = `${V1}/exports/${id}/`;
  for (;;) {
    const { state, parts } = JSON.parse((await send(doors, { path })).bytes.toString());
    if (state === 'ready') {
      for (const part of parts) await fetch(part.url).then(response => response.arrayBuffer());
      const { status } = await send(doors, { path }, 'DELETE');
      return { [ordered.status]: 1, [status]: 1 };
    }
    if (state !== 'queued' && state !== 'running') return { [state]: 1 };
    await new Promise(resolve => setTimeout(resolve, EXPORT_POLL_MS));
  }
}
let exportCount = 0;

/** Creates a webhook, has Plat send a test message to it, and deletes it. */
async function testWebhook(doors: Doors): Promise<Record<string, number>> {
  const path = `${V1}/webhooks/`;
  const made = await send(doors, { path, body: { url: doors.webhook, types: ['parcel.changed'] } });
  const { id } = JSON.parse(made.bytes.toString());
  const tested = await send(doors, { path: `${path}${id}/test/`, body: {} });
  const deleted = await send(doors, { path: `${path}${id}/` }, 'DELETE');
  return { [made.status]: 1, [tested.status]: 1, [deleted.status]: 1 };
}
