import { ERROR_STATUSES } from '../../shared/platform/errors.ts';

/** The transports for a call. */
export const TRANSPORTS = ['rest', 'mcp'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export const MCP_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

export const toolCall = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** The message in a response from `POST /mcp`: the JSON body, or a stream's only event. */
export const messageIn = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);

/** Calls a tool without an MCP client, and returns the result in the form of a REST response. */
export async function askTool(
  url: string,
  key: string,
  [name, given]: [name: string, given?: object],
  init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<{ status: number; tokens: number; json: unknown }> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    signal: init.signal ?? null,
    body: JSON.stringify(toolCall(name, given)),
    headers: { ...MCP_HEADERS, Authorization: `Bearer ${key}`, ...init.headers },
  });
  const tokens = Number(response.headers.get('x-tokens-used'));
  const text = await response.text();
  if (response.status !== 200) return { status: response.status, tokens, json: JSON.parse(text) };
  const { result } = messageIn(text);
  if (!result.isError) return { status: 200, tokens, json: result.structuredContent };
  const json = JSON.parse(result.content[0].text);
  // Internal errors don't reveal their status. In these tests, the cause is always an unreachable database.
  const code = json.error.code as keyof typeof ERROR_STATUSES;
  return { status: code === 'internal_error' ? 503 : ERROR_STATUSES[code][0], tokens, json };
}
