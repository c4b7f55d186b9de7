import { connect } from 'node:net';

/**
 * Sends raw bytes that no HTTP client would send, and returns everything received until the server closes the
 * connection.
 */
export function sendRaw(url: string, request: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    // The server may reset the connection if we send more after the end.
    socket.on('error', error => (text === '' ? reject(error) : resolve(text)));
  });
}

export type RawReply = { status: number; head: string; body: string };

/** A request with a given Host header. `form` becomes a form-encoded body. */
export async function askHost(
  url: string,
  host: string,
  target: string,
  { headers = {}, form }: { headers?: Record<string, string>; form?: Record<string, string> } = {},
): Promise<RawReply> {
  const sent = form === undefined ? '' : new URLSearchParams(form).toString();
  const all = {
    Host: host,
    Connection: 'close',
    'Accept-Encoding': 'identity',
    ...(form && {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(sent.length),
    }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `${form === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${sent}`;
  const text = await sendRaw(url, request);
  const end = text.indexOf('\r\n\r\n');
  return {
    status: Number(text.slice(9, 12)),
    head: text.slice(0, end),
    body: text.slice(end + 4),
  };
}
