import { Agent } from 'node:http';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openApiDocument } from '../../api/openapi.ts';
import { createKey } from '../../shared/accounts/accounts.ts';
import { newToken } from '../../shared/accounts/sign-in.ts';
import { statement } from '../../shared/platform/statements.ts';
import { startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { conformsTo, type Document } from '../support/openapi.ts';
import { MCP_HEADERS, messageIn } from '../support/tool-call.ts';
import { linkOf, newUser } from '../support/visitor.ts';
import { mcpShots, oauthShots, type Tool } from './assistants.ts';
import { crawl, pageShots } from './pages.ts';
import { restShots } from './rest.ts';
import { type Answer, type Shot, send } from './shot.ts';
import { type Known, readKnown } from './values.ts';

/** `npm run fuzz` sends more requests over several connections. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const LANES = REQUESTS > 1_000 ? 4 : 1;
/**
 * Maximum pages to open per path. Filters give one page hundreds of addresses, which would take longer to
 * open than a short run's requests.
 */
const ALIKE = LANES > 1 ? 1_000 : 5;
/** Requests are generated in batches, so that later ones can use what earlier ones created. */
const BATCH = 100;

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, {
  pages: true,
  env: { PLAT_DIR: db.folder, LOG_LEVEL: LANES > 1 ? 'error' : 'silent' },
});
const conforms = conformsTo(openApiDocument() as Document);
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

/** Names under which to store the ids that POSTs to these v1 paths return. */
const MADE: Record<string, string[]> = {
  'deal-flow': ['id of deal-flow', 'id'],
  markets: ['id of markets'],
  'comp-reports': ['report'],
  lists: ['id of lists', 'list_id'],
  exports: ['id of exports'],
};

/** Map tiles around Washington, New Hampshire. */
const TILES: [string, string[]][] = [
  ['layer', ['parcels', 'base', 'zips', 'wetlands', 'flood', 'hillshade', 'aerial']],
  ['z', ['12', '14']],
  ['x', ['1227', '4910']],
  ['file', ['1502.mvt', '6009.mvt', '1502.png', '6009.png']],
];

type Finding = { times: number; fault: string; shot: string; answer: string };
const findings = new Map<string, Finding>();
const met = new Map<string, Map<number, number>>();

/**
 * A client: an account with its key, its user, and that user's browser. It sends one request at a time, so
 * that each request's charge can be checked.
 */
class Lane {
  #user!: Awaited<ReturnType<typeof newUser>>;
  #key!: string;
  #cookies = new Map<string, string>();
  known!: Known;

