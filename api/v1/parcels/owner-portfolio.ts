import { z } from 'zod';
import { acresTogether, boundaryName, type Land } from '../../../shared/kernels/acres-together.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { ownerKeys } from '../../../shared/parcels/owner-key.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { notFound, unprocessable, validationError } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import {
  type ParcelSummary,
  parcelSummary,
  readSummaries,
  type SummaryRow,
  toSummary,
} from '../common/parcel-summary.ts';
import { parcelParams } from '../common/property-id-parameter.ts';
import { EXAMPLE_ID, PORTFOLIO_EXAMPLE } from '../examples/examples.ts';

/**
 * A response with this many parcels is 4 MB and takes 0.2 s. Governments and railroads own more. To page
 * through their parcels, clients use the filter.
 */
export const MAX_PORTFOLIO = 10_000;

const portfolio = z
  .object({
    source_parcel: parcelSummary,
    total_parcels: z.int().min(1).describe('Number of parcels the owner has, including this one.'),
    total_acres: z
      .number()
      .min(0)
      .describe(
        'Total of their effective acres, with two decimals. If several units share one boundary, its land is counted once. Parcels with unknown acreage count as 0.',
      ),
    total_states: z.int().min(1).describe('Number of states in which the owner has parcels.'),
    total_counties: z.int().min(1).describe('Number of counties in which the owner has parcels.'),
    results: z
      .array(parcelSummary)
      .describe("All of the owner's parcels, including this one, sorted by `property_id`."),
  })
  .meta({ id: 'OwnerPortfolio' });

export type Portfolio = z.output<typeof portfolio>;

export const ownerPortfolio = defineEndpoint({
  ...parcelParams,
  path: '/api/public/v1/properties/{property_id}/owner-portfolio/',
  operationId: 'get_owner_portfolio',
  summary: 'List the parcels of an owner',
  description:
    "Returns every parcel on the roll, in any county, whose owner mailing address has the same street and ZIP code as this parcel's.\n\nIf a mailing address has no ZIP code, Plat uses the ZIP code that other parcels have for the same street, city, and state. If there is no such ZIP code, or more than one, the address matches only addresses without a ZIP code. If the parcel has no owner mailing address, the call returns a `validation_error`.",
  metering: {
    key: 'public_owner_portfolio',
    price: PRICES.portfolio,
    // Otherwise, an account with too few tokens would learn from a refused charge that the owner has more
    // land.
    needs: () => PRICES.portfolio.tokens,
    note: 'free when the owner has no other parcel',
  },
  response: {
    description: "The parcel's owner portfolio.",
    schema: portfolio,
    example: { summary: `The owner of parcel ${EXAMPLE_ID} in the sample data`, value: PORTFOLIO_EXAMPLE },
  },
  errors: {
    not_found: 'No parcel has this id, or the parcel has left the roll. Free.',
    unprocessable: `The owner has more than ${MAX_PORTFOLIO.toLocaleString('en-US')} parcels. Use \`owner_parcel_id\` in \`POST properties/filter/\` to page through them. Free.`,
  },
  handle: async ({ params: { property_id } }, { db }, call) => {
    const parcels = await db.snapshot(tx => readPortfolio(tx, property_id));
    const results = parcels.map(row => toSummary(row, call.appUrl));
    const body = { source_parcel: subjectOf(results, property_id), ...totals(parcels), results };
    return { body, tokens: parcels.length > 1 ? PRICES.portfolio.tokens : 0 };
  },
});

async function readPortfolio(db: Db, id: number): Promise<SummaryRow[]> {
  const [subject] = await db.run<{ retired: boolean; owner_key: string | null }>('parcels/read_owner', {
    fips: countyOf(id),
    property_id: id,
  });
  if (subject === undefined) throw notFound(`No parcel has the id ${id}.`);
  if (subject.retired) throw notFound(`Parcel ${id} has left the roll and no longer has an owner.`);
  if (subject.owner_key === null)
    throw validationError({ property_id: ['is a parcel without an owner mailing address'] });
  const owned = await db.run<{ property_id: number }>('parcels/list_portfolio', {
    owner_keys: await ownerKeys(db, subject.owner_key),
    limit: MAX_PORTFOLIO + 1,
  });
  if (owned.length > MAX_PORTFOLIO) {
    throw unprocessable(
      `The owner of parcel ${id} has more than ${MAX_PORTFOLIO.toLocaleString('en-US')} parcels. Use owner_parcel_id in POST /api/public/v1/properties/filter/ to page through them.`,
    );
  }
  // While a merge commits, the parcel's own entry can be missing, because it may be on another server.
  const ids = new Set([...owned.map(row => row.property_id), id]);
  return readSummaries(
    db,
    [...ids].sort((a, b) => a - b),
  );
}

function subjectOf(results: readonly ParcelSummary[], id: number): ParcelSummary {
  const subject = results.find(parcel => parcel.property_id === id);
  if (subject === undefined) throw new Error(`Parcel ${id} is missing from the portfolio of its owner.`);
  return subject;
}

const landOf = ({ lon_e7, lat_e7, acres, calculated_acres }: SummaryRow): Land => ({
  boundary:
    lon_e7 === null || lat_e7 === null || calculated_acres === null
      ? null
      : boundaryName(lon_e7, lat_e7, calculated_acres),
  acres: acres ?? calculated_acres ?? 0,
  boundaryAcres: calculated_acres ?? 0,
});

function totals(parcels: readonly SummaryRow[]) {
  return {
    total_parcels: parcels.length,
    total_acres: round2(acresTogether(parcels.map(landOf))),
    total_states: new Set(parcels.map(row => Math.floor(row.fips / 1_000))).size,
    total_counties: new Set(parcels.map(row => row.fips)).size,
  };
}
