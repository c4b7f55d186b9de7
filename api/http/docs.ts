import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Response, Router } from 'express';
import type { Origins } from '../../shared/base/origin.ts';
import { compressed } from './compression.ts';
import { answerGet } from './error-responses.ts';
import { exchangeOf } from './exchange.ts';
import { pageSecurityHeaders, setHeaders } from './headers.ts';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Plat API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Without \`validatorUrl: null\`, Swagger UI asks a server of its makers to validate the document. */
const START = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null });
`;

const ASSETS = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

/**
 * A pointer at /, the OpenAPI document, and Swagger UI from node_modules: nothing is loaded from elsewhere.
 */
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
  answerGet(router, '/docs', (_req, res) => page(res, 'text/html; charset=utf-8', PAGE));
  answerGet(router, '/docs/start.js', (_req, res) => page(res, 'text/javascript; charset=utf-8', START));
  const files = express.static(folder, { index: false, redirect: false, maxAge: '1d' });
  router.use('/docs', (req, res, next) => {
    if (!ASSETS.has(req.path)) return next();
    exchangeOf(res).route = '/docs';
    setHeaders(res, pageSecurityHeaders);
    files(req, res, next);
  });
  return router;
}

function page(res: Response, type: string, text: string): void {
  setHeaders(res, pageSecurityHeaders);
  res.type(type).send(text);
}
