// The servers that benchmarks compare, each in its own process. The argument names one: plat, unmetered,
// bare, bare-value, or static. Reads DATABASE_URL and PORT as usual.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import pg from 'pg';
import type { Meter } from '../../api/http/meter.ts';
import { startApi } from '../../api/start-api.ts';
import { loadConfig, requireDatabaseUrl } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';

/** The full service without charging for calls. */
const FREE: Meter = { charge: async (_caller, _endpoint, tokens) => tokens };

const config = loadConfig();
const STARTS: Record<string, () => Promise<string>> = {
  plat: async () => (await startApi(config, createLogger(config, 'bench'))).url,
  unmetered: async () => (await startApi(config, createLogger(config, 'bench'), { meter: FREE })).url,
  bare: startBare,
  'bare-value': startBareValue,
  static: startStatic,
};
const url = await STARTS[process.argv[2]!]!();
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(`${url}\n`);

/**
 * The reference: a plain Node server that uses pg to look up the stored bytes by primary key, and sends them.
 * It has no checks, accounts, or headers.
 */
function startBare(): Promise<string> {
  const pool = openPool();
  return listen(async (req, res) => {
    const [, , , , , fips] = req.url!.split('/');
    const { rows } = await pool.query<{ body: Buffer }>({
      name: 'bare',
      text: 'select body from region_stats where type = $1 and code = $2',
      values: ['county', fips],
    });
    send(res, rows[0]!.body);
  });
}

/** The reference for ai-comp-value: looks up the row by primary key and sends it as JSON. */
function startBareValue(): Promise<string> {
  const pool = openPool();
  return listen(async (req, res) => {
    const id = Number(req.url!.split('/')[5]);
    const { rows } = await pool.query({
      name: 'bare-value',
      text: `select mean_price, mean_ppa, mean_adjusted_price, mean_adjusted_ppa, confidence_score, gini_index
        from valuations where fips = $1 and property_id = $2`,
      values: [Math.floor(id / 1e8), id],
    });
    send(res, Buffer.from(JSON.stringify(rows[0])));
  });
}

/** The reference for images: Express serving static files. */
function startStatic(): Promise<string> {
  return listen(express().use(express.static(join(config.PLAT_DIR, 'static'))));
}

function openPool(): pg.Pool {
  return new pg.Pool({
    connectionString: requireDatabaseUrl(config),
    max: config.DB_POOL_SIZE,
    options: '-c timezone=UTC -c jit=off',
  });
}

function send(res: ServerResponse, body: Buffer): void {
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  res.end(body);
}

function listen(handle: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<string> {
  const server = createServer(handle);
  return new Promise(resolve => {
    server.listen(config.PORT, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
    });
  });
}
