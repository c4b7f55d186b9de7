import { errors } from 'oidc-provider';
import { fetchPublic } from '../../shared/platform/http/guarded-fetch.ts';

/**
 * Limits on stored client metadata. They are needed because anyone can register a client or publish a
 * description.
 */
const MAX_METADATA_CHARS = 8_000;
const MAX_REDIRECTS = 10;

/**
 * Metadata URLs that an authorization server calls (OpenID Connect Core, Registration, Back-Channel Logout,
 * CIBA).
 */
const FETCHED = [
  'sector_identifier_uri',
  'jwks_uri',
  'request_uris',
  'backchannel_logout_uri',
  'backchannel_client_notification_endpoint',
];

/** Checks a client's metadata before it is used. @throws an error that registration returns as 400 */
export function requireSafeMetadata(metadata: Readonly<Record<string, unknown>>): void {
  const fetched = FETCHED.find(name => metadata[name] !== undefined);
  if (fetched !== undefined)
    throw new errors.InvalidClientMetadata(
      `${fetched} is not supported, because Plat calls no URLs that clients name`,
    );
  const redirects: unknown[] = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  if (redirects.length > MAX_REDIRECTS || JSON.stringify(metadata).length > MAX_METADATA_CHARS)
    throw new errors.InvalidClientMetadata(
      `metadata can have up to ${MAX_REDIRECTS} redirect_uris and ${MAX_METADATA_CHARS} characters`,
    );
  for (const address of redirects) {
    const fault = redirectFault(address);
    // The library turns errors whose description starts with redirect_uris into invalid_redirect_uri.
    if (fault !== undefined) throw new errors.InvalidClientMetadata(`redirect_uris ${fault}`);
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A reversed domain name, which only the domain's owner uses:
 * https://www.rfc-editor.org/rfc/rfc8252#section-7.1
 */
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

function redirectFault(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return 'must be URLs';
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  if (address.includes('#')) return 'must not contain a fragment';
  if (protocol === 'https:' || PRIVATE_USE_SCHEME.test(protocol)) return undefined;
  if (protocol === 'http:')
    return LOOPBACK.has(hostname) ? undefined : 'must use https, except for localhost';
  return "must use https, http for localhost, or an app's own scheme with a reversed domain name (com.example.app:)";
}

/**
 * Fetches a Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document). The client's id is
 * its URL, which anyone can choose. The library limits the time and length.
 * @throws fetch's own errors, or PlatError for a URL that isn't public
 */
export function fetchClientDocument(address: string, signal: AbortSignal): Promise<Response> {
  const url = new URL(address);
  if (url.protocol !== 'https:') throw new TypeError('client metadata must be at an https URL');
  return fetchPublic(url, { headers: { accept: 'application/json', 'user-agent': 'plat' }, signal });
}
