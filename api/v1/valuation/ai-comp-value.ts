import { z } from 'zod';
import {
  confidenceRanks,
  LEAST_RANKED,
  readConfidenceOrder,
} from '../../../shared/feeds/confidence-order.ts';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { PRICES } from '../../../shared/model/prices.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { unpackComps } from '../../../shared/model/valuation-comps-codec.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { countyName, fiveDigits } from '../../../shared/regions/counties.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { parcelParams, propertyId } from '../common/property-id-parameter.ts';
import { queryFlag } from '../common/request-schemas.ts';
import type { StoredValuation } from '../common/valuations.ts';
import { VALUE_EXAMPLE, VALUE_EXAMPLE_ID } from '../examples/examples.ts';

const usd = (description: string) => z.number().min(0).describe(`${description}, in USD.`);
const adjustedFor = (by: string) =>
  z.number().describe(`Adjustment of the comp's price per acre for ${by}, in percent.`);

const usedComp = z.object({
  id: z.uuid().describe('Id of the comp in `comps/`.'),
  status: z
    .enum(['ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET'])
    .describe('Current status. A comp can leave the market after the estimate.'),
  price: usd('Sale price, or list price'),
  lot_size: z.number().nullable().describe('Lot size in acres. Null if unknown.'),
  sold_date: z.iso.datetime().nullable().describe('Sale date at midnight UTC. Null for a listing.'),
  weight: z
    .number()
    .min(0)
    .max(1)
    .describe('Share of the comp among the comps, from 0 to 1. The shares add up to 1.'),
  size_percent: adjustedFor('size'),
  time_percent: z
    .number()
    .describe(
      "Adjustment of the comp's price per acre for time, in percent: the county's price trend since the sale, and a correction based on recent estimates of the county's sales, if there are enough. 0 for a list price.",
    ),
  location_percent: adjustedFor('location'),
  asking_percent: adjustedFor('being a list price (0 for a sale)'),
  land_percent: z
    .number()
    .nullable()
    .describe(
      "Adjustment of the comp's price per acre for slope, road frontage, flood zone, wetlands, and waterfront combined, in percent. Null if sales show that these have no effect, or if they are unknown for the comp or the parcel.",
    ),
});

const explanation = z
  .object({
    low_price: usd('Low end of the 80% range'),
    high_price: usd('High end of the 80% range (about one sale in ten is above it)'),
    out_of_support: z
      .boolean()
      .describe(
        'Whether the comps are too different from the parcel. True if the parcel is more than 1.5 times as large as the largest comp, or smaller than the smallest comp by that factor, if every comp is more than two steps away (distance, size, and age combined, see docs/valuations.md), or if none of the comps are sales. Also true if the parcel cannot be sold as a lot: according to the roll, it is exempt, a right-of-way, water, or a common area, or it is smaller than 0.02 acres. In all of these cases, the confidence is halved. Also true, but without halving the confidence, if the county has so few sales that its price level could be off by a quarter. The range and confidence already reflect that uncertainty. In list rows, this is reported in `needs_review`.',
      ),
    confidence_ranks: z
      .boolean()
      .nullable()
      .describe(
        `Whether the county's past sales show that estimates with a higher \`confidence_score\` are closer to the price. If false, don't rank the county's parcels by the score. Either the county has fewer than ${LEAST_RANKED} past sales with estimates, or in those sales a higher score did not reliably mean a closer estimate. Null if this has not been measured yet.`,
      ),
    as_of: z.iso.date().describe('Date of the estimate. Later sales are not used.'),
    model_version: z.string().describe('Version of the model that made the estimate.'),
    neighborhood: z
      .object({
        ppa: usd('Price per acre of a parcel of this size there'),
        weight: z
          .number()
          .min(0)
          .max(1)
          .describe('Share of the estimate, from 0 to 1. Comps share the rest.'),
      })
      .nullable()
      .describe(
        'Price level of the neighborhood, from all nearby sales of any size. The logarithm of `mean_adjusted_ppa` is the weighted mean of the logarithms of this price and of the adjusted prices of the comps. Null with too few sales.',
      ),
    comps: z
      .array(usedComp)
      .describe(
        'Comps used for the estimate, most similar first. `weight` and the percentages are from the time of the estimate. `price`, `lot_size`, `sold_date`, and `status` are current, so if the source makes a correction, they can disagree with the estimate until it is recalculated.',
      ),
  })
  .meta({ id: 'AiCompValueExplanation' });

const compValue = z
  .object({
    mean_price: usd('Average price of the comps, without adjustments'),
    mean_ppa: usd('Average price per acre of the comps, without adjustments'),
    mean_adjusted_price: usd('Estimated value: `mean_adjusted_ppa` times the effective acres'),
    mean_adjusted_ppa: usd(
      "Estimated value per acre: weighted geometric mean of the comps' prices per acre, each adjusted for size, time, location, and land, and of the neighborhood's price per acre",
    ),
    confidence_score: z
      .number()
      .min(0)
      .max(95)
      .describe(
        'Confidence from 0 to 95: the percentage of past sales with comps like these whose estimate, made as of the day before the sale, was within 25% of the price. Halved if the comps are too different from the parcel (`out_of_support`). A halved score is not a percentage of sales.',
      ),
    gini_index: z
      .number()
      .min(0)
      .max(100)
      .describe(
        'Gini coefficient of the adjusted prices, from 0 to 100. The lower the value, the more closely the prices agree.',
      ),
    explanation: explanation.optional().describe('Range and comps, with `explain=true`.'),
  })
  .meta({ id: 'AiCompValue' });

