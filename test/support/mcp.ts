import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll } from 'vitest';
import { ERROR_STATUSES } from '../../api/http/errors.ts';
import type { TestApi } from './api.ts';

/** The protocol's two versions, as the SDK's client asks for them. */
export const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
export type Version = (typeof VERSIONS)[number];

/** The SDK's own client, connected with a key; closed when the file is done. */
export async function connect(
  api: Pick<TestApi, 'url'>,
  key: string,
  version: Version = '2026-07-28',
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    version === '2026-07-28' ? { versionNegotiation: { mode: { pin: version } } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  afterAll(() => client.close());
  return client;
}

export type Result = {
  text: string;
  structured: Record<string, unknown> | undefined;
  isError: boolean;
  tokens: unknown;
  left: unknown;
};

/** A tool's answer in short. */
export async function call(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<Result> {
  const result = await client.callTool({ name, arguments: given });
  const [first] = result.content as { type: string; text: string }[];
  return {
    text: first?.text ?? '',
    structured: result.structuredContent as Record<string, unknown> | undefined,
    isError: result.isError === true,
    tokens: result._meta?.['plat/tokens_used'],
    left: result._meta?.['plat/tokens_left'],
  };
}

/** How a call may come. */
export const WAYS = ['rest', 'mcp'] as const;
export type Way = (typeof WAYS)[number];

export const MCP_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

export const toolCall = (name: string, given: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: given },
});

/** The body of an answer of `POST /mcp`, which is JSON or the one event of a stream. */
export const messageIn = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);

/** A tool called without a client, with its answer as REST would have put it. */
export async function askTool(
  url: string,
  key: string,
  [name, given]: [name: string, given?: object],
  init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<{ status: number; tokens: number; json: unknown }> {
  const response = await fetch(`${url}/mcp`, {
    ...{ method: 'POST', signal: init.signal ?? null, body: JSON.stringify(toolCall(name, given)) },
    headers: { ...MCP_HEADERS, Authorization: `Bearer ${key}`, ...init.headers },
  });
  const tokens = Number(response.headers.get('x-tokens-used'));
  const text = await response.text();
  if (response.status !== 200) return { status: response.status, tokens, json: JSON.parse(text) };
  const { result } = messageIn(text);
  if (!result.isError) return { status: 200, tokens, json: result.structuredContent };
  const json = JSON.parse(result.content[0].text);
  // An internal error's status is not told; these tests make the database unreachable.
  const statuses = ERROR_STATUSES[json.error.code as keyof typeof ERROR_STATUSES];
  return { status: statuses.at(-1)!, tokens, json };
}
