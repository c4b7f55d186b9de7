import { hash } from 'node:crypto';
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { Db } from '../../shared/platform/db.ts';
import { textFaults } from '../http/text.ts';

/** An id as it is stored: a hash, so that a reader of the table cannot use the tokens. */
const idHash = (id: string): Buffer => hash('sha256', id, 'buffer');

/** Seconds that a registered client lives before a user authorizes it. */
const UNUSED_CLIENT_S = 3_600;

/** oidc-provider's models in PostgreSQL, so that any process goes on with what another has begun. */
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
      if (consumed.length === 0) throw new errors.InvalidGrant('it was used before');
    },
    async destroy(id) {
      await db.run('accounts/delete_record', { model, id_hash: idHash(id) });
    },
    async revokeByGrantId(grantId) {
      await db.run('accounts/delete_members', { model, grant_hash: idHash(grantId) });
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
