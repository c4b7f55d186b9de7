// The two servers of the bench, each in a process of its own: `tsx api-servers.ts plat|bare`. DATABASE_URL and PORT as ever.
import { createServer } from 'node:http';
import pg from 'pg';
import { startApi } from '../../api/start.ts';
import { loadConfig, requireDatabaseUrl } from '../../shared/config.ts';
import { createLogger } from '../../shared/log.ts';

const config = loadConfig();
const url =
  process.argv[2] === 'plat'
    ? (await startApi(config, createLogger(config, 'bench'))).url
    : await startBare();
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(`${url}\n`);

/** The reference: node's own server and pg, sending the stored bytes by primary key. No checks, no accounts, no headers. */
function startBare(): Promise<string> {
  const pool = new pg.Pool({ connectionString: requireDatabaseUrl(config), max: config.DB_POOL_SIZE });
  const server = createServer(async (req, res) => {
    const [, , , , , fips] = req.url!.split('/');
    const { rows } = await pool.query<{ body: Buffer }>({
      name: 'bare',
      text: 'select body from region_stats where type = $1 and code = $2',
      values: ['county', fips],
    });
    const { body } = rows[0]!;
    res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
    res.end(body);
  });
  return new Promise(resolve => {
    server.listen(config.PORT, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
    });
  });
}
