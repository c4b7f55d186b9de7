import type { Request, RequestHandler, Response } from 'express';
import { MAP_SCOPE } from '../../shared/accounts/tiers.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Caller, Callers } from '../http/callers.ts';
import { answerOptions, corsHeaders } from '../http/cors.ts';
import { undefinedIfRefused } from '../http/error-responses.ts';
import { exchangeOf } from '../http/exchange.ts';
import { authorizationOf } from './basic-password.ts';

/**
 * Tiles and what describes them also accept a map key in the URL, because map libraries and desktop programs
 * request tiles by URL. @throws PlatError `unauthorized`, `forbidden`
 */
export async function identifyForMap(req: Request, res: Response, callers: Callers): Promise<Caller> {
  const { token } = req.query;
  const caller = await (token === undefined
    ? callers.identify(authorizationOf(req), 'direct')
    : callers.identifyToken(token));
  if (caller.origins !== undefined) requireOrigin(req, res, caller.origins);
  else if (token !== undefined)
    throw new PlatError(
      'forbidden',
      `Only map keys work in a URL, because others can read it. Create a key with the scope ${MAP_SCOPE}.`,
    );
  return caller;
}

/** Also lets pages of the website read the responses. @throws PlatError `forbidden` */
function requireOrigin(req: Request, res: Response, allowed: readonly string[]): void {
  const origin = originOf(req);
  if (allowed.length === 0 && origin === undefined) return;
  if (origin === undefined || !allowed.includes(origin)) {
    const from =
      origin === undefined ? 'without an Origin or Referer header' : `from ${origin.slice(0, 200)}`;
    throw new PlatError(
      'forbidden',
      `This map key doesn't allow requests ${from}. Its owner can allow a website on /account.`,
    );
  }
  if (req.headers.origin !== undefined) exchangeOf(res).cors = corsHeaders(allowed, req.headers.origin);
}

/** The website that sent the request. Undefined for programs outside of browsers. */
function originOf({ headers: { origin, referer } }: Request): string | undefined {
  if (origin !== undefined) return origin;
  if (referer === undefined) return undefined;
  return URL.canParse(referer) ? new URL(referer).origin : 'null';
}

/** Responds to preflight requests from the websites of a map key. */
export function answerMapOptions(methods: readonly string[], callers: Callers): RequestHandler {
  const answer = answerOptions(methods);
  return async (req, res, next) => {
    if (req.query.token !== undefined) await identifyForMap(req, res, callers).catch(undefinedIfRefused);
    return answer(req, res, next);
  };
}
