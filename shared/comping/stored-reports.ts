import type { Db } from '../platform/db.ts';
import type { Adjustment, ReportSnapshot } from './comp-report.ts';
import type { Override } from './comp-report-result.ts';

export type Report = {
  id: string;
  account_id: string;
  fips: number;
  property_id: number;
  label: string;
  title: string;
  notes: string;
  version: number;
  created_at: Date;
  updated_at: Date;
  /** When the report was last requested from a worker. Null if no request is open. */
  wanted_at: Date | null;
  looked_at: Date | null;
  fault: string | null;
  /** Null until a worker has prepared the report. */
  snapshot: ReportSnapshot | null;
  /** The newest snapshot that was offered but not accepted yet. */
  offered: ReportSnapshot | null;
  share_expires_at: Date | null;
  /** The token of the shared link. Null without a link, and for links of earlier releases. */
  share_token: string | null;
  /** Name of the user who created the report, or else of the account's user. Null if the user has no name. */
  maker: string | null;
  company: string;
  chosen: string[];
  overrides: Override[];
};

type Reader = { accountId: string | null; userId: string | null };

/** Returns undefined if the report doesn't exist or belongs to another account. */
export async function findReport(
  db: Db,
  id: string,
  { accountId, userId }: Reader,
): Promise<Report | undefined> {
  return (await db.run<Report>('comping/read_report', { id, account_id: accountId, user_id: userId }))[0];
}

/** The report that a shared link opens; undefined if the link has expired or sharing has ended. */
export async function findSharedReport(db: Db, tokenHash: Buffer): Promise<Report | undefined> {
  const values = { token_hash: tokenHash };
  const [shared] = await db.run<{ id: string; account_id: string }>('comping/find_shared', values);
  return shared && findReport(db, shared.id, { accountId: shared.account_id, userId: null });
}

export type ListedReport = Pick<Report, 'id' | 'title' | 'label' | 'property_id' | 'fips' | 'updated_at'> & {
  shared: boolean | null;
  comps: number;
};

/** The reports of the account and the user, most recently changed first. */
export const listReports = (db: Db, { accountId, userId }: Reader, limit: number): Promise<ListedReport[]> =>
  db.run<ListedReport>('comping/list_reports', { account_id: accountId, user_id: userId, limit });

/** Whether the parcel was revalued after the report last checked for newer data. */
export async function isOutdated(db: Db, report: Report): Promise<boolean> {
  const { fips, property_id, looked_at } = report;
  return (await db.run('comping/is_outdated', { fips, property_id, looked_at })).length > 0;
}

export async function isWanted(db: Db, { id }: Report): Promise<boolean> {
  return (await db.run('comping/is_wanted', { id })).length > 0;
}

export async function wantReport(db: Db, { id }: Report): Promise<void> {
  await db.run('comping/want_report', { id });
}

export async function changeComps(
  db: Db,
  { id }: Report,
  { added = [], removed = [] }: { added?: readonly string[]; removed?: readonly string[] },
): Promise<void> {
  if (added.length > 0) await db.run('comping/choose_comps', { report_id: id, comp_ids: added });
  if (removed.length > 0) await db.run('comping/leave_comps', { report_id: id, comp_ids: removed });
  await db.run('comping/touch_report', { id });
}

export async function overrideAdjustment(db: Db, { id }: Report, override: Override): Promise<void> {
  await db.run('comping/override_adjustment', { report_id: id, ...override });
  await db.run('comping/touch_report', { id });
}

export async function restoreAdjustment(
  db: Db,
  { id }: Report,
  { comp_id, adjustment }: { comp_id: string | undefined; adjustment: Adjustment },
): Promise<void> {
  await db.run('comping/restore_adjustment', { report_id: id, comp_id, adjustment });
  await db.run('comping/touch_report', { id });
}

/**
 * Writes a text field if its value still equals `before`, so that another user's change is never lost.
 * @returns whether it was written
 */
export async function writeText(
  db: Db,
  { id }: Report,
  field: 'title' | 'notes',
  text: string,
  before: string,
): Promise<boolean> {
  return (await db.rowCount('comping/write_text', { id, text, before }, { field })) > 0;
}

/** Sets or replaces the report's shared link. Null removes it. */
export async function shareReport(
  db: Db,
  { id }: Report,
  link: { token: string; tokenHash: Buffer; days: number } | null,
): Promise<void> {
  await db.run('comping/share_report', {
    id,
    token: link?.token ?? null,
    token_hash: link?.tokenHash ?? null,
    days: link?.days ?? null,
  });
}

export async function acceptOffer(db: Db, { id }: Report): Promise<void> {
  await db.run('comping/accept_offer', { id });
}

export async function declineOffer(db: Db, { id }: Report): Promise<void> {
  await db.run('comping/decline_offer', { id });
}

export async function deleteReport(db: Db, { id }: Report): Promise<void> {
  await db.run('comping/delete_report', { id });
}
