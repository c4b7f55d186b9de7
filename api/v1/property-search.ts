import { z } from 'zod';
import { placeOf, type Serials } from '../../shared/kernels/serials/serials.ts';
import type { Database } from '../http/database.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { openPage, type Page, pageParameters, turnPage } from '../http/paging.ts';
import {
  type ParcelSummary,
  parcelPage,
  SUMMARY_COLUMNS,
  type SummaryRow,
  toSummary,
} from './parcel-summary.ts';
import { SEARCH_EXAMPLE } from './properties/examples.ts';
import { findByApn, findByOwner, ownerPieces, splitName } from './properties/find-parcels.ts';
import { propertyIdOf, serialOf } from './properties/property-id.ts';
import { fips } from './schemas.ts';

const PATH = '/api/public/v1/properties/search/';
const TOKENS = 10;

/** No name of an owner needs more; it bounds the work of one search. */
const MAX_PIECES = 10;
const MAX_LENGTH = 200;
const MIN_LONGEST = 2;

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
    rule: '10 tokens a search, whatever the page size; 0 for an empty answer: nothing matches, or a page past the end',
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
    const found =
      apn === undefined
        ? await findByOwner(database, code, ownerPieces(owner_name!))
        : await findByApn(database, code, apn, splitName(owner_name ?? ''));
    const ids = shownOn(page, found).map(serial => propertyIdOf(code, serial));
    const count = page.count ?? found.length;
    const { rows, ...envelope } = turnPage(page, ids, count, id => [id]);
    const results = await readParcels(database, code, rows, call.appUrl);
    return { body: { ...envelope, results }, tokens: results.length === 0 ? 0 : TOKENS };
  },
});

/** One serial more than the page shows, in the order of reading. */
function shownOn({ beside, offset, size }: Page, found: Serials): number[] {
  if (beside === undefined) return [...found.subarray(offset, offset + size + 1)];
  const serial = serialOf(Number(beside.place[0]));
  if (beside.direction === 'next') {
    const start = placeOf(found, serial + 1);
    return [...found.subarray(start, start + size + 1)];
  }
  const end = placeOf(found, serial);
  return [...found.subarray(Math.max(0, end - size - 1), end)].reverse();
}

async function readParcels(
  database: Database,
  county: number,
  ids: readonly number[],
  appUrl: string,
): Promise<ParcelSummary[]> {
  if (ids.length === 0) return [];
  const fragments = { summary: SUMMARY_COLUMNS };
  const rows = await database.runComposed<SummaryRow>('properties/read_summaries', fragments, [county, ids]);
  return rows.map(row => toSummary(row, appUrl));
}