/** The response if `explain=true`. */
export type ExplainedValue = Required<z.infer<typeof compValue>>;

export const aiCompValue = defineEndpoint({
  ...parcelParams,
  params: z.object({ property_id: propertyId.meta({ example: VALUE_EXAMPLE_ID }) }),
  path: '/api/public/v1/properties/{property_id}/ai-comp-value/',
  operationId: 'get_property_ai_comp_value',
  summary: 'Get the estimated value of a parcel',
  description:
    "Returns the estimated value of a parcel's land, based on up to 24 comps that are close in distance, size, and time. Comps are vacant land, so buildings do not add to the estimate. Features that are not in the data, such as a view, are not included.\n\nEach comp is adjusted to the parcel for size, time, location, and land (slope, road frontage, flood zone, wetlands, waterfront), using effects estimated from sales. The result is averaged with the price level of the neighborhood. Estimates are stored. They are recalculated daily, and whenever comps or parcels change.",
  query: z.strictObject({
    explain: queryFlag('Add the 80% range and the comps with their adjustments. No extra charge.'),
  }),
  metering: { key: 'public_ai_comp_value', price: PRICES.value, note: 'free on 404' },
  response: {
    status: 200,
    description: 'The estimate.',
    schema: compValue,
    example: { summary: '?explain=true, response from the sample data', value: VALUE_EXAMPLE },
  },
  errors: {
    not_found:
      'No parcel has this id, or the parcel has left the roll, has an unknown acreage or location, has fewer than 3 comps, or is in a county that has not been valued yet. A county without sales of its own needs sales from at least three counties within 100 km. Free.',
  },
  handle: async ({ params: { property_id }, query: { explain } }, { db, readValuation }) => {
    const row = await readValuation(countyOf(property_id), property_id, explain);
    if (row === undefined) throw notFound(`No parcel on the roll has the id ${property_id}.`);
    if (row.mean_price === null) throw notFound(await explainAbsence(db, property_id));
    const value = {
      mean_price: round2(row.mean_price),
      mean_ppa: round2(row.mean_ppa),
      mean_adjusted_price: round2(row.mean_adjusted_price),
      mean_adjusted_ppa: round2(row.mean_adjusted_ppa),
      confidence_score: round2(row.confidence_score),
      gini_index: round2(row.gini_index),
    };
    if (!explain) return { body: value, tokens: PRICES.value.tokens };
    return {
      body: { ...value, explanation: await explainValue(db, countyOf(property_id), row) },
      tokens: PRICES.value.tokens,
    };
  },
});

type Value = Exclude<StoredValuation, { mean_price: null }>;

/** Why a parcel has no estimate, and how to get one. */
async function explainAbsence(db: Db, id: number): Promise<string> {
  const fips = countyOf(id);
  const none = `Not enough comps to estimate the value of parcel ${id}`;
  const [sales] = await db.run('valuation/has_sales', { fips });
  if (sales !== undefined) return `${none}, or its acreage or location is unknown.`;
  return `${none}. ${countyName(fips)} (${fiveDigits(fips)}) has no land sales, and fewer than three other counties have sales within 100 km. Add a feed with ten or more sales in the county.`;
}

type UsedComp = Pick<z.infer<typeof usedComp>, 'id' | 'status' | 'price' | 'lot_size' | 'sold_date'>;

async function explainValue(db: Db, fips: number, value: Value): Promise<object> {
  const used = unpackComps(value.comps!);
  const rows = await db.run<UsedComp>('valuation/list_used_comps', { ids: used.map(({ id }) => id) });
  const byId = new Map(used.map(comp => [comp.id, comp]));
  return {
    low_price: round2(value.low_price),
    high_price: round2(value.high_price),
    out_of_support: value.out_of_support,
    confidence_ranks: confidenceRanks(await readConfidenceOrder(db, fips)),
    as_of: value.as_of,
    model_version: value.model_version,
    neighborhood:
      value.neighborhood_ppa === null
        ? null
        : { ppa: round2(value.neighborhood_ppa), weight: Math.round(value.neighborhood_weight! * 1e4) / 1e4 },
    comps: rows.map(row => {
      const comp = byId.get(row.id)!;
      return {
        ...row,
        sold_date: row.sold_date === null ? null : `${row.sold_date}T00:00:00Z`,
        weight: Math.round(comp.weight * 1e4) / 1e4,
        size_percent: round2(comp.sizePercent),
        time_percent: round2(comp.timePercent),
        location_percent: round2(comp.locationPercent),
        asking_percent: round2(comp.askingPercent),
        land_percent: comp.landPercent === null ? null : round2(comp.landPercent),
      };
    }),
  };
}
