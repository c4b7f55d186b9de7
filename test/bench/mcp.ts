import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { endpoints } from '../../api/endpoints.ts';
import type { Document } from '../../api/mcp/tool-schemas.ts';
import { toolsOf } from '../../api/mcp/tools.ts';
import { openApiDocument } from '../../api/openapi.ts';
import { addToGroup } from '../../shared/kernels/groups.ts';
import { MCP_HEADERS, toolCall } from '../support/tool-call.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { withServers } from './load.ts';
import { prepareStats, STATS_PATH } from './stats-endpoint.ts';

const ROUNDS = 15;
const CALLS = 60;
const MAX_MS = 3;
const MAX_LIST_MS = 2;

const VERSION = '2026-07-28';
/** Sent with every message in the newer protocol version. */
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Way = { path: string; headers?: Record<string, string>; body?: string };

function message(method: string, params: Record<string, unknown>, name?: string): Way {
  const headers = { ...MCP_HEADERS, 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method };
  return {
    path: '/mcp',
    headers: name === undefined ? headers : { ...headers, 'Mcp-Name': name },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  };
}

const call = toolCall('get_market_stats', { fips: '33019' });
const WAYS = {
  rest: { path: STATS_PATH },
  tool: message('tools/call', call.params, 'get_market_stats'),
  'older tool': { path: '/mcp', headers: MCP_HEADERS, body: JSON.stringify(call) },
  list: message('tools/list', {}),
} satisfies Record<string, Way>;

/**
 * Measures the service's processor time for a call over REST and for the same call as a tool, in turns. Also
 * measures the processor time for the list of tools, and the list's size.
 */
export function bench(options: BenchOptions): Promise<BenchResult[]> {
  return withBenchDatabase(options, async (url, pool) => {
    const { keys } = await prepareStats(pool, 1);
    return withServers(url, ['plat'], async ({ plat }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const times = new Map<string, number[]>();
      for (let round = 0; round < (options.quick ? 2 : ROUNDS) + 1; round++) {
        for (const [name, way] of Object.entries(WAYS)) {
          const before = await processorMs(plat, agent);
          for (let n = 0; n < (options.quick ? 5 : CALLS); n++) await send(plat, way, keys[0]!, agent);
          const spent = (await processorMs(plat, agent)) - before;
          // The first round is a warm-up.
          if (round > 0) addToGroup(times, name, spent / (options.quick ? 5 : CALLS));
        }
      }
      agent.destroy();
      const ms = Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
      const tools = toolsOf(endpoints, openApiDocument(endpoints) as Document);
      const bytes = Buffer.byteLength(
        JSON.stringify([...tools.values()].map(({ definition }) => definition)),
      );
      return [
        judged(
          {
            name: 'market statistics as a tool: processor time beyond that of REST',
            reference: '',
            unit: 'ms' as const,
            value: ms.tool! - ms.rest!,
            details: {
              rest: ms.rest!.toFixed(2),
              tool: ms.tool!.toFixed(2),
              'tool, 2025-11-25': ms['older tool']!.toFixed(2),
            },
          },
          { most: MAX_MS },
        ),
        judged(
          {
            name: 'tools/list, processor time',
            reference: '',
            value: ms.list!,
            unit: 'ms',
            details: { tools: tools.size, bytes },
          },
          { most: MAX_LIST_MS },
        ),
      ];
    });
  });
}

/** Processor time of the process so far, from its own metrics. */
async function processorMs(url: string, agent: Agent): Promise<number> {
  const metrics = await send(url, { path: '/metrics' }, '', agent);
  return 1_000 * Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)![1]);
}

function send(url: string, { path, headers, body }: Way, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, Authorization: `Bearer ${key}` },
      },
      response => {
        text(response).then(answer => {
          if (response.statusCode === 200 && !answer.includes('"isError":true')) resolve(answer);
          else reject(new Error(`${path} answers ${response.statusCode}: ${answer.slice(0, 500)}`));
        }, reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
