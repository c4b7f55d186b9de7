import { READ_SCOPE } from '../../shared/accounts/tiers.ts';

// Where the authorization server of assistants is, and what it grants.
/** All tools: what an assistant gets that names no scope. */
export const SCOPE = 'api:mcp';

export const GRANTED_SCOPES = [SCOPE, READ_SCOPE] as const;

/** The one of these that a request's scopes come to. */
export const grantedScope = (requested: readonly string[]): (typeof GRANTED_SCOPES)[number] =>
  requested.includes(READ_SCOPE) && !requested.includes(SCOPE) ? READ_SCOPE : SCOPE;

export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  consent: '/oauth/consent/:uid',
};

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
export const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/** RFC 9728: where a client that is refused learns how to be let in. */
export const metadataOf = (origin: string) => `${origin}${RESOURCE_METADATA}/mcp`;
