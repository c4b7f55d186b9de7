import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll } from 'vitest';
import type { TestApi } from './api.ts';

/** Both protocol versions, in the form that the SDK's client requests them. */
export const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
export type Version = (typeof VERSIONS)[number];

/** The SDK's client, connected with a key and closed at the end of the test file. */
export async function connect(
  api: Pick<TestApi, 'url'>,
  key: string,
  version: Version = '2026-07-28',
  query = '',
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    version === '2026-07-28' ? { versionNegotiation: { mode: { pin: version } } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp${query}`), {
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

/** Calls a tool and returns a summary of the result. */
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
