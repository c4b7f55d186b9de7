import { newToken } from '../../../shared/accounts/sign-in.ts';
import { ADJUSTMENTS, type Adjustment } from '../../../shared/comping/comp-report.ts';
import type { Override } from '../../../shared/comping/comp-report-result.ts';
import {
  acceptOffer,
  changeComps,
  declineOffer,
  deleteReport,
  overrideAdjustment,
  type Report,
  restoreAdjustment,
  shareReport,
  writeText,
} from '../../../shared/comping/stored-reports.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { validationError } from '../../http/error-responses.ts';
import type { Update } from './comping-filter.ts';
import { requestSnapshot } from './comping-reports.ts';

/** Limits the table of comps. */
const MAX_CHOSEN = 100;
export const MAX_TITLE = 200;
export const MAX_NOTES = 20_000;
export const SHARE_DAYS = [7, 30, 90, 365];

export const sharedPath = (token: string): string => `/comping/shared/${token}`;

export type ChangeOutcome = {
  /** The path of a new link. */
  link?: string;
  conflict?: Update['conflict'];
  deleted?: true;
  /** A worker is preparing the report. */
  requested?: true;
};

/** @throws PlatError `validation_error` */
export type ReportChange = (
  db: Db,
  report: Report,
  form: URLSearchParams,
) => Promise<ChangeOutcome> | Promise<void>;

/** A report's forms. Each one changes only a little, so that two windows can work on the same report. */
export const REPORT_CHANGES: Record<string, ReportChange> = {
  add: (db, report, form) => choose(db, report, compsOf(report, form)),
  remove: (db, report, form) => changeComps(db, report, { removed: compsOf(report, form) }),
  select(db, report, form) {
    // Compare with what the page showed as chosen, so that comps chosen elsewhere since then are kept.
    const was = known(report, (form.get('was') ?? '').split(','));
    const comps = compsOf(report, form);
    const added = comps.filter(comp => !was.includes(comp));
    return choose(
      db,
      report,
      added,
      was.filter(comp => !comps.includes(comp)),
    );
  },
  model(db, report) {
    const candidates = report.snapshot?.candidates ?? [];
    return choose(
      db,
      report,
      candidates.filter(comp => comp.used).map(comp => comp.id),
    );
  },
  clear: (db, report) => changeComps(db, report, { removed: report.chosen }),
  override: (db, report, form) => overrideAdjustment(db, report, overrideOf(report, form)),
  restore(db, report, form) {
    const [comp_id] = compsOf(report, form);
    return restoreAdjustment(db, report, { comp_id, adjustment: adjustmentOf(form) });
  },
  text: writeTexts,
  async share(db, report, form) {
    const days = SHARE_DAYS.find(one => String(one) === form.get('days'));
    if (days === undefined) throw validationError({ days: [`must be one of ${SHARE_DAYS.join(', ')}`] });
    const { token, tokenHash } = newToken();
    await shareReport(db, report, { token, tokenHash, days });
    return { link: sharedPath(token) };
  },
  unshare: (db, report) => shareReport(db, report, null),
  async look(db, report) {
    await requestSnapshot(db, report);
    return { requested: true };
  },
  accept: acceptOffer,
  decline: declineOffer,
  async delete(db, report) {
    await deleteReport(db, report);
    return { deleted: true };
  },
};

function known({ snapshot }: Report, comps: readonly string[]): string[] {
  const candidates = new Set(snapshot?.candidates.map(({ id }) => id));
  return comps.filter(comp => candidates.has(comp));
}

const compsOf = (report: Report, form: URLSearchParams): string[] => known(report, form.getAll('comp'));

async function choose(
  db: Db,
  report: Report,
  added: readonly string[],
  removed: readonly string[] = [],
): Promise<void> {
  if (new Set([...report.chosen, ...added]).size > MAX_CHOSEN)
    throw validationError({ comp: [`Choose up to ${MAX_CHOSEN} comps`] });
  await changeComps(db, report, { added, removed });
}

function adjustmentOf(form: URLSearchParams): Adjustment {
  const name = ADJUSTMENTS.find(one => one === form.get('adjustment'));
  if (name === undefined) throw validationError({ adjustment: [`must be one of ${ADJUSTMENTS.join(', ')}`] });
  return name;
}

function overrideOf(report: Report, form: URLSearchParams): Override {
  const [comp_id] = compsOf(report, form);
  if (comp_id === undefined) throw validationError({ comp: ['That comp is no longer in this report'] });
  const text = (form.get('percent') ?? '').replaceAll(/[\s%]/g, '').replace('−', '-').replace(',', '.');
  const percent = text === '' ? Number.NaN : Number(text);
  const reason = (form.get('reason') ?? '').trim();
  const faults: Record<string, string[]> = {};
  if (!(percent >= -95 && percent <= 1_000)) faults.percent = ['Enter a percentage from -95 to 1000'];
  if (reason === '' || reason.length > 500) faults.reason = ['Enter a reason, up to 500 characters'];
  if (Object.keys(faults).length > 0) throw validationError(faults);
  return { comp_id, adjustment: adjustmentOf(form), percent, reason };
}

async function writeTexts(db: Db, report: Report, form: URLSearchParams): Promise<ChangeOutcome> {
  const conflict: NonNullable<ChangeOutcome['conflict']> = {};
  const fields = [
    ['title', MAX_TITLE],
    ['notes', MAX_NOTES],
  ] as const;
  for (const [name, most] of fields) {
    const text = form.get(name)?.replaceAll('\r\n', '\n').replaceAll('\0', '');
    if (text === undefined) continue;
    if (text.length > most)
      throw validationError({ [name]: [`The ${name} can have up to ${most} characters`] });
    const before = (form.get(`was_${name}`) ?? '').replaceAll('\r\n', '\n');
    if (text === before) continue;
    if (!(await writeText(db, report, name, text, before))) conflict[name] = report[name];
  }
  return Object.keys(conflict).length > 0 ? { conflict } : {};
}
