import { isIPv6 } from 'node:net';

/**
 * The key under which calls from an address are counted. For IPv6, this is the /64 network, because a client
 * can use any address in it (RFC 6177).
 */
export function clientNetwork(address: string): string {
  const [plain] = address.split('%') as [string];
  if (!isIPv6(plain)) return plain;
  const { hostname } = new URL(`http://[${plain}]`);
  const [head, tail] = hostname.slice(1, -1).split('::') as [string, string?];
  const [first, last] = [head, tail ?? ''].map(part => part.split(':').filter(Boolean)) as [
    string[],
    string[],
  ];
  // An IPv4 client on a dual-stack socket.
  if (first.length === 0 && last.length === 3 && last[0] === 'ffff') return last.join(':');
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
