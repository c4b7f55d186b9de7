import { hash } from 'node:crypto';
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { Database } from '../http/database.ts';
import { textFaults } from '../http/text.ts';

/** An id as it is stored: whoever reads the table can use none of the tokens in it. */
const idHash = (id: string): Buffer => hash('sha256', id, 'buffer');

/** Registered clients that nobody has let in; they are deleted after a day. */
const MOST_IDLE_CLIENTS = 1_000;
const MOST_METADATA_CHARS = 8_000;
const MOST_REDIRECTS = 10;

/** oidc-provider's models in PostgreSQL, so that any process goes on with what another has begun. */
export const openStore =
  (database: Database): AdapterFactory =>
  model =>
    adapterOf(model, database);

function adapterOf(model: string, database: Database): Adapter {
  return {
    async upsert(id, payload, expiresIn) {
      requireText(payload);
      if (model === 'Client') await requireModest(payload, database);
      const { jti: _id, ...kept } = payload;
      await database.run('oauth/keep_record', [
        ...[model, idHash(id), JSON.stringify(kept)],
        payload.grantId === undefined ? null : idHash(payload.grantId),
        payload.accountId ?? null,
        model === 'Client' ? null : expiresIn,
      ]);
    },
    async find(id) {
      const [row] = await database.run<{ payload: AdapterPayload; consumed: number | null }>(
        'oauth/read_record',
        [model, idHash(id)],
      );
      if (row === undefined) return undefined;
      const known = model === 'Client' ? row.payload : { ...row.payload, jti: id };
      return row.consumed === null ? known : { ...known, consumed: row.consumed };
    },
    async consume(id) {
      await database.run('oauth/consume_record', [model, idHash(id)]);
    },
    async destroy(id) {
      await database.run('oauth/delete_record', [model, idHash(id)]);
    },
    async revokeByGrantId(grantId) {
      await database.run('oauth/delete_members', [model, idHash(grantId)]);
    },
    // Only features that are off look for these.
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}

/** @throws what names the fields with a text that cannot be kept. */
function requireText(payload: AdapterPayload): void {
  for (const [field, [complaint]] of Object.entries(textFaults(Object.entries(payload)) ?? {}))
    throw new errors.InvalidRequest(`${field} ${complaint}`);
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @throws what registration answers with 400: anyone may register, so what is kept of it is bounded. */
async function requireModest(client: AdapterPayload, database: Database): Promise<void> {
  const redirects = client.redirect_uris ?? [];
  if (redirects.length > MOST_REDIRECTS || JSON.stringify(client).length > MOST_METADATA_CHARS)
    throw new errors.InvalidClientMetadata(
      `at most ${MOST_REDIRECTS} redirect_uris and ${MOST_METADATA_CHARS} characters of metadata are kept`,
    );
  for (const address of redirects) {
    const { protocol, hostname } = new URL(address);
    if (protocol === 'http:' && !LOOPBACK.has(hostname))
      throw new errors.InvalidRedirectUri('redirect_uris over http must lead to this machine (localhost)');
  }
  const [row] = await database.run<{ clients: number }>('oauth/count_idle_clients');
  if (row!.clients > MOST_IDLE_CLIENTS)
    throw new errors.TemporarilyUnavailable('too many clients have registered: try again tomorrow');
}
