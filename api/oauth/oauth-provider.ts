import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { Db } from '../../shared/platform/db.ts';
import { readAccount } from '../http/callers.ts';
import type { CursorSecret } from '../http/cursor.ts';
import { textFaults } from '../http/text.ts';
import { fetchClientDocument, requireSafeMetadata } from './client-metadata.ts';
import { GRANTED_SCOPES, grantedScope, PATHS } from './oauth-paths.ts';
import { openStore } from './oauth-store.ts';

/**
 * In seconds. A stolen access token works for up to an hour. An assistant that is unused for 60 days must be
 * authorized again.
 */
const HOUR = 3_600;
const TTL = {
  AccessToken: HOUR,
  AuthorizationCode: 60,
  Grant: 365 * 24 * HOUR,
  Interaction: HOUR,
  RefreshToken: 60 * 24 * HOUR,
  Session: HOUR,
};

/** Ways to authenticate with a secret. The first one is the default of OAuth. */
const SECRETS = ['client_secret_basic', 'client_secret_post'];

const OFFLINE = 'offline_access';
const SCOPES: string[] = [...GRANTED_SCOPES, OFFLINE];

/** The library requires a key, but it isn't used, because tokens are opaque and there are no ID tokens. */
const UNUSED_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

/** Whether the sender of a request may make Plat fetch another client description. */
type MayFetch = (req: IncomingMessage) => Promise<boolean>;

/**
 * The authorization server at this origin (OAuth 2.1: PKCE S256, public clients, opaque tokens for `/mcp`).
 */
export async function makeProvider(
  origin: string,
  db: Db,
  secret: CursorSecret,
  mayFetch: MayFetch,
): Promise<Provider> {
  const provider = new Provider(origin, {
    ...commonSettings(),
    adapter: openStore(db),
    cookies: await cookiesOf(secret),
    features: featuresOf(`${origin}/mcp`, mayFetch),
    async findAccount(_ctx, accountId) {
      const account = await readAccount(db, accountId);
      return account && { accountId, claims: () => ({ sub: accountId }) };
    },
  });
  // The router has already derived the public addresses from trusted proxies.
  provider.proxy = true;
  provider.use(publishScopes);
  provider.use(nameFaultyField);
  return provider;
}

/** Settings shared by all installations. */
function commonSettings(): Configuration {
  return {
    clientAuthMethods: ['none'],
    // Native clients can redirect to https, localhost, or an app, as OAuth 2.1 allows.
    clientDefaults: {
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    clientBasedCORS: () => true,
    extraParams: { scope: requireKnownScopes },
    // Only client descriptions are fetched. Metadata that has other URLs to fetch is rejected.
    fetch: (address, init) => fetchClientDocument(String(address), init!.signal!),
    sectorIdentifierUriValidate: () => false,
    expiresWithSession: () => false,
    interactions: {
      url: (_ctx, { uid }) => PATHS.consent.replace(':uid', uid),
      policy: alwaysAsked(),
    },
    issueRefreshToken: () => true,
    jwks: { keys: [UNUSED_KEY as never] },
    pkce: { required: () => true },
    renderError(ctx, { error, error_description }) {
      ctx.type = 'text/plain';
      ctx.body = `Plat could not connect the assistant (${error}): ${error_description ?? 'start again in the assistant'}.`;
    },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    routes: {
      authorization: PATHS.authorization,
      token: PATHS.token,
      registration: PATHS.registration,
      revocation: PATHS.revocation,
      jwks: PATHS.jwks,
    },
    scopes: SCOPES,
    ttl: TTL,
  };
}

async function cookiesOf(secret: CursorSecret): Promise<Configuration['cookies']> {
  const key = createHmac('sha256', await secret())
    .update('oauth cookies')
    .digest('base64url');
  return {
    keys: [key],
    names: { session: 'plat_oauth', interaction: 'plat_oauth_step', resume: 'plat_oauth_resume' },
    long: { httpOnly: true, sameSite: 'lax', signed: true },
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  };
}

/**
 * The library calls this after it has checked the request. Clients that don't request a scope get the default
 * one. offline_access alone doesn't grant any tools.
 */
function requireKnownScopes({ oidc }: KoaContextWithOIDC, value: string | undefined): void {
  const requested = value?.split(' ') ?? [];
  const unknown = requested.find(scope => !SCOPES.includes(scope));
  if (unknown !== undefined)
    throw new errors.InvalidScope(`scope must be one of ${SCOPES.join(', ')}`, unknown);
  oidc.params!.scope = [
    grantedScope(requested),
    ...requested.filter(scope => scope === OFFLINE).slice(0, 1),
  ].join(' ');
}

function featuresOf(resource: string, mayFetch: MayFetch): Configuration['features'] {
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      // The consent page loads a client outside of protocol requests. Fetching is allowed there, because a
      // user is waiting.
      allowFetch: async ctx => ctx === undefined || (await mayFetch(ctx.req)),
      allowClient(_ctx, client) {
        requireSafeMetadata(client.metadata());
        return true;
      },
      // In seconds. Assistants refresh their tokens every hour.
      cacheDuration: { min: 300, max: 24 * HOUR },
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      // Called before the library checks the request.
      idFactory({ oidc }) {
        const metadata = oidc.body ?? {};
        requireSafeMetadata(metadata);
        // All clients are public. The examples of the MCP SDKs request a secret, but don't need it (RFC 7591,
        // section 3.2.1, lets a server replace this value).
        if (SECRETS.includes(String(metadata.token_endpoint_auth_method ?? SECRETS[0])))
          metadata.token_endpoint_auth_method = 'none';
        return randomUUID();
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo(_ctx, requested) {
        if (requested !== resource) throw new errors.InvalidTarget();
        return {
          scope: GRANTED_SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: HOUR,
        };
      },
    },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  };
}

/** The library always publishes `openid` too. Clients that request all published scopes would be refused. */
async function publishScopes(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'discovery') Object.assign(ctx.body as object, { scopes_supported: SCOPES });
}

/** The library reports a code that contains a NUL as unknown. This error names the invalid field instead. */
async function nameFaultyField(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const [fault] = Object.entries(textFaults(Object.entries(ctx.oidc?.body ?? {})) ?? {});
  if (fault === undefined || ctx.status < 400 || typeof ctx.body !== 'object') return;
  ctx.status = 400;
  ctx.body = { error: 'invalid_request', error_description: fault.join(' ') };
}

/** Asks the user every time, because the authorization server's session doesn't grant access. */
function alwaysAsked(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  policy
    .get('login')!
    .checks.add(
      new Check('each_time', 'the user must consent each time', ctx =>
        ctx.oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}
