import { z } from 'zod';
import {
  allOf,
  type Serials,
  serialsOf,
  takenAfter,
  takenBefore,
  takenFrom,
} from '../../shared/kernels/serials/serials.ts';
import { type Database, unavailable } from '../http/database.ts';
import { openPage, type Page, pageParameters, turnPage } from '../http/paging.ts';
import { parcelPage, SUMMARY_COLUMNS, type SummaryRow, toSummary } from './common/parcel-summary.ts';
import { propertyIdOf, serialOf } from './common/property-id.ts';
import { defineEndpoint } from './common/resources.ts';
import { fips } from './common/schemas.ts';
import { SEARCH_EXAMPLE } from './examples/parcels.ts';
import {
  findByApn,
  findByOwner,
  forgetOwners,
  holding,
  type OwnerMatch,
  ownerPieces,
  splitName,
} from './properties/find-parcels.ts';

const PATH = '/api/public/v1/properties/search/';
const TOKENS = 10;

/** No name of an owner needs more; it bounds the work of one search. */
const MAX_PIECES = 10;
const MAX_LENGTH = 200;
const MIN_LONGEST = 2;

/** A county's owners change with an ingestion, which takes far longer than a search: once is rare, and twice in a row. */
const MAX_TRIES = 5;

const text = z
  .string('must be given once')
  .max(MAX_LENGTH, `must be at most ${MAX_LENGTH} characters long`)
  .regex(/^[^\0]*$/, 'must not hold NUL characters');

const query = z
  .strictObject({
    fips: z.string('is required: the county in which to search, once').pipe(fips).meta({
      description: 'County in which to search: 5 digits, the leading zero may be missing.',
      example: '33019',
    }),
    apn: text
      .refine(apn => /[^ .-]/.test(apn), 'must hold more than spaces, dashes and dots')
      .optional()
      .meta({
        description:
          "Assessor's parcel number. It must be equal but for case, spaces, dashes and dots. This or `owner_name` is required; both must fit.",
        example: '000015-000042-000000',
      }),
    owner_name: text
      .refine(name => splitName(name).length <= MAX_PIECES, `must be at most ${MAX_PIECES} words`)
      .refine(
        name => splitName(name).some(piece => [...piece].length >= MIN_LONGEST),
        `must hold a word of at least ${MIN_LONGEST} characters`,
      )
      .optional()
      .meta({
        description:
          "Parts of the primary owner's name, separated by white space; each must stand somewhere in the name, in any case and order.",
        example: 'forestry quill',
      }),
    ...pageParameters({ usual: 25, most: 100 }),
  })
  .superRefine(({ apn, owner_name }, { addIssue }) => {
    if (apn !== undefined || owner_name !== undefined) return;
    for (const field of ['apn', 'owner_name'])
      addIssue({ code: 'custom', path: [field], message: 'apn or owner_name is required' });
  });

export const searchProperties = defineEndpoint({
  method: 'get',
  path: PATH,
  operationId: 'searchProperties',
  tag: 'Parcels',
  summary: 'Search parcels by APN or owner name',
  description:
    'Parcels on the roll of one county with this parcel number, or whose primary owner is called so, by property_id.',
  params: z.object({}),
  query,
  metering: {
    key: 'public_property_search',
    price: TOKENS,
    rule: '10 tokens a search (a page is one), whatever the page size; 0 when nothing matches. A page past the end costs as much: it tells the count',
  },
  response: {
    status: 200,
    description: 'A page of parcels; empty when nothing matches.',
    schema: parcelPage,
    etag: false,
    examples: { sample: { summary: SEARCH_EXAMPLE.query, value: SEARCH_EXAMPLE.response } },
  },
  errors: {},
  handle: async (
    { query: { fips: county, apn, owner_name, ...paging } },
    { database, cursorSecret },
    call,
  ) => {
    const code = Number(county);
    const page = await openPage(paging, {
      endpoint: PATH,
      request: { fips: code, apn, owner_name },
      call,
      secret: cursorSecret,
    });
    const { found, rows } =
      apn === undefined
        ? await searchOwners(database, code, ownerPieces(owner_name!), page)
        : await searchApn(database, code, apn, splitName(owner_name ?? ''), page);
    const ids = shownOn(page, found).map(serial => propertyIdOf(code, serial));
    const { rows: shown, ...envelope } = turnPage(page, ids, page.count ?? found.size, id => [id]);
    const results = rows
      .filter(row => shown.includes(row.property_id))
      .map(row => toSummary(row, call.appUrl));
    // Also for a page past the end: its count is an answer.
    return { body: { ...envelope, results }, tokens: envelope.count === 0 ? 0 : TOKENS };
  },
});

/** All parcels that were found, and the rows of those that the page shows, if not of more. */
type Search = { found: Serials; rows: SummaryRow[] };

/**
 * What is found, its count and the names that are shown are of one version of the county's owners: when another one
 * comes up between two statements, all begins anew.
 * @throws PlatError 503 when that happens again and again
 */
async function searchOwners(
  database: Database,
  county: number,
  pieces: readonly string[],
  page: Page,
): Promise<Search> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const match = await findByOwner(database, county, pieces);
    const read = match && (await readMatch(database, county, match, page));
    if (read !== undefined) return read;
    forgetOwners(database, county);
  }
  throw unavailable('The parcels of this county are being replaced. Try again shortly.');
}

/** Undefined when there is another version than that of the match. */
async function readMatch(
  database: Database,
  county: number,
  { found, unchecked, version }: OwnerMatch,
  page: Page,
): Promise<Search | undefined> {
  const wanted = unchecked.length > 0 ? allOf(found) : shownOn(page, found).slice(0, page.size);
  const read = await readParcels(database, county, wanted, unchecked);
  if (read.version !== version) return undefined;
  if (unchecked.length === 0) return { found, rows: read.rows };
  return { found: serialsOf(read.rows.map(row => serialOf(row.property_id))), rows: read.rows };
}

async function searchApn(
  database: Database,
  county: number,
  apn: string,
  pieces: readonly string[],
  page: Page,
): Promise<Search> {
  const found = await findByApn(database, county, apn, pieces);
  const { rows } = await readParcels(database, county, shownOn(page, found).slice(0, page.size), []);
  return { found, rows };
}

/** One serial more than the page shows, in the order of reading. */
function shownOn({ beside, offset, size }: Page, found: Serials): number[] {
  if (beside === undefined) return takenFrom(found, offset, size + 1);
  const serial = serialOf(Number(beside.place[0]));
  return beside.direction === 'next'
    ? takenAfter(found, serial, size + 1)
    : takenBefore(found, serial, size + 1);
}

type VersionedRow = { version: string | null } & (SummaryRow | { property_id: null });

/** Parcels by their ids, those whose owners have all the pieces, and the version of the county's owners. */
async function readParcels(
  database: Database,
  county: number,
  serials: readonly number[],
  pieces: readonly string[],
): Promise<{ version: string | null; rows: SummaryRow[] }> {
  const ids = serials.map(serial => propertyIdOf(county, serial));
  const rows = await database.runComposed<VersionedRow>(
    'properties/read_summaries',
    { summary: SUMMARY_COLUMNS },
    [county, ids, pieces.map(holding)],
  );
  return {
    version: rows[0]!.version,
    rows: rows.filter((row): row is VersionedRow & SummaryRow => row.property_id !== null),
  };
}
