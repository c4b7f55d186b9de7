import { tokenHashOf } from '../../../shared/accounts/sign-in.ts';
import { ADJUSTMENTS, prepareReports, type ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import { type Result, resultOf } from '../../../shared/comping/comp-report-result.ts';
import {
  findReport,
  findSharedReport,
  type Report,
  wantReport,
} from '../../../shared/comping/stored-reports.ts';
import { readParcelMap } from '../../../shared/drawing/collect-map.ts';
import { drawParcelMap } from '../../../shared/drawing/draw-parcel.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { isWebAddress } from '../../../shared/model/listing-fields.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { shownWeight } from '../../../shared/model/valuation-comps-codec.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { enqueueAndNotify } from '../../../shared/platform/queue/jobs.ts';
import { csv } from '../../../shared/platform/to-csv.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import type { Visit } from '../frame/visit.ts';
import { METERS_PER_MILE } from './comping-filter.ts';

/** The report in the URL. @throws PlatError `not_found`, also for another account's report */
export async function readReport({ req, deps, session }: Visit): Promise<Report> {
  const id = String(req.params.report);
  const reader = session && { accountId: session.account?.id ?? null, userId: session.user.id };
  const found = reader && UUID.test(id) ? await findReport(deps.db, id, reader) : undefined;
  if (found === undefined) throw notFound('Report not found.');
  return found;
}

/**
 * The report that a link opens.
 * @throws PlatError `not_found`, also if the link has expired or was removed
 */
export async function readShared({ req, deps }: Visit): Promise<Report> {
  const token = String(req.params.token);
  const report = /^[\w-]{43}$/.test(token) ? await findSharedReport(deps.db, tokenHashOf(token)) : undefined;
  if (report?.snapshot) return report;
  throw notFound('This link has expired or sharing was turned off.');
}

export function figuresOf({ snapshot, chosen, overrides }: Report): Result | null {
  if (snapshot === null) return null;
  const ids = new Set(chosen);
  return resultOf(snapshot, ({ id }) => ids.has(id), overrides);
}

/** The result with the model's own comps and no overrides. */
export function modelResultOf(snapshot: ReportSnapshot): Result | null {
  return snapshot.machine === null ? null : resultOf(snapshot, ({ used }) => used, []);
}

type Labeled = Pick<Report, 'label'>;

/** The parcel's address, or its number. */
export const parcelOf = ({ label }: Labeled): string =>
  label.startsWith('APN ') ? `APN ${shortApn(label.slice(4))}` : titleCase(label) || 'Parcel';

export const titleOf = (report: Labeled & Pick<Report, 'title'>): string => report.title || parcelOf(report);

/** The parcel's map as a data URL. Null if the parcel has left the roll or has no boundary. */
export async function readDrawing(db: Db, { property_id }: Report): Promise<string | null> {
  const map = await readParcelMap(db, property_id).catch(
    undefinedIf(({ code }) => code === 'parcel_retired' || code === 'parcel_shapeless'),
  );
  if (!map) return null;
  return `data:image/svg+xml;base64,${Buffer.from(drawParcelMap(map)).toString('base64')}`;
}

/** Asks a worker to prepare the report, or to look for newer data. */
export function requestSnapshot(db: Db, report: Report): Promise<void> {
  return db.transaction(async tx => {
    await wantReport(tx, report);
    await enqueueAndNotify(tx, prepareReports, { fips: report.fips });
  });
}

/** Columns of the CSV. Each adjustment has its percentage and the reason for an override. */
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
