import { errors } from 'oidc-provider';
import { fetchPublic } from '../../shared/platform/http/guarded-fetch.ts';

/** What is kept of a client is bounded: anyone may register, and describe a client at an address. */
const MAX_METADATA_CHARS = 8_000;
const MAX_REDIRECTS = 10;

/**
 * Addresses that an authorization server fetches or posts to (OpenID Connect Core, Registration,
 * Back-Channel Logout, CIBA).
 */
const FETCHED = [
  'sector_identifier_uri',
  'jwks_uri',
  'request_uris',
  'backchannel_logout_uri',
  'backchannel_client_notification_endpoint',
];

/** Checks what a client says of itself before it is used. @throws what registration answers with 400 */
export function requireSafeMetadata(metadata: Readonly<Record<string, unknown>>): void {
  const fetched = FETCHED.find(name => metadata[name] !== undefined);
  if (fetched !== undefined)
    throw new errors.InvalidClientMetadata(
      `${fetched} must be left out: nothing is fetched from an address that a client names`,
    );
  const redirects: unknown[] = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  if (redirects.length > MAX_REDIRECTS || JSON.stringify(metadata).length > MAX_METADATA_CHARS)
    throw new errors.InvalidClientMetadata(
      `at most ${MAX_REDIRECTS} redirect_uris and ${MAX_METADATA_CHARS} characters of metadata are kept`,
    );
  for (const address of redirects) {
    const fault = redirectFault(address);
    // The library's error is invalid_redirect_uri where its description begins so.
    if (fault !== undefined) throw new errors.InvalidClientMetadata(`redirect_uris ${fault}`);
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A domain name backwards, which its owner alone uses: https://www.rfc-editor.org/rfc/rfc8252#section-7.1 */
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

function redirectFault(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return 'must be addresses';
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'must hold no user name and no password';
  if (address.includes('#')) return 'must hold no fragment';
  if (protocol === 'https:' || PRIVATE_USE_SCHEME.test(protocol)) return undefined;
  if (protocol === 'http:')
    return LOOPBACK.has(hostname) ? undefined : 'over http must lead to this machine (localhost)';
  return "must be https, http to this machine (localhost), or an app's own scheme that is a domain name backwards (com.example.app:)";
}

/**
 * A Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document): the client's id is its
 * address, which strangers name. The library bounds its time and its length. @throws fetch's own errors,
 * PlatError for what is not public
 */
export function fetchClientDocument(address: string, signal: AbortSignal): Promise<Response> {
  const url = new URL(address);
  if (url.protocol !== 'https:') throw new TypeError('a client is described over https alone');
  return fetchPublic(url, { headers: { accept: 'application/json', 'user-agent': 'plat' }, signal });
}
