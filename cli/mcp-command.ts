import { createInterface } from 'node:readline';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { TOOLSETS } from '../api/mcp/toolsets.ts';
import { loadConfig } from '../shared/platform/config.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { localUrl } from '../shared/platform/origin.ts';
import { readState } from './common/cli-state.ts';

const HELP = `
For clients that start local programs, such as Claude Desktop:
  { "command": "npx", "args": ["plat", "mcp"], "env": { "PLAT_API_KEY": "plat_…" } }
PLAT_URL is the URL of the service (default: the one running in this checkout). The key needs the scope api:mcp:
  plat key create demo --scope api:mcp`;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'run an MCP server on standard input and output; it calls the service at PLAT_URL with PLAT_API_KEY',
    )
    .option('--toolsets <names>', `offer only the tools in these sets: ${TOOLSETS.join(', ')}`)
    .addHelpText('after', HELP)
    .action(({ toolsets }: { toolsets?: string }) => run(endpointOf(serviceUrl(), toolsets), requireKey()));
}

function serviceUrl(): string {
  const { PLAT_URL } = process.env;
  if (PLAT_URL) return PLAT_URL.replace(/\/+$/, '');
  const config = loadConfig();
  return config.BASE_URL ?? readState(config)?.apiUrl ?? localUrl(config.HOST, config.PORT);
}

function endpointOf(url: string, toolsets: string | undefined): string {
  return toolsets === undefined ? `${url}/mcp` : `${url}/mcp?${new URLSearchParams({ toolsets })}`;
}

function requireKey(): string {
  const { PLAT_API_KEY } = process.env;
  if (PLAT_API_KEY) return PLAT_API_KEY;
  throw new PlatError(
    'key_unknown',
    'PLAT_API_KEY is not set. Create a key with `plat key create <account> --scope api:mcp`.',
  );
}

type Message = JSONRPCMessage & {
  id?: string | number;
  method?: string;
  params?: { name?: string; uri?: string; requestId?: string | number; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: string };
};

const VERSION = 'io.modelcontextprotocol/protocolVersion';

type Bridge = {
  url: string;
  key: string;
  /** The protocol version that the client and the service agreed on. */
  negotiated: string | undefined;
  pending: Map<string | number, AbortController>;
};

/**
 * Passes each line to the service, and passes its responses back. After the input ends, waits for the last
 * response.
 */
async function run(url: string, key: string): Promise<void> {
  const bridge: Bridge = { url, key, negotiated: undefined, pending: new Map() };
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin })) {
    const message = parsed(line);
    if (message === undefined)
      write({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } });
    else if (message.method === 'notifications/cancelled')
      bridge.pending.get(message.params?.requestId ?? '')?.abort();
    else {
      const done = pass(bridge, message).finally(() => running.delete(done));
      running.add(done);
    }
  }
  await Promise.all(running);
}

async function pass(bridge: Bridge, message: Message): Promise<void> {
  const { pending } = bridge;
  const call = new AbortController();
  if (message.id !== undefined) pending.set(message.id, call);
  try {
    const answer = await request(bridge, message, call.signal);
    if (message.method === 'initialize') bridge.negotiated = answer?.result?.protocolVersion;
    if (answer !== undefined) write(answer);
  } catch (error) {
    if (!call.signal.aborted && message.id !== undefined) write(failure(bridge.url, message.id, error));
  } finally {
    if (message.id !== undefined) pending.delete(message.id);
  }
}

async function request(
  { url, key, negotiated }: Bridge,
  message: Message,
  signal: AbortSignal,
): Promise<Message | undefined> {
  const { method, params } = message;
  const version = (params?._meta?.[VERSION] as string | undefined) ?? negotiated;
  const named = params?.name ?? params?.uri;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(version !== undefined && { 'MCP-Protocol-Version': version }),
      ...(method !== undefined && { 'Mcp-Method': method }),
      ...(named !== undefined && { 'Mcp-Name': headerOf(named) }),
    },
    body: JSON.stringify(message),
    signal,
  });
  const text = await response.text();
  if (text === '') return undefined;
  // In the older protocol version, the response is an event stream whose last event has the message.
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const answer = JSON.parse(json);
  if ('jsonrpc' in answer) return answer;
  throw new Error(answer.error?.message ?? `HTTP ${response.status}`);
}

function failure(url: string, id: string | number, error: unknown): JSONRPCMessage {
  const { message } = error as Error;
  const instructions =
    error instanceof TypeError ? `Can't reach the service at ${url}. Start it, or set PLAT_URL.` : message;
  return { jsonrpc: '2.0', id, error: { code: -32_000, message: instructions } };
}

function parsed(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The protocol's encoding of text that a header can't contain. */
const headerOf = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
