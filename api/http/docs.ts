import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type Request, type Response, Router } from 'express';
import type { Origins } from '../../shared/platform/origin.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { compressed } from './compression.ts';
import type { Endpoint } from './endpoint.ts';
import { answerGet } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';
import { pageSecurityHeaders, setHeaders } from './headers.ts';
import { llmsFullText, llmsText } from './llms-text.ts';

const TEXT = 'text/plain; charset=utf-8';

/** The Swagger UI files that the API reference loads. */
const ASSETS = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js']);

/**
 * Serves links at /, the OpenAPI document, the texts for language models, and the Swagger UI files for the
 * API reference.
 */
export function docs(endpoints: readonly Endpoint[], document: object, origins: Origins): Router {
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
  const recipes = readFileSync(join(rootDir, 'docs', 'recipes.md'), 'utf8');
  const full = Buffer.from(llmsFullText(document, recipes));
  answerGet(router, '/openapi.json', (req, res) => send(req, res, json, 'application/json'));
  answerGet(router, '/llms-full.txt', (req, res) => send(req, res, full, TEXT));
  answerGet(router, '/llms.txt', (req, res) =>
    send(req, res, Buffer.from(llmsText(endpoints, document, origins.apiUrl(req))), TEXT),
  );
  const files = express.static(folder, { index: false, redirect: false, maxAge: '1d' });
  router.use('/docs', (req, res, next) => {
    if (!ASSETS.has(req.path)) return next();
    exchangeOf(res).route = '/docs';
    setHeaders(res, pageSecurityHeaders);
    files(req, res, next);
  });
  return router;
}

async function send(req: Request, res: Response, body: Buffer, type: string): Promise<void> {
  const { bytes, encoding } = await compressed(body, req);
  res.setHeader('Vary', 'Accept-Encoding');
  if (encoding !== undefined) res.setHeader('Content-Encoding', encoding);
  res.type(type).send(bytes);
}
