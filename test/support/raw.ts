import { connect } from 'node:net';

/**
 * Sends bytes, which no client would for us, and returns everything that comes until the server
 * closes the connection.
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
    // What we still send after the end may be answered with a reset.
    socket.on('error', error => (text === '' ? reject(error) : resolve(text)));
  });
}

export type RawReply = { status: number; head: string; body: string };

/** A request to a host of its own choice; an object is the body as a form. */
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
