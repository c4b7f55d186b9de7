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

/** 4 MB in 0.2 s. Governments and railways hold more: the filter pages through those. */
export const MAX_PORTFOLIO = 10_000;

const portfolio = z
  .object({
    source_parcel: parcelSummary,
    total_parcels: z.int().min(1).describe('All parcels of the owner, this one included.'),
    total_acres: z
      .number()
      .min(0)
      .describe(
        'Their effective acres together, to two decimals. Units that share one boundary count its land once. Parcels of unknown acreage count as 0.',
      ),
    total_states: z.int().min(1).describe('States in which they lie.'),
    total_counties: z.int().min(1).describe('Counties in which they lie.'),
    results: z.array(parcelSummary).describe('All parcels of the owner, this one included, by property_id.'),
  })
  .meta({ id: 'OwnerPortfolio' });

export type Portfolio = z.output<typeof portfolio>;

export const ownerPortfolio = defineEndpoint({
  ...parcelParams,
  path: '/api/public/v1/properties/{property_id}/owner-portfolio/',
  operationId: 'get_owner_portfolio',
  summary: 'List the parcels of an owner',
  description:
    "The parcels on the roll, in any county, whose owner has the same mailing address as the owner of this one: the same street and ZIP. A parcel without a mailing ZIP takes the one that is found at its street, city and state; with none or several there it goes with the others that have none. A parcel without an owner's mailing address is a `validation_error`.",
  metering: {
    key: 'public_owner_portfolio',
    // An account without tokens is refused before the work: whether it is free says what the owner has.
    price: PRICES.portfolio,
    note: 'free when the owner has no other parcel',
  },
  response: {
    description: 'The owner of this parcel, with every parcel that the owner holds.',
    schema: portfolio,
    example: { summary: `The owner of parcel ${EXAMPLE_ID} of the sample`, value: PORTFOLIO_EXAMPLE },
  },
  errors: {
    not_found: 'No parcel has this id, or it has left the roll. Costs nothing.',
    unprocessable: `The owner holds more than ${MAX_PORTFOLIO.toLocaleString('en-US')} parcels: page through them with the filter's \`owner_parcel_id\`. Costs nothing.`,
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
  if (subject === undefined) throw notFound(`There is no parcel ${id}.`);
  if (subject.retired) throw notFound(`Parcel ${id} has left the roll: it has no owner any more.`);
  if (subject.owner_key === null)
    throw validationError({ property_id: ["names a parcel without an owner's mailing address"] });
  const owned = await db.run<{ property_id: number }>('parcels/list_portfolio', {
    owner_keys: await ownerKeys(db, subject.owner_key),
    limit: MAX_PORTFOLIO + 1,
  });
  if (owned.length > MAX_PORTFOLIO) {
    throw unprocessable(
      `The owner of parcel ${id} holds more than ${MAX_PORTFOLIO} parcels: page through them with owner_parcel_id of POST /api/public/v1/properties/filter/.`,
    );
  }
  // Its own entry may be on another server and not be there yet while a merge commits.
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
