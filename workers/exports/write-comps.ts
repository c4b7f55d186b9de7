import { SOURCES_COLUMN } from '../../shared/exports/export-columns.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { areasOf, openArea } from '../../shared/market/comps-area.ts';
import { compsRequest } from '../../shared/market/comps-query.ts';
import { selectComps } from '../../shared/market/select-comps.ts';
import { isWebAddress } from '../../shared/model/listing-fields.ts';
import { acresOf } from '../../shared/model/shown-acres.ts';
import { compose, inlined, sql } from '../../shared/platform/statements.ts';
import { creditsOfListings } from './credits.ts';
import {
  type FileOptions,
  type FileRow,
  type OtherRow,
  placeOf,
  type Sink,
  type Written,
} from './file-writer.ts';
import { readLines, rowsOf } from './read-rows.ts';

/** The columns of copy_comps, after the id, the version, the feed, and the sort key. */
const READ = [
  'status',
  'address',
  'city',
  'state',
  'zip',
  'county',
  'apn',
  'longitude',
  'latitude',
  'lot_size',
  'price',
  'sold_date',
  'days_on_market',
  'sale_type',
  'url',
  'source',
];

/** Writes comps in the requested order, as of one moment. */
export async function writeComps({ db, request, asOf }: FileOptions, sink: Sink): Promise<Written> {
  const query = compsRequest.parse(request.comps);
  const found = await areasOf(query, COMPUTE_HERE);
  const areas = await Promise.all(found.map(area => openArea(area, db, COMPUTE_HERE)));
  const { where, place, values } = selectComps(query, areas, asOf);
  const places = { figures: sql('market/comp_figures'), where, place };
  const credits = await creditsOfListings(db);
  const others: OtherRow[] = [];

  const toRow = ([id, version, feed, x, y, ...read]: string[]): FileRow => {
    others.push({ id: id!, version: version!, lines: 1 });
    const cells: Record<string, string> = { id: id!, [SOURCES_COLUMN]: credits.get(Number(feed)) ?? '' };
    for (const [i, name] of READ.entries()) cells[name] = read[i]!;
    // Format the acreage as the API does.
    cells.lot_size = cells.lot_size === '' ? '' : String(acresOf(Number(cells.lot_size)));
    if (!isWebAddress(cells.url!)) cells.url = '';
    return { id: id!, cells: sink.columns.map(({ name }) => cells[name]!), place: placeOf(x!, y!, '') };
  };
  await db.snapshot(async tx => {
    const text = inlined(compose('exports/copy_comps', places), values);
    async function* rows() {
      for await (const lines of readLines(tx, text)) yield rowsOf(lines).map(toRow);
    }
    await sink.write(rows(), 1, 1);
  });
  return { rows: others.length, parcels: [], others };
}
