import { hash } from 'node:crypto';
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { Db } from '../../shared/platform/db.ts';
import { textFaults } from '../http/text.ts';

/** Ids are stored as hashes, so that someone who reads the table can't use the tokens. */
const idHash = (id: string): Buffer => hash('sha256', id, 'buffer');

/** Lifetime of a registered client that no user has authorized, in seconds. */
const UNUSED_CLIENT_S = 3_600;

/** Stores oidc-provider's models in PostgreSQL, so that any process can continue what another one started. */
export const openStore =
  (db: Db): AdapterFactory =>
  model =>
    adapterOf(model, db);

function adapterOf(model: string, db: Db): Adapter {
  return {
    async upsert(id, payload, expiresIn) {
      requireText(payload);
      if (model === 'Client') await db.run('accounts/make_room_for_client');
      const { jti: _id, ...kept } = payload;
      await db.run('accounts/keep_record', {
        model,
        id_hash: idHash(id),
        payload: JSON.stringify(kept),
        grant_hash: payload.grantId === undefined ? null : idHash(payload.grantId),
        account_id: payload.accountId ?? null,
        seconds: model === 'Client' ? UNUSED_CLIENT_S : expiresIn,
      });
      if (model === 'Grant')
        await db.run('accounts/keep_client', {
          client_hash: idHash(payload.clientId!),
          seconds: expiresIn,
        });
    },
    async find(id) {
      const [row] = await db.run<{ payload: AdapterPayload; consumed: number | null }>(
        'accounts/read_record',
        { model, id_hash: idHash(id) },
      );
      if (row === undefined) return undefined;
      const stored = model === 'Client' ? row.payload : { ...row.payload, jti: id };
      return row.consumed === null ? stored : { ...stored, consumed: row.consumed };
    },
    async consume(id) {
      const consumed = await db.run('accounts/consume_record', { model, id_hash: idHash(id) });
      if (consumed.length === 0) throw new errors.InvalidGrant('it has already been used');
    },
    async destroy(id) {
      await db.run('accounts/delete_record', { model, id_hash: idHash(id) });
    },
    async revokeByGrantId(grantId) {
      await db.run('accounts/delete_members', { model, grant_hash: idHash(grantId) });
    },
    // Only disabled features use these.
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}

/** @throws an error that names the field whose text can't be stored */
function requireText(payload: AdapterPayload): void {
  for (const [field, [complaint]] of Object.entries(textFaults(Object.entries(payload)) ?? {}))
    throw new errors.InvalidRequest(`${field} ${complaint}`);
}
