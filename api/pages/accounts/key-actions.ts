import {
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  setKeyOrigins,
} from '../../../shared/accounts/accounts.ts';
import { MAP_SCOPE, SCOPES } from '../../../shared/accounts/tiers.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Action } from '../frame/forms.ts';
import { ownAccount, type Visit } from '../frame/visit.ts';

/** How long a key keeps working after it was rotated. */
export const ROTATION_HOURS = 24;

const SHOWN_ONCE = "Copy it now. You won't see it again.";

/** @throws PlatError `key_expiry` */
function expiryOf(date: string | null): { expiresAt?: Date } {
  if (!date) return {};
  const expiresAt = new Date(`${date}T23:59:59.999Z`);
  if (!(expiresAt.getTime() > Date.now()))
    throw new PlatError('key_expiry', 'The expiration date must be in the future.');
  return { expiresAt };
}

const linesOf = (text: string | null): string[] => (text ?? '').split(/[\s,]+/);

/** The id of a key of the session's account. @throws PlatError `key_unknown`, `forbidden` */
async function ownKey({ session, deps, form }: Visit): Promise<string> {
  const account = ownAccount(session!);
  const key = (await listKeys(deps.db, account.id)).find(({ id }) => id === form.get('id'));
  if (key === undefined) throw new PlatError('key_unknown', 'Key not found. Reload the page.');
  return key.id;
}

export const keyActions: Record<string, Action> = {
  async 'create key'(visit) {
    const session = visit.session!;
    const account = ownAccount(session);
    const { key } = await createKey(visit.deps.db, account.id, {
      name: visit.form.get('name') ?? '',
      scopes: SCOPES.filter(scope => visit.form.getAll('scope').includes(scope)),
      ...expiryOf(visit.form.get('expires')),
      actor: session.user.email,
    });
    return { good: `Key created. ${SHOWN_ONCE}`, secret: key };
  },
  async 'create map key'(visit) {
    const session = visit.session!;
    const account = ownAccount(session);
    const { key } = await createKey(visit.deps.db, account.id, {
      name: visit.form.get('map_name') ?? '',
      scopes: [MAP_SCOPE],
      origins: linesOf(visit.form.get('origins')),
      ...expiryOf(visit.form.get('map_expires')),
      actor: session.user.email,
    });
    return { good: `Map key created. ${SHOWN_ONCE}`, secret: key };
  },
  async 'save websites'(visit) {
    const id = await ownKey(visit);
    const origins = linesOf(visit.form.get('origins'));
    await setKeyOrigins(visit.deps.db, id, origins, visit.session!.user.email);
    return { good: 'Websites saved.' };
  },
  async 'rotate key'(visit) {
    const id = await ownKey(visit);
    const { key, name } = await rotateKey(visit.deps.db, id, ROTATION_HOURS, visit.session!.user.email);
    return {
      good: `Key ${name} rotated. The old one works for ${ROTATION_HOURS} more hours. ${SHOWN_ONCE}`,
      secret: key,
    };
  },
  async 'revoke key'(visit) {
    const { name } = await revokeKey(visit.deps.db, await ownKey(visit), visit.session!.user.email);
    return { good: `Key ${name} revoked.` };
  },
};
