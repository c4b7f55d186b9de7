import { READ_SCOPE } from '../../shared/accounts/tiers.ts';

// Paths and scopes for the assistants' authorization server.
/** Allows all tools. Assistants that don't request a scope get this one. */
export const SCOPE = 'api:mcp';

export const GRANTED_SCOPES = [SCOPE, READ_SCOPE] as const;

/** The scope to grant for the requested scopes. */
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

/** RFC 9728 metadata, which shows a refused client how to authorize. */
export const metadataOf = (origin: string) => `${origin}${RESOURCE_METADATA}/mcp`;
