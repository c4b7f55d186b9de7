import { Agent, request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../../shared/accounts/tiers.ts';
import { insertRegions, newCaller, usageOf } from '../../support/api.ts';
import { apiProcesses } from '../../support/api-process.ts';
import { createTestDatabase } from '../../support/database.ts';
import { FULL } from '../../support/filter-parcels.ts';
import { insertParcels } from '../../support/parcels.ts';
import { STATS } from '../../support/spender.ts';
import { MCP_HEADERS, TRANSPORTS, type Transport, toolCall } from '../../support/tool-call.ts';

const FILTER = '/api/public/v1/properties/filter/';

const TOTAL = { rest: 1_200, mcp: 600 };
const AT_ONCE = 300;

const db = await createTestDatabase();
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL]);
});

// Everything here is answered in the end, on a busy machine too.
const { startApi } = apiProcesses(db, { STATEMENT_TIMEOUT_MS: '120000', REQUEST_TIMEOUT_MS: '240000' });

type Reply = { status: number; tokens: number; body: string };

/** Where a call goes and what it sends. @param search a search by this Idempotency-Key, else statistics */
function requestOf(way: Transport, search?: string): { path: string; body?: string } {
  if (way === 'rest')
    return search === undefined ? { path: STATS } : { path: FILTER, body: '{"county":"33019"}' };
  const call =
    search === undefined
      ? toolCall('get_market_stats', { fips: '33019' })
      : toolCall('filter_properties', { county: '33019' });
  return { path: '/mcp', body: JSON.stringify(call) };
}

/** Whether a connection of the database was not to be had in time. */
const isToRepeat = ({ tokens, body }: Reply) => tokens === 0 && body.includes('ry again');

/** One call; undefined when its whole answer did not come. */
function call(
  way: Transport,
  url: string,
  agent: Agent,
  key: string,
  search?: string,
): Promise<Reply | undefined> {
  return new Promise(resolve => {
    const lost = () => resolve(undefined);
    const { path, body } = requestOf(way, search);
    const sent = request(url + path, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : MCP_HEADERS),
        ...(search === undefined ? {} : { 'Idempotency-Key': search }),
      },
    });
    sent.on('error', lost);
    sent.on('response', response => {
      let text = '';
      response.on('data', chunk => {
        text += chunk;
      });
      response.on('error', lost);
      response.on('end', () => {
        const tokens = Number(response.headers['x-tokens-used']);
        resolve(response.complete ? { status: response.statusCode!, tokens, body: text } : undefined);
      });
    });
    sent.end(body);
  });
}

// At once: each has accounts and processes of its own, and the second waits for the claims of the
// dead most of its time.
test.concurrent.each(TRANSPORTS)(
  'kill -9 in the middle of charged calls, 300 at a time: every answer has its charge, at most those in flight a charge without an answer, and what is repeated by its Idempotency-Key is billed once: %s',
  {
    timeout: 300_000,
  },
  async way => {
    const total = TOTAL[way];
    const often = { ratePerMinute: 1e6, rateBurst: 1e6 };
    const { key, accountId } = await newCaller(db, often, { scopes: [...SCOPES] });
    const repeating = await newCaller(db, often, { scopes: [...SCOPES] });
    const names = Array.from({ length: way === 'rest' ? 200 : 120 }, (_, index) => `search-${index}`);
    let begun = 0;
    let received = 0;
    let inFlight = 0;

    /** Sends what is left of the calls, AT_ONCE at a time, until they are done or the service is gone. */
    async function send(url: string, onAnswer: () => void): Promise<void> {
      const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
      const one = async () => {
        while (begun < total) {
          begun++;
          inFlight++;
          const reply = await call(way, url, agent, key);
          if (reply === undefined) return;
          inFlight--;
          if (isToRepeat(reply)) {
            begun--;
            continue;
          }
          expect(reply).toMatchObject({ status: 200, tokens: 10 });
          received++;
          onAnswer();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      agent.destroy();
    }

    /** Sends all searches, 40 at a time. */
    async function search(url: string, onAnswer: () => void) {
      const agent = new Agent({ keepAlive: true, maxSockets: 40 });
      const replies = await Promise.all(
        names.map(async name => {
          let reply: Reply | undefined;
          do reply = await call(way, url, agent, repeating.key, name);
          while (reply !== undefined && isToRepeat(reply));
          if (reply !== undefined) onAnswer();
          return reply;
        }),
      );
      agent.destroy();
      return replies;
    }

    const first = await startApi();
    let answered = 0;
    let killed: Promise<void> | undefined;
    const killInTheMiddle = () => {
      if (received >= total / 3 || answered >= names.length / 4) killed ??= first.kill();
    };
    await Promise.all([
      send(first.url, killInTheMiddle),
      search(first.url, () => {
        answered++;
        killInTheMiddle();
      }),
    ]);
    await killed;
    const lost = inFlight;
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(AT_ONCE);
    expect(answered).toBeLessThan(names.length);

    const second = await startApi();
    const [replies] = await Promise.all([search(second.url, () => {}), send(second.url, () => {})]);
    expect(received + lost).toBe(total);
    const { tokens, calls, daily } = await usageOf(db, accountId);
    expect([tokens, daily]).toEqual([calls * 10, calls * 10]);
    expect(calls).toBeGreaterThanOrEqual(received);
    expect(calls).toBeLessThanOrEqual(received + lost);
    expect(new Set(replies.map(reply => reply?.status))).toEqual(new Set([200]));
    expect(await usageOf(db, repeating.accountId)).toEqual({
      tokens: 30 * names.length,
      calls: names.length,
      daily: 30 * names.length,
    });
  },
);
