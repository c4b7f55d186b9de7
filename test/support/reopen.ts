// Restarts the server of a failed test run, to inspect the databases that it kept:
//   npx tsx test/support/reopen.ts /tmp/plat-test-xxxxxx
import { onServer, startTestServer, withDatabase } from './server.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder that the failed run printed.');
const server = await startTestServer(folder);
const { rows } = await onServer(server.url, client =>
  client.query<{ datname: string }>(
    "select datname from pg_database where datname like 'plat\\_test\\_%' order by 1",
  ),
);
for (const { datname } of rows) process.stdout.write(`${withDatabase(server.url, datname)}\n`);
process.stdout.write('Ctrl-C stops the server.\n');
process.on('SIGINT', () => server.stop().then(() => process.exit(0)));
setInterval(() => {}, 60_000);
