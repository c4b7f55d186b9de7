import { columnsOf } from '../../shared/exports/export-columns.ts';
import { needsOffer, rowsPerOf } from '../../shared/exports/export-request.ts';
import { type Letter, letterCells, readLetters } from '../../shared/exports/letters.ts';
import { readMembersOf } from '../../shared/exports/list-members.ts';
import { COUNTRY, type MailColumnName } from '../../shared/exports/mail-layout.ts';
import { findListOf, hitsOfList } from '../../shared/exports/parcel-hits.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import type { Db } from '../../shared/platform/db.ts';
import { countyText } from '../../shared/regions/counties.ts';
import { creditOf } from './credits.ts';
import type { CountyRows, FileOptions, FileRow, Sink, Written } from './file-writer.ts';
import { listGone } from './write-parcels.ts';

/** Letters per statement. */
const BATCH = 5_000;

/** Writes a list with one row per letter, and the credits of its counties for a second file. */
export async function writeMail({ db, request, companyId }: FileOptions, sink: Sink): Promise<Written> {
  const found = await findListOf(db, companyId!, request.list_id!);
  if (found === undefined) throw listGone();
  const list = { ...found, ...rowsPerOf(request, found) };
  const hits = await hitsOfList(db, list, { companyId: companyId!, status: request.status });
  const members = await db.snapshot(tx => readMembersOf(tx, hits));
  const onlyPriced = needsOffer(request);
  const columns = columnsOf(request).map(({ name, of = name }) => of as MailColumnName | typeof COUNTRY);
  const { rowIds } = members;
  const billed = new Map<number, { ids: number[]; versions: number[] }>();
  // Letters of a PDF take a while to lay out, so other work has its turn between smaller batches.
  const size = request.format === 'pdf' ? 250 : BATCH;
  let rows = 0;
  for (let from = 0; from < rowIds.length; from += size) {
    const batch = rowIds.slice(from, from + size);
    const letters = await db.snapshot(tx => readLetters(tx, list, members, batch, onlyPriced));
    for (const { leader } of letters) {
      const county = billed.get(countyOf(leader.property_id)) ?? { ids: [], versions: [] };
      billed.set(countyOf(leader.property_id), county);
      county.ids.push(leader.property_id);
      county.versions.push(leader.version);
    }
    rows += letters.length;
    await sink.write([letters.map(letter => toFileRow(letter, columns))], batch.length, rowIds.length);
  }
  return {
    rows,
    parcels: [...billed].map(toCountyRows),
    others: [],
    credits: await creditsOf(db, [...billed.keys()]),
  };
}

const toCountyRows = ([fips, { ids, versions }]: [
  number,
  { ids: number[]; versions: number[] },
]): CountyRows => ({
  fips,
  ids: Float64Array.from(ids),
  versions: Float64Array.from(versions),
});

async function creditsOf(db: Db, counties: readonly number[]): Promise<string> {
  const lines: string[] = [];
  for (const fips of counties) lines.push(`${countyText(fips)}: ${await creditOf(db, fips)}`);
  return `${lines.join('\n')}\n`;
}

function toFileRow(letter: Letter, columns: readonly (MailColumnName | typeof COUNTRY)[]): FileRow {
  const cells = { ...letterCells(letter), [COUNTRY]: COUNTRY };
  return { id: String(letter.leader.property_id), cells: columns.map(name => cells[name]), place: null };
}
