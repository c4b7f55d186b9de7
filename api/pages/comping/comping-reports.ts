import { newToken, tokenHashOf } from '../../../shared/accounts/sign-in.ts';
import {
  ADJUSTMENTS,
  type Adjustment,
  type Candidate,
  prepareReports,
  type ReportSnapshot,
} from '../../../shared/comping/comp-report.ts';
import { type Override, type Result, resultOf } from '../../../shared/comping/comp-report-result.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { isWebAddress } from '../../../shared/model/listing-fields.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { shownWeight } from '../../../shared/model/valuation-comps-codec.ts';
import { enqueueAndNotify } from '../../../shared/platform/queue/jobs.ts';
import { csv } from '../../../shared/platform/to-csv.ts';
import type { Database } from '../../http/database.ts';
import { notFound, validationError } from '../../http/error-responses.ts';
import type { Session, Visit } from '../frame/visit.ts';
import { METERS_PER_MILE, type Update } from './comping-filter.ts';

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
  /** Waits for a worker since. */
  wanted_at: Date | null;
  looked_at: Date | null;
  fault: string | null;
  /** Null until a worker has prepared it. */
  snapshot: ReportSnapshot | null;
  /** The newest snapshot that was offered but not accepted yet. */
  offered: ReportSnapshot | null;
  share_expires_at: Date | null;
  /** Name of the person who started it, or of the account's user; null when that person has no name. */
  maker: string | null;
  company: string;
  chosen: string[];
  overrides: Override[];
};

/** Far above what anybody compares; it bounds the table. */
const MAX_CHOSEN = 100;
export const MAX_TITLE = 200;
export const MAX_NOTES = 20_000;
export const SHARE_DAYS = [7, 30, 90, 365];

/** The report of the address. @throws PlatError `not_found`, also where it is another account's */
export async function readReport({ req, deps, session }: Visit): Promise<Report> {
  const id = String(req.params.report);
  const found =
    UUID.test(id) && session !== undefined ? await find(deps.resources.database, id, session) : undefined;
  if (found === undefined) throw notFound('There is no such report.');
  return found;
}

async function find(database: Database, id: string, { account, user }: Pick<Session, 'account' | 'user'>) {
  const values = { id, account_id: account?.id ?? null, user_id: user.id };
  const [report] = await database.run<Report>('comping/read_report', values);
  return report;
}

/**
 * The report that a link shows. @throws PlatError `not_found`, also where the link has run
 * out or was taken back
 */
export async function readShared({ req, deps }: Visit): Promise<Report> {
  const token = String(req.params.token);
  const { database } = deps.resources;
  if (/^[\w-]{43}$/.test(token)) {
    const hash = tokenHashOf(token);
    const [shared] = await database.run<{ id: string; account_id: string }>('comping/find_shared', {
      token_hash: hash,
    });
    const [report] = shared
      ? await database.run<Report>('comping/read_report', {
          id: shared.id,
          account_id: shared.account_id,
          user_id: null,
        })
      : [];
    if (report?.snapshot) return report;
  }
  throw notFound('This link shows nothing: it has run out, or was taken back.');
}

export function figuresOf({ snapshot, chosen, overrides }: Report): Result | null {
  if (snapshot === null) return null;
  const ids = new Set(chosen);
  return resultOf(snapshot, ({ id }) => ids.has(id), overrides);
}

/** What the model's own comps say, without a word of anybody's. */
export function modelResultOf(snapshot: ReportSnapshot): Result | null {
  return snapshot.machine === null ? null : resultOf(snapshot, ({ used }) => used, []);
}

export const titleOf = ({
  title,
  label,
  property_id,
}: Pick<Report, 'title' | 'label' | 'property_id'>): string =>
  title || titleCase(label) || `Parcel ${property_id}`;

/** What a change leaves to be told. */
export type ChangeOutcome = {
  /** The path of a new link, which is shown this once. */
  link?: string;
  conflict?: Update['conflict'];
  deleted?: boolean;
};

/**
 * Makes the change that a form asks for; each is small, so that two windows come together. @throws PlatError
 * `validation_error`
 */
export async function changeReport({ form, deps }: Visit, report: Report): Promise<ChangeOutcome> {
  const { database } = deps.resources;
  const { id } = report;
  const candidates = new Set(report.snapshot?.candidates.map(comp => comp.id));
  const comps = form.getAll('comp').filter(comp => candidates.has(comp));
  const run = database.run;
  const touched = async (): Promise<ChangeOutcome> => {
    await run('comping/touch_report', { id });
    return {};
  };
  switch (form.get('do')) {
    case 'add':
      await choose(run, report, comps);
      return touched();
    case 'remove':
      await run('comping/leave_comps', { report_id: id, comp_ids: comps });
      return touched();
    case 'select': {
      // What the page showed as chosen: what somebody else has chosen since stays.
      const was = (form.get('was') ?? '').split(',').filter(comp => candidates.has(comp));
      await choose(
        run,
        report,
        comps.filter(comp => !was.includes(comp)),
      );
      await run('comping/leave_comps', {
        report_id: id,
        comp_ids: was.filter(comp => !comps.includes(comp)),
      });
      return touched();
    }
    case 'model':
      await choose(
        run,
        report,
        report.snapshot?.candidates.filter(comp => comp.used).map(comp => comp.id) ?? [],
      );
      return touched();
    case 'clear':
      await run('comping/leave_comps', { report_id: id, comp_ids: report.chosen });
      return touched();
    case 'override':
      await run('comping/override_adjustment', {
        report_id: id,
        comp_id: comps[0],
        ...overrideOf(
          form,
          report.snapshot?.candidates.find(comp => comp.id === comps[0]),
        ),
      });
      return touched();
    case 'restore':
      await run('comping/restore_adjustment', {
        report_id: id,
        comp_id: comps[0],
        adjustment: adjustmentOf(form),
      });
      return touched();
    case 'text':
      return write(run, report, form);
    case 'share': {
      const days = SHARE_DAYS.find(one => String(one) === form.get('days'));
      if (days === undefined) throw validationError({ days: [`must be one of ${SHARE_DAYS.join(', ')}`] });
      const { token, tokenHash } = newToken();
      await run('comping/share_report', { id, token_hash: tokenHash, days });
      return { link: `/comping/shared/${token}` };
    }
    case 'unshare':
      await run('comping/share_report', { id, token_hash: null, days: null });
      return {};
    case 'look':
      await requestSnapshot(database, report);
      return {};
    case 'accept':
      await run('comping/accept_offer', { id });
      return {};
    case 'decline':
      await run('comping/decline_offer', { id });
      return {};
    case 'delete':
      await run('comping/delete_report', { id });
      return { deleted: true };
    default:
      throw validationError({ do: ['is not a change that reports know'] });
  }
}

