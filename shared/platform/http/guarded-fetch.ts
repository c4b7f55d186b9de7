import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { isPublicAddress } from './addresses.ts';
import { redactUrl, sourceError } from './download-context.ts';
import { guardedConnect } from './guarded-connect.ts';

export type FetchInit = {
  headers: Record<string, string>;
  signal: AbortSignal;
  method?: string;
  body?: string;
};

type Network = 'public' | 'private';

export type FetchResult = { response: Response; network: Network };

/** Thrown if a host has no address in the allowed network. */
export class OtherNetworkError extends Error {}

const networkOf = (address: string): Network => (isPublicAddress(address) ? 'public' : 'private');

/**
 * Resolves names for connections within one network only. Connections use the addresses checked here, so that
 * a later DNS response can't bypass the check.
 */
export function lookupWithin(network: Network): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 4);
      const within = addresses.filter(({ address }) => networkOf(address) === network);
      const [first] = within;
      if (first === undefined)
        return done(new OtherNetworkError(`${hostname} has no address in the ${network} network`), '', 4);
      if (options.all) return done(null, within);
      done(null, first.address, first.family);
    });
  };
}

const agentFor = (network: Network): Agent =>
  new Agent({ connect: guardedConnect({ lookup: lookupWithin(network) }) });

const agents: Record<Network, Agent> = { public: agentFor('public'), private: agentFor('private') };

/** @returns null if the host is in the other network */
async function fetchWithin(network: Network, url: URL, init: FetchInit): Promise<Response | null> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Check IP addresses here, because they skip the lookup.
  if (isIP(host) !== 0 && networkOf(host) !== network) return null;
  try {
    const response = await undiciFetch(url, { ...init, redirect: 'manual', dispatcher: agents[network] });
    return response as unknown as Response;
  } catch (error) {
    if (error instanceof Error && error.cause instanceof OtherNetworkError) return null;
    throw error;
  }
}

/**
 * Fetches without following redirects, from public addresses only. @throws PlatError `feed_source` for a host
 * in a private network; fetch's errors
 */
export async function fetchPublic(url: URL, init: FetchInit): Promise<Response> {
  const response = await fetchWithin('public', url, init);
  if (response !== null) return response;
  throw sourceError(
    `${redactUrl(url)} is in a private network. Plat does not follow redirects there from a public address. If you trust it, set it as the feed's source.`,
  );
}

/**
 * Fetches an operator's URL from any network, without following redirects. Also returns the network. @throws
 * like fetch
 */
export async function fetchAnyNetwork(url: URL, init: FetchInit): Promise<FetchResult> {
  const open = await fetchWithin('public', url, init);
  if (open !== null) return { response: open, network: 'public' };
  const inside = await fetchWithin('private', url, init);
  if (inside !== null) return { response: inside, network: 'private' };
  throw sourceError(`${redactUrl(url)} changed its IP address during the request.`, { retryable: true });
}
