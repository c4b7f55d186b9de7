import {
  createKey,
  type KeySummary,
  listKeys,
  revokeKey,
  rotateKey,
  setKeyOrigins,
} from '../../../shared/accounts/accounts.ts';
import { MAP_SCOPE, SCOPES } from '../../../shared/accounts/tiers.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Action, Done } from '../frame/forms.ts';
import { ownAccount, type Visit } from '../frame/visit.ts';
import { KeyAddresses } from './key-addresses.tsx';

/** How long a key keeps working after it was rotated. */
export const ROTATION_HOURS = 24;

/** @throws PlatError `key_expiry` */
function expiryOf(date: string | null): { expiresAt?: Date } {
  if (!date) return {};
  const expiresAt = new Date(`${date}T23:59:59.999Z`);
  if (!(expiresAt.getTime() > Date.now()))
    throw new PlatError('key_expiry', 'The expiration date must be in the future.');
  return { expiresAt };
}

const linesOf = (text: string | null): string[] => (text ?? '').split(/[\s,]+/);

/** A key of the session's account. @throws PlatError `key_unknown`, `forbidden` */
async function ownKey({ session, deps }: Visit, id: string | null): Promise<KeySummary> {
  const account = ownAccount(session!);
  const key = (await listKeys(deps.db, account.id)).find(each => each.id === id);
  if (key === undefined) throw new PlatError('key_unknown', 'Key not found. Reload the page.');
  return key;
}

/** Shows a new key with the addresses that it is for. */
async function showOnce(visit: Visit, what: string, { id, key }: { id: string; key: string }): Promise<Done> {
  const { scopes, origins } = await ownKey(visit, id);
  return {
    good: `${what} Copy it now. You won't see it again.`,
    secret: key,
    more: KeyAddresses({ secret: key, scopes, origins, apiUrl: visit.apiUrl }),
  };
}

export const keyActions: Record<string, Action> = {
  async 'create key'(visit) {
    const session = visit.session!;
    const account = ownAccount(session);
    const created = await createKey(visit.deps.db, account.id, {
      name: visit.form.get('name') ?? '',
      scopes: SCOPES.filter(scope => visit.form.getAll('scope').includes(scope)),
      ...expiryOf(visit.form.get('expires')),
      actor: session.user.email,
    });
    return showOnce(visit, 'Key created.', created);
  },
  async 'create map key'(visit) {
    const session = visit.session!;
    const account = ownAccount(session);
    const created = await createKey(visit.deps.db, account.id, {
      name: visit.form.get('map_name') ?? '',
      scopes: [MAP_SCOPE],
      origins: linesOf(visit.form.get('origins')),
      ...expiryOf(visit.form.get('map_expires')),
      actor: session.user.email,
    });
    return showOnce(visit, 'Map key created.', created);
  },
  async 'save websites'(visit) {
    const { id } = await ownKey(visit, visit.form.get('id'));
    const origins = linesOf(visit.form.get('origins'));
    await setKeyOrigins(visit.deps.db, id, origins, visit.session!.user.email);
    return { good: 'Websites saved.' };
  },
  async 'rotate key'(visit) {
    const old = await ownKey(visit, visit.form.get('id'));
    const rotated = await rotateKey(visit.deps.db, old.id, ROTATION_HOURS, visit.session!.user.email);
    const what = `Key ${old.name} rotated. The old one works for ${ROTATION_HOURS} more hours.`;
    return showOnce(visit, what, rotated);
  },
  async 'revoke key'(visit) {
    const { id } = await ownKey(visit, visit.form.get('id'));
    const { name } = await revokeKey(visit.deps.db, id, visit.session!.user.email);
    return { good: `Key ${name} revoked.` };
  },
};