  async open(): Promise<void> {
    this.#user = await newUser(db, { operator: true });
    await db.pool.query(
      'update accounts set rate_per_minute = 60000, rate_burst = 60000, skip_trace_per_minute = 60000 where id = $1',
      [this.#user.accountId],
    );
    const nothing = '5f0c2a4e-3b1d-4e8f-9a67-1c2d3e4f5a6b';
    const made = Object.values(MADE).flat();
    this.known = await readKnown(db.pool);
    for (const name of [...made, 'client_id', 'uid', 'code', 'refresh_token'])
      this.known.set(name, [nothing]);
    this.known.set('email', [this.#user.email, 'b@acme.example']);
    this.known.set('password', [this.#user.password]);
    this.known.set('current', [this.#user.password]);
    for (const [name, values] of TILES) this.known.set(name, values);
    await this.renew();
  }

  /** The link to a page for choosing a new password. */
  link(): Promise<string> {
    return linkOf(db, this.#user.id, 'reset');
  }

  /** Replaces a key and session that a request has revoked. */
  async renew(): Promise<void> {
    this.#key = (
      await createKey(db.pool, this.#user.accountId, { name: 'fuzz', scopes: ['api:direct', 'api:mcp'] })
    ).key;
    const { token, tokenHash } = newToken();
    await db.pool.query(
      statement('accounts/insert_session', {
        token_hash: tokenHash,
        user_id: this.#user.id,
        browser: 'fuzz',
      }),
    );
    this.#cookies.set('plat_session', token);
  }

  async call(shot: Shot): Promise<Answer> {
    const headers: Record<string, string> = { ...shot.headers };
    if (shot.as === 'key') headers.Authorization = `Bearer ${this.#key}`;
    if (shot.as === 'session')
      headers.Cookie = [...this.#cookies].map(([name, one]) => `${name}=${one}`).join('; ');
    if (shot.method === 'POST') headers.Origin ??= api.url;
    const answer = await send(api.url, shot, headers, agent);
    if (shot.as === 'session')
      for (const set of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        this.#cookies.set(name!, value!);
      }
    return answer;
  }

  /** The number of tokens that the account has used. */
  async used(): Promise<number> {
    return (await usageOf(db, this.#user.accountId)).tokens;
  }

  /** Stores values from the response that later requests can use. */
  learn({ target }: Shot, { status, headers, text }: Answer): void {
    const keep = (name: string, value: unknown) => {
      const values = this.known.get(name)!;
      if (typeof value === 'string' && values.push(value) > 20) values.shift();
    };
    const location = headers.get('location') ?? '';
    keep('uid', /\/oauth\/consent\/([\w-]+)/.exec(location)?.[1]);
    keep('code', /[?&]code=([\w-]+)/.exec(location)?.[1]);
    if (status >= 300 || !headers.get('content-type')?.startsWith('application/json')) return;
    const made = JSON.parse(text || '{}') ?? {};
    const kind = MADE[target.split(/[/?]/)[4] ?? ''];
    if ([201, 202].includes(status) && kind !== undefined)
      for (const name of kind) keep(name, made.report_id ?? made.id);
    for (const name of ['client_id', 'refresh_token']) keep(name, made[name]);
  }
}

function note(shot: Shot, fault: string, answer?: Answer): void {
  const name = `${shot.route}: ${fault.slice(0, 60)}`;
  const known = findings.get(name);
  if (known !== undefined) known.times++;
  else
    findings.set(name, {
      times: 1,
      fault,
      shot: JSON.stringify(shot).slice(0, 800),
      answer:
        answer === undefined ? '' : `${answer.status} ${answer.text.replaceAll(/\s+/g, ' ').slice(0, 300)}`,
    });
}

/** Sends the request and checks the response: its schema, status, and charge. */
async function fire(lane: Lane, shot: Shot, before: number): Promise<number> {
  let answer: Answer;
  try {
    answer = await lane.call(shot);
  } catch (error) {
    note(shot, `no answer: ${(error as Error).message}`);
    return lane.used();
  }
  const { status, headers, text } = answer;
  const statuses = met.get(shot.route) ?? new Map<number, number>();
  met.set(shot.route, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  if (status >= 500) note(shot, `status ${status}`, answer);
  if (!headers.has('x-request-id')) note(shot, 'no X-Request-Id', answer);
  const path = shot.target.split('?')[0]!;
  try {
    if (path.startsWith('/api/')) conforms({ method: shot.method, path: shot.target, status, headers, text });
    lane.learn(shot, answer);
  } catch (error) {
    note(shot, (error as Error).message, answer);
  }
  if (shot.as === 'nobody' && path.startsWith('/api/') && status < 400 && shot.method !== 'OPTIONS')
    note(shot, 'let in', answer);
  const after = await lane.used();
  const told = Number(headers.get('x-tokens-used'));
  if (after - before !== (status < 400 ? told : 0))
    note(shot, `used ${after - before}, told ${told}`, answer);
  if (status >= 400 && told !== 0) note(shot, `told ${told} tokens of a failure`, answer);
  const isOut = shot.as === 'key' ? status === 401 : headers.get('location')?.startsWith('/sign-in');
  if (shot.as !== 'nobody' && isOut) await lane.renew();
  return after;
}

/** Creates data that requests can change and remove, and lists the tools. */
async function prepare(lane: Lane): Promise<Tool[]> {
  const post = async (path: string, body: object) => {
    const shot: Shot = {
      route: path,
      as: 'key',
      method: 'POST',
      target: path,
      body: JSON.stringify(body),
      headers: MCP_HEADERS,
    };
    const answer = await lane.call(shot);
    lane.learn(shot, answer);
    return answer;
  };
  const [property_id, region_id] = ['property_id', 'region_id'].map(name => lane.known.get(name)![0]!);
  await post('/api/public/v1/deal-flow/listings/', { property_id: Number(property_id) });
  await post('/api/public/v1/comp-reports/', { property_id: Number(property_id) });
  await post('/api/public/v1/markets/', { region_id });
  await post('/api/public/v1/lists/', { name: 'fuzz' });
  await post('/api/public/v1/exports/', { filter: { county: '33019', acres_min: 100 }, format: 'csv' });
  const { text } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return messageIn(text).result.tools;
}

async function run(lane: Lane, seed: number, requests: number): Promise<void> {
  await lane.open();
  const tools = await prepare(lane);
  const [inside, outside] = [
    await crawl('session', ['/data', '/account'], shot => lane.call(shot), ALIKE),
    await crawl(
      'nobody',
      ['/', '/sign-in', '/sign-in/reset', await lane.link()],
      shot => lane.call(shot),
      ALIKE,
    ),
  ];
  expect(inside.forms.length).toBeGreaterThan(10);
  const site = { forms: [...inside.forms, ...outside.forms], links: [...inside.links, ...outside.links] };
  const shots = fc.oneof(
    { weight: 11, arbitrary: restShots(lane.known) },
    { weight: 5, arbitrary: pageShots(site, lane.known) },
    { weight: 2, arbitrary: oauthShots(lane.known, api.url) },
    { weight: 2, arbitrary: mcpShots(tools, lane.known) },
  );
  let used = await lane.used();
  for (let sent = 0; sent < requests; sent += BATCH)
    for (const shot of fc.sample(shots, { seed: seed + sent, numRuns: Math.min(BATCH, requests - sent) }))
      used = await fire(lane, shot, used);
}

test(
  `${REQUESTS} generated requests: no fault of the service, no call charged wrongly, every answer as published`,
  async () => {
    const lanes = Array.from({ length: LANES }, () => new Lane());
    await Promise.all(lanes.map((lane, i) => run(lane, SEED * 1_000_003 + i * 100_003, REQUESTS / LANES)));
    if (LANES > 1) process.stdout.write(report());
    expect([...findings].map(([name, { times, ...one }]) => ({ name, times, ...one }))).toEqual([]);
  },
  Math.max(300_000, REQUESTS * 500),
);

/** Counts responses by route and status. */
function report(): string {
  const lines = [...met]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([route, statuses]) => {
      const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
      return `${route}  ${counts.join(', ')}\n`;
    });
  return lines.join('');
}
