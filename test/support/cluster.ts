import { RANDOM_PAGE_COST } from '../../shared/platform/connection-pool.ts';
import { distribute } from '../../shared/platform/shards.ts';
import { onServer, withDatabase } from './server.ts';

export type Node = { host: string; port: number; coordinator: boolean };

/** The nodes of the Citus cluster with this coordinator. */
async function listNodes(server: string): Promise<Node[]> {
  const { rows } = await onServer(server, client =>
    client.query<Node>(
      `select nodename as host, nodeport as port, groupid = 0 as coordinator
       from pg_dist_node where isactive order by groupid`,
    ),
  );
  if (rows.length === 0) throw new Error('The database of TEST_CITUS_URL knows no nodes of a Citus cluster.');
  return rows;
}

function urlOf(server: string, { host, port, coordinator }: Node, database: string): string {
  const url = new URL(withDatabase(server, database));
  if (!coordinator) {
    url.hostname = host;
    url.port = String(port);
  }
  return url.href;
}

/** Distributes the tables of the coordinator's database, with their rows. */
export async function spreadOver(server: string, name: string, shards = 8, given?: Node[]): Promise<void> {
  const nodes = given ?? (await listNodes(server));
  await onServer(server, async turn => {
    // Held until the connection ends, because adding nodes concurrently fails.
    await turn.query("select pg_advisory_lock(hashtext('plat test nodes'))");
    for (const node of nodes) {
      if (!node.coordinator)
        await onServer(urlOf(server, node, 'postgres'), client => client.query(`create database ${name}`));
      await onServer(urlOf(server, node, name), async client => {
        await client.query(`alter database ${name} set random_page_cost = ${RANDOM_PAGE_COST}`);
        await client.query('create extension citus');
      });
    }
    await onServer(withDatabase(server, name), async client => {
      for (const { host, port, coordinator } of nodes)
        await client.query(
          `select ${coordinator ? 'citus_set_coordinator_host' : 'citus_add_node'}($1, $2)`,
          [host, port],
        );
    });
    await distribute(withDatabase(server, name), shards);
  });
}

/** Drops a database on every node. */
export async function dropEverywhere(server: string, name: string): Promise<void> {
  for (const node of await listNodes(server))
    await onServer(urlOf(server, node, 'postgres'), client =>
      client.query(`drop database if exists ${name} with (force)`),
    );
}
