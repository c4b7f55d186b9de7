import { z } from 'zod';
import { withoutApostrophes } from '../../../shared/kernels/owner/owner-words.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import { openPage, type Page, pageParameters, toPageResult } from '../../http/paging.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { parcelPage, readSummaries, toSummary } from '../common/parcel-summary.ts';
import { fips } from '../common/request-schemas.ts';
import { SEARCH_EXAMPLE } from '../examples/examples.ts';
import { findByApn, findByOwner } from './find-parcels.ts';

const PATH = '/api/public/v1/properties/search/';

/** No owner name needs more than this. Limits the work that one search can cause. */
const MAX_PIECES = 10;
const MAX_LENGTH = 200;

const splitName = (name: string) =>
  withoutApostrophes(name)
    .split(/\s+/u)
    .filter(piece => piece !== '');

const text = z
  .string('must appear only once')
  .max(MAX_LENGTH, `must be at most ${MAX_LENGTH} characters long`)
  .refine(text => !text.includes('\0'), 'must not contain NUL characters');

const query = z
  .strictObject({
    fips: z.string('is required: the county to search, given once').pipe(fips).meta({
      description: '5-digit FIPS code of the county to search. The leading zero is optional.',
      example: '33019',
    }),
    apn: text
      .refine(apn => /[^ .-]/.test(apn), 'must contain more than spaces, dashes, and dots')
      .optional()
      .meta({
        description:
          "Assessor's parcel number as written, ignoring case. `apn` or `owner_name` is required. If you send both, a parcel must match both.\n\nIf no parcel matches, separators are ignored: `12-3` finds `12.3` and `12 3`, but not `1-23`. Digits alone match any grouping.",
        example: '000015-000042-000000',
      }),
    owner_name: text
      .refine(name => splitName(name).length <= MAX_PIECES, `must be at most ${MAX_PIECES} words`)
      .refine(name => splitName(name).length > 0, 'must not be empty')
      .optional()
      .meta({
        description:
          "Parts of the primary owner's name, separated by spaces. The name must contain all of them, in any order.\n\nCase, accents, and apostrophes are ignored.",
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
  path: PATH,
  operationId: 'search_properties',
  tag: 'Parcels',
  summary: 'Search parcels by APN or owner name',
  description:
    "Finds parcels on one county's roll by parcel number, by the primary owner's name, or by both. Results are sorted by property_id.",
  query,
  metering: {
    key: 'public_property_search',
    price: PRICES.searchPage,
    note: 'free when nothing matches. A page past the end costs the same, because it returns the count',
  },
  response: {
    description: 'A page of parcels. Empty when nothing matches.',
    schema: parcelPage,
    example: { summary: SEARCH_EXAMPLE.query, value: SEARCH_EXAMPLE.response },
  },
  handle: async ({ query: { fips: county, apn, owner_name, ...paging } }, { db, cursorSecret }, call) => {
    await requireKnownRegions(db, [{ field: 'fips', type: 'county', codes: [county] }]);
    const code = Number(county);
    const page = await openPage(paging, {
      endpoint: PATH,
      request: { fips: code, apn, owner_name },
      call,
      secret: cursorSecret,
    });
    const pieces = splitName(owner_name ?? '');
    // Use a single snapshot, so that matches and names agree while the roll is being replaced.
    const { found, rows } = await db.snapshot(async tx => {
      const found =
        apn === undefined ? await findByOwner(tx, code, pieces) : await findByApn(tx, code, apn, pieces);
      const rows = await readSummaries(tx, shownOn(page, found));
      return { found, rows };
    });
    if (page.cursorPosition?.direction === 'previous') rows.reverse();
    const pageResult = toPageResult(page, rows, page.count ?? found.length, row => [row.property_id]);
    const results = pageResult.rows.map(row => toSummary(row, call.appUrl));
    // A page past the end costs the same, because it returns the count.
    return {
      body: { ...pageResult, rows: undefined, results },
      tokens: pageResult.count === 0 ? 0 : PRICES.searchPage.tokens,
    };
  },
});

/** The ids on the page, plus one more. @param found in ascending order */
function shownOn({ cursorPosition, offset, size }: Page, found: readonly number[]): number[] {
  if (cursorPosition === undefined) return found.slice(offset, offset + size + 1);
  const place = Number(cursorPosition.place[0]);
  const after = found.findIndex(id => (cursorPosition.direction === 'next' ? id > place : id >= place));
  const at = after < 0 ? found.length : after;
  return cursorPosition.direction === 'next'
    ? found.slice(at, at + size + 1)
    : found.slice(Math.max(0, at - size - 1), at);
}
