import express, { type Express, type RequestHandler } from 'express';
import { openTraceProvider } from '../shared/contacts/skip-trace-providers.ts';
import type { Config } from '../shared/platform/config.ts';
import type { Pool } from '../shared/platform/connection-pool.ts';
import { PlatError } from '../shared/platform/errors.ts';
import type { Logger } from '../shared/platform/log.ts';
import { openOrigins } from '../shared/platform/origin.ts';
import { endpoints as v1 } from './endpoints.ts';
import { filesRouter } from './files/file-route.ts';
import { openCallers } from './http/callers.ts';
import { answerOptions } from './http/cors.ts';
import { ApiDb } from './http/database.ts';
import { docs } from './http/docs.ts';
import type { Endpoint } from './http/endpoint.ts';
import { errorHandler, methodNotAllowed, unknownPath } from './http/error-responses.ts';
import { exchangeOf } from './http/exchange.ts';
import { openHeavyCalls } from './http/heavy-calls.ts';
import { openIdempotency } from './http/idempotency.ts';
import { type Meter, openMeter } from './http/meter.ts';
import { createMetrics } from './http/metrics.ts';
import { operations } from './http/operations.ts';
import { type BoardQueue, mountAdmin } from './http/queue-board.ts';
import { openRateLimits } from './http/rate-limits.ts';
import { handlerFor, type RestDeps } from './http/rest.ts';
import { type Lifecycle, presetHeaders, startRequest } from './http/start-request.ts';
import { requireTextInAddress } from './http/text.ts';
import { imagesRouter } from './images/image-route.ts';
import { type Images, openImages } from './images/images.ts';
import { mcpRouter } from './mcp/mcp-router.ts';
import type { Document } from './mcp/tool-schemas.ts';
import { toolsOf } from './mcp/tools.ts';
import { openOAuth } from './oauth/oauth-router.ts';
import { ogcRouter } from './ogc/ogc-router.ts';
import { openApiDocument } from './openapi.ts';
import type { Assets } from './pages/frame/assets.ts';
import { pagesRouter, unknownPage } from './pages/frame/pages.tsx';
import { storedAssets } from './pages/frame/stored-assets.ts';
import { pages } from './pages/index.ts';
import { openShapeThreads, type ShapeThreads } from './shapes/shape-threads.ts';
import { openResources, type Resources } from './v1/common/endpoint-resources.ts';
import { openTracing } from './v1/common/skip-tracing.ts';

export type AppDeps = {
  config: Config;
  log: Logger;
  pool: Pool;
  /** For file downloads, which don't need an API key. */
  filePool: Pool;
  /** For canceling the statements of clients that have disconnected. */
  cancelPool: Pool;
  /** For /metrics, which must respond even when calls use all other connections. */
  metricsPool: Pool;
  lifecycle: Lifecycle;
  queues: readonly BoardQueue[];
  /** Assets for the web app's pages. Omit them to serve only the API, as tests and benchmarks do. */
  assets?: Assets;
  /** Default: all of v1. */
  endpoints?: readonly Endpoint[];
  /** Default: threads started on demand. */
  shapeThreads?: ShapeThreads;
  /** Default: a meter that charges accounts. */
  meter?: Meter;
  /** Default: the system clock. Tests use a fixed time. */
  now?: () => Date;
};

/**
 * The service. A call to v1 passes these steps in order (serve.ts): authentication -> scope -> subscription
 * -> tier -> payment -> rate limit -> validation -> stored response of a repeat -> quota -> work -> charge
 */
export function createApp(deps: AppDeps): Express {
  const { config, log, pool, filePool, cancelPool, metricsPool, lifecycle, queues, assets } = deps;
  const { endpoints = v1, now = () => new Date() } = deps;
  const db = new ApiDb(pool, cancelPool);
  const metrics = createMetrics({ api: pool, files: filePool, cancel: cancelPool }, metricsPool, queues);
  const images = openImages(db, config, log);
  const serving = openServing(deps, db, images, now);
  const { resources, origins } = serving;

  const app = express();
  configure(app, config);
  app.use(startRequest({ ...settingsOf(config), lifecycle, metrics, log, origins }));
  mountEndpoints(app, endpoints, serving);
  app.use(ogcRouter(serving));
  const document = openApiDocument(endpoints);
  const oauth = openOAuth({ ...serving, ...resources });
  const tools = toolsOf(endpoints, document as Document);
  app.use(mcpRouter({ ...serving, tools, metrics, config, log }));
  app.use(imagesRouter(images, now));
  app.use(filesRouter({ db: new ApiDb(filePool, cancelPool), files: resources.files }, now));
  app.use(presetHeaders);
  app.use('/oauth', requireTextInAddress);
  app.use(oauth.router);
  app.use(operations({ pool, metrics, lifecycle, config }));
  const pageDeps = assets && { ...serving, endpoints, tools, oauth, resources, config, log, db, assets };
  if (pageDeps !== undefined) {
    app.use(pageDeps.assets.router);
    app.use(storedAssets(db, config));
    app.use(pagesRouter(pages, pageDeps));
  }
  app.use(docs(endpoints, document, origins));
  if (config.ADMIN_PASSWORD !== undefined) mountAdmin(app, queues, config.ADMIN_PASSWORD);
  if (pageDeps !== undefined) app.use(unknownPage(pageDeps));
  app.use(unknownPath);
  app.use(errorHandler);
  return app;
}

/** Dependencies shared by calls over any protocol. */
function openServing(
  { config, lifecycle, meter, shapeThreads = openShapeThreads() }: AppDeps,
  db: ApiDb,
  images: Images,
  now: () => Date,
): RestDeps & { resources: Resources } {
  return {
    callers: openCallers(db, () => now().getTime()),
    rateLimits: openRateLimits(db),
    meter: meter ?? openMeter(db, () => lifecycle.active),
    idempotency: openIdempotency(db),
    heavyCalls: openHeavyCalls(shapeThreads.compute),
    resources: openResources(
      db,
      config.CURSOR_SECRET,
      images,
      openTracing(db, openTraceProvider(config), config.SKIP_TRACE_KEEP_DAYS),
      config.CATALOGUE_FILE,
      config.WEBHOOK_PRIVATE_HOSTS,
    ),
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    origins: openOrigins(config, lifecycle),
    now,
  };
}

const settingsOf = (config: Config) => ({
  logRequests: config.LOG_REQUESTS,
  requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
  readers: config.CORS_ORIGINS.split(',').map(entry => entry.trim()),
});

function configure(app: Express, config: Config): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  try {
    app.set(
      'trust proxy',
      config.TRUSTED_PROXIES.split(',')
        .map(entry => entry.trim())
        .filter(Boolean),
    );
  } catch (cause) {
    throw new PlatError(
      'config',
      'TRUSTED_PROXIES accepts IP addresses, CIDR ranges, loopback, linklocal, and uniquelocal, separated by commas.',
      { cause },
    );
  }
}

/** One route per path, with and without its trailing slash. Other methods get 405. */
function mountEndpoints(app: Express, endpoints: readonly Endpoint[], deps: RestDeps): void {
  for (const path of new Set(endpoints.map(endpoint => endpoint.path))) {
    const methods = endpoints.filter(endpoint => endpoint.path === path);
    const route = app.route(path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const endpoint of methods) route[endpoint.method](handlerFor(endpoint, deps));
    const allowed = methods.flatMap(({ method }) =>
      method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
    );
    route.options(named(path, answerOptions(allowed)));
    route.all(named(path, methodNotAllowed(...allowed)));
  }
}

function named(path: string, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    exchangeOf(res).route = path;
    return handler(req, res, next);
  };
}
