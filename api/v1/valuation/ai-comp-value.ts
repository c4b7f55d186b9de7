import { z } from 'zod';
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
const moved = (by: string) =>
  z.number().describe(`How much its price per acre was moved for ${by}, in percent.`);

const usedComp = z.object({
  id: z.uuid().describe('The comp, as `comps/` lists it.'),
  status: z
    .enum(['ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET'])
    .describe('As it is now: a comp may have left the market since.'),
  price: usd('Sale price, or asking price'),
  lot_size: z.number().nullable().describe('Acres.'),
  sold_date: z.iso.datetime().nullable().describe('The day of the sale at midnight UTC.'),
  weight: z.number().min(0).max(1).describe('Its share in the estimate.'),
  size_percent: moved('the difference in size'),
  time_percent: z
    .number()
    .describe(
      "How much its price per acre was moved for time, in percent: by the county's trend since the sale, and by what the estimates of the county's sales of the last year were off by, where they tell it; 0 for an asking price.",
    ),
  location_percent: moved('the price level of its place'),
  asking_percent: moved('being an asking price; 0 for a sale'),
  land_percent: z
    .number()
    .nullable()
    .describe(
      'How much its price per acre was moved for slope, road frontage, flood zone and wetlands together, in percent; null where the sales show no effect of them, or what has one is not known of both.',
    ),
});

const explanation = z
  .object({
    low_price: usd('Lower end of the 80 % interval'),
    high_price: usd('Upper end of the 80 % interval: one sale in ten would be above it'),
    out_of_support: z
      .boolean()
      .describe(
        'The parcel is half as large again as the largest comp, smaller by as much than the smallest, far from all of them, or has no sale among them, which halves its confidence; or so few sales of its county are known that its price level alone may be a quarter off, which interval and confidence count.',
      ),
    as_of: z.iso.date().describe('The day for which it is valued; later sales are not known to it.'),
    model_version: z.string(),
    comps: z
      .array(usedComp)
      .describe(
        'The comps that were used, the nearest in kind first. `price`, `lot_size`, `sold_date` and `status` are as they are now, `weight` and the percentages as the estimate was made: what a source has corrected since does not add up with them until the estimate is made anew, which follows the correction.',
      ),
  })
  .meta({ id: 'AiCompValueExplanation' });

const compValue = z
  .object({
    mean_price: usd('Mean price of the selected comps'),
    mean_ppa: usd('Mean price per acre of the selected comps'),
    mean_adjusted_price: usd('The estimate: adjusted price per acre x effective acres'),
    mean_adjusted_ppa: usd(
      "The estimate per acre: weighted geometric mean of the comps' prices per acre, each adjusted for size, recency, location and land",
    ),
    confidence_score: z
      .number()
      .min(0)
      .max(95)
      .describe(
        '100 x the share of past sales, valued as of the day before by comps like these, whose estimate was within 25 % of the price; at most 95, halved where the comps are unlike the parcel.',
      ),
    gini_index: z
      .number()
      .min(0)
      .max(100)
      .describe('Gini coefficient of the adjusted prices; lower: they agree more.'),
    explanation: explanation.optional().describe('With `explain=true`.'),
  })
  .meta({ id: 'AiCompValue' });

/** The answer with `explain=true`. */
export type ExplainedValue = Required<z.infer<typeof compValue>>;

export const aiCompValue = defineEndpoint({
  ...parcelParams,
  params: z.object({ property_id: propertyId.meta({ example: VALUE_EXAMPLE_ID }) }),
  path: '/api/public/v1/properties/{property_id}/ai-comp-value/',
  operationId: 'get_property_ai_comp_value',
  summary: 'Get the estimated value of a parcel',
  description:
    'Comps near by in distance, size and time, each adjusted to the parcel for size, recency, location and, where the sales show that it matters, land (slope, road frontage, flood zone, wetlands) with effects that were estimated from the sales themselves. It is the value of the land by what vacant land sells for: buildings count nothing, and what the sales do not tell (a shore, a view) is not in it. Computed ahead of time, anew when comps or parcels change and once a day.',
  query: z.strictObject({
    explain: queryFlag(
      'Add an 80 % interval, the comps and what each was adjusted by. Free of extra charge.',
    ),
  }),
  metering: { key: 'public_ai_comp_value', price: PRICES.value, note: 'free on 404' },
  response: {
    status: 200,
    description: 'The estimate.',
    schema: compValue,
    example: { summary: '?explain=true, in the sample', value: VALUE_EXAMPLE },
  },
  errors: {
    not_found:
      'No parcel has this id, it has left the roll, or there are no relevant comps: a county without sales of its own has none unless sales of three counties are within 100 km. Costs nothing.',
  },
  handle: async ({ params: { property_id }, query: { explain } }, { db, readValuation }) => {
    const row = await readValuation(countyOf(property_id), property_id, explain);
    if (row === undefined) throw notFound(`There is no parcel ${property_id} on the roll.`);
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
      body: { ...value, explanation: await explainValue(db, row) },
      tokens: PRICES.value.tokens,
    };
  },
});

type Value = Exclude<StoredValuation, { mean_price: null }>;

/** Why a parcel has no estimate, and what helps. */
async function explainAbsence(db: Db, id: number): Promise<string> {
  const fips = countyOf(id);
  const none = `There are no relevant comps for parcel ${id}`;
  const [sales] = await db.run('valuation/has_sales', { fips });
  if (sales !== undefined) return `${none}, or its acreage or place is unknown.`;
  return `${none}: no sale of land in ${countyName(fips)} (${fiveDigits(fips)}) is known, and sales of fewer than three counties are within 100 km of it. A feed of the county's sales helps, ten or more of them.`;
}

type UsedComp = Pick<z.infer<typeof usedComp>, 'id' | 'status' | 'price' | 'lot_size' | 'sold_date'>;

async function explainValue(db: Db, value: Value): Promise<object> {
  const used = unpackComps(value.comps!);
  const rows = await db.run<UsedComp>('valuation/list_used_comps', { ids: used.map(({ id }) => id) });
  const byId = new Map(used.map(comp => [comp.id, comp]));
  return {
    low_price: round2(value.low_price),
    high_price: round2(value.high_price),
    out_of_support: value.out_of_support,
    as_of: value.as_of,
    model_version: value.model_version,
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
