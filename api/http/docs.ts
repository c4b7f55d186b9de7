import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router } from 'express';
import type { Origins } from '../../shared/platform/origin.ts';
import { compressed } from './compression.ts';
import { answerGet } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';
import { pageSecurityHeaders, setHeaders } from './headers.ts';

/** The Swagger UI files that the API reference loads. */
const ASSETS = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js']);

/** Serves links at /, the OpenAPI document, and the Swagger UI files for the API reference. */
export function docs(document: object, origins: Origins): Router {
  const router = Router({ caseSensitive: true });
  const json = Buffer.from(JSON.stringify(document));
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  answerGet(router, '/', (req, res) => {
    const origin = origins.apiUrl(req);
    res.json({
      service: 'Plat: US land-parcel data and market statistics',
      docs: `${origin}/docs/`,
      openapi: `${origin}/openapi.json`,
    });
  });
  answerGet(router, '/openapi.json', async (req, res) => {
    const { bytes, encoding } = await compressed(json, req);
    res.setHeader('Vary', 'Accept-Encoding');
    if (encoding !== undefined) res.setHeader('Content-Encoding', encoding);
    res.type('application/json').send(bytes);
  });
  const files = express.static(folder, { index: false, redirect: false, maxAge: '1d' });
  router.use('/docs', (req, res, next) => {
    if (!ASSETS.has(req.path)) return next();
    exchangeOf(res).route = '/docs';
    setHeaders(res, pageSecurityHeaders);
    files(req, res, next);
  });
  return router;
}