type Run = Database['run'];

async function choose(run: Run, { id, chosen }: Report, comps: readonly string[]): Promise<void> {
  if (new Set([...chosen, ...comps]).size > MAX_CHOSEN)
    throw validationError({ comp: [`a report compares at most ${MAX_CHOSEN} comps`] });
  if (comps.length > 0) await run('comping/choose_comps', { report_id: id, comp_ids: comps });
}

function adjustmentOf(form: URLSearchParams): Adjustment {
  const name = ADJUSTMENTS.find(one => one === form.get('adjustment'));
  if (name === undefined) throw validationError({ adjustment: [`must be one of ${ADJUSTMENTS.join(', ')}`] });
  return name;
}

function overrideOf(
  form: URLSearchParams,
  comp: Candidate | undefined,
): { adjustment: Adjustment; percent: number; reason: string } {
  if (comp === undefined) throw validationError({ comp: ['is not one of the report'] });
  const text = (form.get('percent') ?? '').replaceAll(/[\s%]/g, '').replace('−', '-').replace(',', '.');
  const percent = text === '' ? Number.NaN : Number(text);
  const reason = (form.get('reason') ?? '').trim();
  const faults: Record<string, string[]> = {};
  if (!(percent >= -95 && percent <= 1_000))
    faults.percent = ['must be a number of percent from -95 to 1000'];
  if (reason === '' || reason.length > 500) faults.reason = ['say why, in up to 500 characters'];
  if (Object.keys(faults).length > 0) throw validationError(faults);
  return { adjustment: adjustmentOf(form), percent, reason };
}

async function write(run: Run, { id, title, notes }: Report, form: URLSearchParams): Promise<ChangeOutcome> {
  const conflict: NonNullable<ChangeOutcome['conflict']> = {};
  const fields = [
    { name: 'title', most: MAX_TITLE, now: title },
    { name: 'notes', most: MAX_NOTES, now: notes },
  ] as const;
  for (const { name, most, now } of fields) {
    const text = form.get(name)?.replaceAll('\r\n', '\n').replaceAll('\0', '');
    if (text === undefined) continue;
    if (text.length > most) throw validationError({ [name]: [`must be at most ${most} characters long`] });
    const was = (form.get(`was_${name}`) ?? '').replaceAll('\r\n', '\n');
    if (text === was) continue;
    const written =
      name === 'title'
        ? await run('comping/write_title', { id, title: text, before: was })
        : await run('comping/write_notes', { id, notes: text, before: was });
    if (written.length === 0) conflict[name] = now;
  }
  return Object.keys(conflict).length > 0 ? { conflict } : {};
}

/** Has the report prepared, or what it goes by compared with what is true now. */
export function requestSnapshot(database: Database, { id, fips }: Report): Promise<void> {
  return database.transaction(async run => {
    await run('comping/want_report', { id });
    await enqueueAndNotify(run, prepareReports, { fips });
  });
}

/** The columns, in their order; each adjustment has its percentage and the reason of who changed it. */
const COLUMNS = [
  'id',
  'status',
  'address',
  'city',
  'state',
  'zip',
  'apn',
  'latitude',
  'longitude',
  'acres',
  'price',
  'sold_date',
  'miles',
  'price_per_acre',
  ...ADJUSTMENTS.flatMap(name => [`${name}_percent`, `${name}_reason`]),
  'adjusted_price_per_acre',
  'weight_percent',
  'source',
  'url',
];

/** The chosen comps. */
export function csvOf(result: Result | null): string {
  const rows = (result?.lines ?? []).map(({ comp, ppa, adjustments, adjusted_ppa, weight }) => ({
    ...comp,
    url: isWebAddress(comp.url) ? comp.url : '',
    latitude: Number(comp.lat.toFixed(7)),
    longitude: Number(comp.lon.toFixed(7)),
    acres: Number(comp.acres.toFixed(6)),
    miles: rounded(comp.distance_m / METERS_PER_MILE),
    price_per_acre: rounded(ppa),
    ...Object.fromEntries(
      ADJUSTMENTS.flatMap(name => [
        [`${name}_percent`, rounded(adjustments[name].percent)],
        [`${name}_reason`, adjustments[name].reason],
      ]),
    ),
    adjusted_price_per_acre: rounded(adjusted_ppa),
    weight_percent: rounded(100 * shownWeight(weight)),
  }));
  return csv(rows, COLUMNS);
}

const rounded = (value: number | null): number | null => (value === null ? null : round2(value));
