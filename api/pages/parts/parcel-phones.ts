import { PlatError } from '../../../shared/platform/errors.ts';
import {
  type FoundPhones,
  findStoredPhones,
  type OwnerRecord,
  traceKey,
} from '../../v1/common/found-phones.ts';
import type { PhoneTrace } from '../../v1/common/skip-tracing.ts';
import { tracePropertyOwner } from '../../v1/contacts/skip-trace.ts';
import { callPaid } from '../frame/paid-call.ts';
import { accountOf, type Reply, requireAccount, type Visit } from '../frame/visit.ts';
import { type Detail, readDetail } from './read-detail.ts';

/** Paid results are free for 30 days. If nothing was found, the user can try again the next day. */
const PAID_HOURS = 30 * 24;
const UNKNOWN_HOURS = 24;

const ownerOf = (detail: Detail): OwnerRecord => detail as unknown as OwnerRecord;

/**
 * Looks up the numbers for the session's account. Free if anyone in the company has looked them up.
 * @throws PlatError like the endpoint
 */
export async function lookUp(visit: Visit, detail: Detail): Promise<PhoneTrace> {
  const owner = ownerOf(detail);
  const { companyId } = await requireAccount(visit);
  const found = (await findStoredPhones(visit.deps.db, companyId, [owner])).get(detail.property_id);
  if (found?.trace.matched) return found.trace;
  return callPaid<PhoneTrace>(visit, tracePropertyOwner, {
    params: { property_id: String(detail.property_id) },
    key: traceKey(owner),
    keptHours: trace => ((trace as PhoneTrace).matched ? PAID_HOURS : UNKNOWN_HOURS),
  });
}

/** Why no numbers were looked up. Rethrows server errors. */
export function refusalOf(error: unknown): { words: string; status: number } {
  if (!(error instanceof PlatError) || error.status >= 500) throw error;
  const { message, details, status } = error;
  const missing = Object.values(details ?? {}).flat();
  const words = missing.length > 0 ? `The owner record is incomplete: ${missing.join('; ')}.` : message;
  return { words, status };
}

export async function lookUpOnPage(visit: Visit): Promise<Reply> {
  await lookUp(visit, await readDetail(visit, visit.form.get('property_id') ?? ''));
  return { redirect: `${visit.url.pathname}${visit.url.search}#owner` };
}

/** Numbers that the company has looked up. */
export async function readPhones(visit: Visit, detail: Detail): Promise<FoundPhones | undefined> {
  const account = await accountOf(visit);
  if (account === undefined) return undefined;
  const found = await findStoredPhones(visit.deps.db, account.companyId, [ownerOf(detail)]);
  return found.get(detail.property_id);
}
