import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Logger } from '../../shared/platform/log.ts';
import { version } from '../../shared/platform/root.ts';
import { onlyReads } from '../http/authorize.ts';
import { promptOf, promptsIn } from './mcp-prompts.ts';
import { coverageAt, RESOURCE_TEMPLATES, RESOURCES, textAt } from './mcp-resources.ts';
import { type CallDeps, callTool, type ToolCallRequest } from './tool-call.ts';
import type { Arguments, Tool } from './tools.ts';
import type { Toolset } from './toolsets.ts';

export type McpDeps = CallDeps & {
  tools: ReadonlyMap<string, Tool>;
  log: Logger;
};

const IDENTITY = { name: 'plat', title: 'Plat: US land parcels', version };

/** Instructions that a model reads before it uses tools. */
const INSTRUCTIONS: readonly (string | [Toolset, string])[] = [
  "Land parcels, sales, market statistics, and valuations for US counties. Calls cost tokens from the user's account.",
  'Each tool states its price, quote: true returns only the price, and _meta shows the cost of a call.',
  ['markets', 'find_regions (free) returns the FIPS code of a county.'],
  ['parcels', 'search (free) finds counties, addresses, parcel numbers, owners, and places.'],
  [
    'parcels',
    'To find lots, call filter_properties with all conditions at once instead of reading parcels one by one. A page costs the same at any size, so request all the rows that you need, up to 150 (about 60 fit in the text). Use property_id to get a valuation.',
  ],
  "Areas are in acres, prices in USD. Show people the parcels' map links.",
];

const instructionsFor = (toolsets: ReadonlySet<Toolset>): string =>
  INSTRUCTIONS.flatMap(part => {
    if (typeof part === 'string') return [part];
    return toolsets.has(part[0]) ? [part[1]] : [];
  }).join(' ');

/** Changes only with a release. */
const CACHE = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

export type McpServers = {
  /** The server for one request. Parts that requests share are created only once. */
  makeServer(call: ToolCallRequest): Server;
  /** Adds the tools that the client can use to the result of `tools/list`. Their JSON is built only once. */
  withTools(answer: string, call: ToolCallRequest): string;
};

export function mcpServers(deps: McpDeps): McpServers {
  const { tools } = deps;
  const listed = [...tools.values()].map(tool => ({ ...tool, json: JSON.stringify(tool.definition) }));
  const options = {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    jsonSchemaValidator: new AjvJsonSchemaValidator(),
    cacheHints: {
      'tools/list': { ...CACHE, cacheScope: 'private' } as const,
      'prompts/list': CACHE,
      'resources/list': CACHE,
      'resources/templates/list': CACHE,
    },
  };
  const makeServer = (call: ToolCallRequest) => {
    const { toolsets } = call;
    const server = new Server(IDENTITY, { ...options, instructions: instructionsFor(toolsets) });
    server.setRequestHandler('tools/list', () => ({ tools: [] }));
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const tool = tools.get(params.name) ?? unknown(`Unknown tool ${params.name}.`);
      if (!toolsets.has(tool.toolset))
        unknown(`${params.name} is in the toolset ${tool.toolset}. Add it to toolsets in the server's URL.`);
      return callTool(tool, (params.arguments ?? {}) as Arguments, call, mcpReq.signal, deps);
    });
    server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
      const text = textAt(uri);
      if (text !== undefined) return { contents: [{ uri, mimeType: 'text/markdown', text }] };
      const coverage = tools.get('get_coverage');
      const args = coverageAt(uri);
      if (coverage === undefined || args === undefined) throw resourceNotFound(uri);
      const { content, isError } = await callTool(coverage, args, call, mcpReq.signal, deps);
      const [first] = content;
      const envelope = first?.type === 'text' ? first.text : '';
      if (isError) return refuse(uri, envelope);
      return { contents: [{ uri, mimeType: 'text/plain', text: envelope }] };
    });
    server.setRequestHandler('prompts/list', () => ({ prompts: promptsIn(toolsets) }));
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }) => {
      const prompt = promptOf(name, args) ?? unknown(`Unknown prompt ${name}.`);
      return 'missing' in prompt
        ? unknown(`The prompt ${name} requires the argument ${prompt.missing}.`)
        : prompt;
    });
    return server;
  };
  const withTools = (answer: string, { caller, toolsets }: ToolCallRequest) => {
    const canUse = ({ definition: { annotations }, toolset }: Tool) =>
      toolsets.has(toolset) && (annotations.readOnlyHint || !onlyReads(caller));
    const json = listed.filter(canUse).map(tool => tool.json);
    return answer.replace('"tools":[]', () => `"tools":[${json.join()}]`);
  };
  return { makeServer, withTools };
}

const resourceNotFound = (uri: string) => new ResourceNotFoundError(uri, `Resource ${uri} not found.`);

function refuse(uri: string, envelope: string): never {
  const { error } = JSON.parse(envelope) as { error: { code: string; message: string } };
  if (error.code === 'not_found') throw resourceNotFound(uri);
  return unknown(`${uri}: ${error.message} (${error.code})`);
}

function unknown(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
