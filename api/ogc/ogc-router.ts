import { type Request, type RequestHandler, type Response, Router } from 'express';
import { PlatError } from '../../shared/platform/errors.ts';
import { compressed } from '../http/compression.ts';
import { answerOptions } from '../http/cors.ts';
import { faultOf, JSON_TYPE, notFound, validationError } from '../http/error-responses.ts';
import { exchangeOf, respond } from '../http/exchange.ts';
import { type Door, handlerFor, type RestDeps } from '../http/rest.ts';
import { authorizationOf } from './basic-password.ts';
import type { Collection } from './collection-parts.ts';
import { findCollection, readCollections } from './collections.ts';
import { format } from './items-query.ts';
import { answerMapOptions, identifyForMap } from './map-door.ts';
import { JSON_SCHEMA, OPENAPI } from './media-types.ts';
import {
  collectionList,
  collectionPage,
  conformance,
  landingPage,
  queryablesPage,
  schemaPage,
} from './ogc-documents.ts';
import { ogcEndpoints } from './ogc-endpoints.ts';
import { ogcOpenApi } from './ogc-openapi.ts';
import { tileMatrixSet, tilesetList, tilesetPage } from './tile-documents.ts';
import { tileEndpoints } from './tile-endpoints.ts';

const ROOT = '/ogc';
const READS = ['GET', 'HEAD'];

const CHALLENGE = 'Bearer, Basic realm="Plat: use an API key as the password", charset="UTF-8"';

/** Errors as in the standard: a code and a description. */
function sendOgcError(res: Response, error: unknown): void {
  const fault = faultOf(res, error);
  if (fault === undefined) return;
  const { code, message, details, status } = fault;
  const headers = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'];
  const own = status === 401 ? { ...fault.headers, 'WWW-Authenticate': CHALLENGE } : fault.headers;
  headers.push(...Object.entries(own).flat());
  const request_id = exchangeOf(res).requestId;
  const why = Object.entries(details ?? {}).map(([name, reasons]) => `${name} ${reasons.join('; ')}`);
  const description = why.length > 0 ? `Rejected: ${why.join('. ')}.` : message;
  const body = JSON.stringify({ code, description, request_id, ...(details && { details }) });
  respond(res, status, headers, body);
}

const DOOR: Door = {
  identify: (req, _res, callers) => callers.identify(authorizationOf(req), 'direct'),
  sendError: sendOgcError,
};

const MAP_DOOR: Door = { identify: identifyForMap, sendError: sendOgcError };

/** OGC API - Features and Tiles, for GIS programs and maps. */
export function ogcRouter(deps: RestDeps): Router {
  const router = Router({ caseSensitive: true });
  router.use(ROOT, ignoreAnyTag);
  const { db } = deps.resources;
  const pages: [path: string, type: string, make: (root: string) => object | Promise<object>][] = [
    ['', JSON_TYPE, landingPage],
    ['/conformance', JSON_TYPE, conformance],
    ['/api', OPENAPI, async root => ogcOpenApi(root, await readCollections(db))],
    ['/collections', JSON_TYPE, async root => collectionList(root, await readCollections(db))],
    ['/collections/parcels/tiles', JSON_TYPE, tilesetList],
    ['/collections/parcels/tiles/WebMercatorQuad', JSON_TYPE, tilesetPage],
    ['/tileMatrixSets/WebMercatorQuad', JSON_TYPE, tileMatrixSet],
  ];
  for (const [path, type, make] of pages)
    mount(router, ROOT + path, documentHandler(type, make, deps), READS);
  const own: [
    path: string,
    type: string,
    make: (root: string, name: string, collection: Collection) => object,
  ][] = [
    ['', JSON_TYPE, collectionPage],
    ['/queryables', JSON_SCHEMA, queryablesPage],
    ['/schema', JSON_SCHEMA, schemaPage],
  ];
  for (const [path, type, make] of own) {
    const makeOwn = async (root: string, name: string) => {
      const collection = await findCollection(db, name);
      if (collection === undefined)
        throw notFound(`There is no collection with this name. ${ROOT}/collections lists all.`);
      return make(root, name, collection);
    };
    mount(router, `${ROOT}/collections/{collectionId}${path}`, documentHandler(type, makeOwn, deps), READS);
  }
  // HEAD is free, so it would reveal whether anything matches.
  for (const endpoint of ogcEndpoints)
    mount(router, endpoint.path, handlerFor(endpoint, deps, DOOR), ['GET']);
  const options = answerMapOptions(['GET'], deps.callers);
  for (const endpoint of tileEndpoints)
    mount(router, endpoint.path, handlerFor(endpoint, deps, MAP_DOOR), ['GET'], options);
  router.use(ROOT, (req, res) =>
    sendOgcError(res, notFound(`Nothing matches ${req.method} on this path. ${ROOT}/ links to everything.`)),
  );
  router.use(ROOT, (error: unknown, _req: Request, res: Response, _next: unknown) =>
    sendOgcError(res, error),
  );
  return router;
}

/** `If-None-Match: *` matches any response, so the free 304 would reveal that there are features. */
const ignoreAnyTag: RequestHandler = (req, _res, next) => {
  if (req.headers['if-none-match']?.trim() === '*') delete req.headers['if-none-match'];
  next();
};

function mount(
  router: Router,
  path: string,
  handle: RequestHandler,
  methods: string[],
  options = answerOptions(methods),
): void {
  const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  route.all((req, res, next) => {
    exchangeOf(res).route = path;
    if (methods.includes(req.method)) return handle(req, res, next);
    if (req.method === 'OPTIONS') return options(req, res, next);
    const Allow = methods.join(', ');
    const message = `${req.method} is not allowed here. Allowed methods: ${Allow}.`;
    sendOgcError(res, new PlatError('method_not_allowed', message, { headers: { Allow } }));
  });
}

/** OGC API - Features, 7.8: a parameter that isn't in the definition is an error. */
function requireNoParameters({ f, ...others }: Request['query']): void {
  const unknown = Object.keys(others);
  if (unknown.length > 0)
    throw validationError(Object.fromEntries(unknown.map(name => [name, ['is not a parameter here']])));
  if (!format.safeParse(f).success) throw validationError({ f: ['must be json'] });
}

function documentHandler(
  type: string,
  make: (root: string, name: string) => object | Promise<object>,
  { origins }: RestDeps,
): RequestHandler {
  return async (req, res) => {
    try {
      requireNoParameters(req.query);
      const { collectionId: name = '' } = req.params as { collectionId?: string };
      const json = Buffer.from(JSON.stringify(await make(origins.apiUrl(req) + ROOT, name)));
      const { bytes, encoding } = await compressed(json, req);
      const headers = ['Content-Type', type, 'Vary', 'Accept-Encoding', 'Cache-Control', 'no-store'];
      if (encoding !== undefined) headers.push('Content-Encoding', encoding);
      respond(res, 200, headers, bytes);
    } catch (error) {
      sendOgcError(res, error);
    }
  };
}
