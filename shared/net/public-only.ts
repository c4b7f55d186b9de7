import { lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { shownUrl, sourceError } from './context.ts';

/** Loopback, private, link-local, shared and reserved networks (IANA's special-purpose registries, RFC 6890). */
const NOT_PUBLIC = new BlockList();
const NETWORKS =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 ' +
  '224.0.0.0/3 ::/127 64:ff9b::/96 fc00::/7 fe80::/10 ff00::/8';
for (const network of NETWORKS.split(' ')) {
  const [address, prefix] = network.split('/') as [string, string];
  NOT_PUBLIC.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !NOT_PUBLIC.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Connects to public addresses alone: names are judged by what they resolve to at that moment, so that no later answer gets around it. */
const publicOnly = new Agent({
  connect: {
    lookup(hostname, options, done) {
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, '', 4);
        const hidden = addresses.find(({ address }) => !isPublicAddress(address));
        if (hidden) return done(new Error(`${hostname} is an address of a private network`), '', 4);
        if (options.all) return (done as (error: null, all: typeof addresses) => void)(null, addresses);
        const [first] = addresses;
        done(null, first!.address, first!.family);
      });
    },
  },
});

/** fetch to public addresses alone. @throws PlatError `feed_source` for another one that stands in the URL itself; fetch's own errors */
export async function fetchPublic(
  url: URL,
  init: { headers: Record<string, string>; signal: AbortSignal; method?: string; body?: string },
): Promise<Response> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw sourceError(
      `${shownUrl(url)} is an address of a private network, to which no redirect is followed.`,
    );
  }
  return (await undiciFetch(url, {
    ...init,
    redirect: 'manual',
    dispatcher: publicOnly,
  })) as unknown as Response;
}
