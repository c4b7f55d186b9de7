import { BlockList, isIP } from 'node:net';
import type { Config } from './config.ts';

type Settings = Pick<Config, 'HOST' | 'BASE_URL' | 'APP_URL' | 'ALLOWED_HOSTS'>;

/**
 * Protocol and host of a request, as Express reports them. Forwarded headers count only if they come from
 * trusted proxies.
 */
type AddressedRequest = { host: string | undefined; protocol: string };

/** The hosts and URLs of the service. Every absolute URL that it returns starts with one of these. */
export type Origins = {
  /** Whether a Host header, with or without a port, is one of the service's own hosts. */
  isOwnHost(host: string): boolean;
  /**
   * Whether Plat accepts requests for this host. If no setting names the service's hosts, Plat accepts all
   * hosts.
   */
  answersTo(host: string): boolean;
  /** The API's URL, for links to more pages. Empty if links are relative. */
  apiUrl(req: AddressedRequest): string;
  /**
   * The web app's URL, for emails, OAuth, and links to the app. Never taken from a request. Empty if not set,
   * in which case links are relative, and emails and OAuth are off.
   */
  appUrl(): string;
  /** Whether the browser that sent the request sees this origin as one of ours. */
  isOwnOrigin(origin: string, req: AddressedRequest): boolean;
  /** Whether to restrict cookies to https. */
  isSecure(req: AddressedRequest): boolean;
};

const NAMES = ['localhost', '127.0.0.1', '[::1]'];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** @param host a name or an address, with or without brackets */
export function isLoopback(host: string): boolean {
  if (NAMES.includes(host)) return true;
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** The normalized name of a Host header. Names can end with a dot and use any case. */
const nameOf = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

/** The URL for programs on this machine. If the host means all addresses, this uses loopback. */
export function localUrl(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${bracketed(reached)}${port === 80 ? '' : `:${port}`}`;
}

/** The web app's URL according to the settings, for use outside of requests. Empty if not set. */
export function appUrlOf({ APP_URL, BASE_URL, HOST }: Settings, port: number): string {
  return APP_URL ?? apiUrlOf({ BASE_URL, HOST }, port);
}

/** The API's URL according to the settings, for use outside of requests. Empty if not set. */
export function apiUrlOf({ BASE_URL, HOST }: Pick<Settings, 'BASE_URL' | 'HOST'>, port: number): string {
  return BASE_URL ?? (isLoopback(HOST) ? localUrl(HOST, port) : '');
}

/** @param service has the port once the service is listening */
export function openOrigins(config: Settings, service: { port?: number }): Origins {
  const { BASE_URL, APP_URL, ALLOWED_HOSTS, HOST } = config;
  const baseUrls = [BASE_URL, APP_URL].flatMap(url => (url === undefined ? [] : new URL(url)));
  const allowed = ALLOWED_HOSTS.split(',').map(entry => nameOf(bracketed(entry.trim())));
  const ownHosts = new Set([...NAMES, ...baseUrls.map(url => nameOf(url.host)), ...allowed.filter(Boolean)]);
  const isLocal = isLoopback(HOST);
  const knowsHosts = isLocal || baseUrls.length > 0 || ownHosts.size > NAMES.length;

  const isOwnHost = (host: string) => ownHosts.has(nameOf(host)) || isLoopback(nameOf(host));
  const appUrl = () => appUrlOf(config, service.port ?? 0);
  return {
    isOwnHost,
    answersTo: host => !knowsHosts || isOwnHost(host),
    apiUrl(req) {
      if (BASE_URL !== undefined) return BASE_URL;
      if (!knowsHosts) return '';
      return req.host ? `${req.protocol}://${req.host}` : appUrl();
    },
    appUrl,
    isOwnOrigin: (origin, { protocol, host }) =>
      baseUrls.some(url => url.origin === origin) ||
      (host !== undefined && URL.canParse(origin) && new URL(`${protocol}://${host}`).origin === origin),
    isSecure: ({ protocol }) => protocol === 'https' || baseUrls.some(url => url.protocol === 'https:'),
  };
}

/** Describes features that are off because HOST is not loopback and a setting is missing. */
export function missingSettings(config: Settings & Pick<Config, 'METRICS_TOKEN'>): string[] {
  const { HOST, BASE_URL, APP_URL, ALLOWED_HOSTS, METRICS_TOKEN } = config;
  if (isLoopback(HOST)) return [];
  const missing = [];
  if (BASE_URL === undefined && APP_URL === undefined) {
    const hosts = ALLOWED_HOSTS === '' ? ' Plat accepts requests for any host.' : '';
    missing.push(
      `Plat listens on ${HOST}, but BASE_URL is not set. Links to the app are relative, Plat sends no email, and assistants can't sign in (OAuth).${hosts} Set BASE_URL to its URL.`,
    );
  }
  if (METRICS_TOKEN === undefined)
    missing.push(`Plat listens on ${HOST}, but METRICS_TOKEN is not set, so /metrics is off.`);
  return missing;
}
