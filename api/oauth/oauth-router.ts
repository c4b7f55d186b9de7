import { type Request, type RequestHandler, type Response, Router } from 'express';
import type Provider from 'oidc-provider';
import { uuidV5 } from '../../shared/model/uuid.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Origins } from '../../shared/platform/origin.ts';
import { clientNetwork } from '../http/client-network.ts';
import type { CursorSecret } from '../http/cursor.ts';
import { JSON_TYPE, methodNotAllowed, notFound, sendError } from '../http/error-responses.ts';
import { exchangeOf, respond } from '../http/exchange.ts';
import { type RateLimits, type RateState, requireAdmitted } from '../http/rate-limits.ts';
import { GRANTED_SCOPES, PATHS, RESOURCE_METADATA, SERVER_METADATA } from './oauth-paths.ts';

export type OAuthDeps = {
  db: Db;
  cursorSecret: CursorSecret;
  rateLimits: RateLimits;
  origins: Origins;
};

export type OAuth = {
  router: Router;
  /** The authorization server for a request. */
  providerFor(req: Request): Promise<Provider>;
};

/** Sets the public address in the headers that the library reads. */
function forward(req: Request, { issuer }: Provider): void {
  const { protocol, host } = new URL(issuer);
  Object.assign(req.headers, { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
}

/** Limits per network for registrations and for fetched descriptions: 20 at once, then 2 per minute. */
const CLIENTS = { ratePerMinute: 2, rateBurst: 20, skipTracePerMinute: 1 };

export function openOAuth(deps: OAuthDeps): OAuth {
  const providerFor = providerOpener(deps);
  const through = (path?: string) => passTo(providerFor, path);
  const counted: RequestHandler = (req, res, next) => {
    admitNetwork(deps, 'register', req)
      .then(requireAdmitted)
      .then(
        () => next(),
        error => sendError(res, error),
      );
  };
  const router = Router({ caseSensitive: true });
  router
    .route([RESOURCE_METADATA, `${RESOURCE_METADATA}/mcp`])
    .get((_req, res) => sendMetadata(deps, res))
    .all(methodNotAllowed('GET'));
  router.get(
    [SERVER_METADATA, '/.well-known/openid-configuration'],
    through('/.well-known/openid-configuration'),
  );
  router.post(PATHS.registration, counted, through());
  router.all([PATHS.registration, PATHS.token, PATHS.revocation], through());
  router.get([PATHS.authorization, `${PATHS.authorization}/:uid`], through());
  router.post(PATHS.authorization, through());
  return { router, providerFor };
}

/** Opens the authorization server once. The library is loaded when the first assistant connects. */
function providerOpener(deps: OAuthDeps): OAuth['providerFor'] {
  let provider: Promise<Provider> | undefined;
  const open = async (issuer: string) => {
    const { makeProvider } = await import('./oauth-provider.ts');
    return makeProvider(issuer, deps.db, deps.cursorSecret, async req => {
      const { admitted } = await admitNetwork(deps, 'document', req as Request);
      return admitted;
    });
  };
  return async req => {
    provider ??= open(issuerOf(deps)).catch(error => {
      provider = undefined;
      throw error;
    });
    const opened = await provider;
    forward(req, opened);
    return opened;
  };
}

/** @throws PlatError `not_found` if the service doesn't know its own address */
function issuerOf({ origins }: OAuthDeps): string {
  const appUrl = origins.appUrl();
  if (appUrl === '')
    throw notFound('Assistants cannot connect until the operator of this service sets BASE_URL.');
  return new URL(appUrl).origin;
}

/** @param path replaces the path of the request */
function passTo(providerFor: OAuth['providerFor'], path: string | undefined): RequestHandler {
  return (req, res) => {
    exchangeOf(res).route = req.path.startsWith(PATHS.authorization) ? PATHS.authorization : req.path;
    providerFor(req)
      .then(provider => {
        if (path !== undefined) req.url = path;
        // The library misreads request targets in absolute form.
        req.originalUrl = req.url;
        return provider.callback()(req, res);
      })
      .catch(error => sendError(res, error));
  };
}

function admitNetwork(
  { rateLimits }: OAuthDeps,
  what: 'register' | 'document',
  req: Request,
): Promise<RateState> {
  return rateLimits.admit({ id: uuidV5(`${what}:${clientNetwork(req.ip ?? '')}`), ...CLIENTS });
}

function sendMetadata(deps: OAuthDeps, res: Response): void {
  exchangeOf(res).route = RESOURCE_METADATA;
  const issuer = issuerOf(deps);
  const body = {
    resource: `${issuer}/mcp`,
    resource_name: 'Plat',
    authorization_servers: [issuer],
    scopes_supported: GRANTED_SCOPES,
    bearer_methods_supported: ['header'],
    resource_documentation: `${issuer}/docs`,
  };
  respond(res, 200, ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'], JSON.stringify(body));
}
