import { type Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request to send. */
export type Shot = {
  /** The route it targets, for the report. */
  route: string;
  /** Who sends it: a client with an API key, a signed-in browser, or an anonymous client. */
  as: 'key' | 'session' | 'nobody';
  method: string;
  /** Path and query as sent, in printable ASCII. */
  target: string;
  headers?: Record<string, string>;
  body?: string | undefined;
};

export type Answer = { status: number; headers: Headers; text: string };

/** No response takes this long, no matter how busy the machine is. */
const HANGING_MS = 120_000;

/**
 * Sends the target unchanged, because fetch would normalize the path.
 * @throws Error if there is no response or the connection breaks
 */
export function send(
  url: string,
  shot: Shot,
  headers: Record<string, string>,
  agent: Agent,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const { method, target, body } = shot;
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = request(
      { hostname, port, method, path: target, headers: { ...headers, ...length }, agent },
      answer => {
        const head = { status: answer.statusCode!, headers: headersOf(answer.rawHeaders) };
        // Event streams for boards and exports stay open as long as a client listens.
        if (head.status === 200 && /^\/(deals|exports)\/events/.test(target)) {
          answer.destroy();
          resolve({ ...head, text: '' });
          return;
        }
        const chunks: Buffer[] = [];
        answer.on('data', chunk => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () =>
          resolve({ ...head, text: decoded(Buffer.concat(chunks), head.headers.get('content-encoding')) }),
        );
      },
    );
    sent.setTimeout(HANGING_MS, () => sent.destroy(new Error(`no answer within ${HANGING_MS / 1_000} s`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  return headers;
}

function decoded(bytes: Buffer, encoding: string | null): string {
  if (bytes.length === 0) return '';
  const plain =
    encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
  return plain.toString();
}
