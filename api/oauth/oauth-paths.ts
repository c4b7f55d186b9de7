/** Where the authorization server of assistants is, and what it gives. */

/** What an assistant may be given. */
export const SCOPE = 'api:mcp';

export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  /** A page of the web app. */
  consent: '/oauth/consent/:uid',
};

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
export const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/** RFC 9728: where a client that is refused learns how to be let in. */
export const metadataOf = (origin: string) => `${origin}${RESOURCE_METADATA}/mcp`;
