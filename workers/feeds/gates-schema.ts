import { z } from 'zod';

type PercentGate = {
  /** The default limit. */
  usual: number;
  /** Default: 100. */
  most?: null;
  /** Whether every kind of feed has this gate. */
  isCommon?: true;
  doc: string;
};

/**
 * Gates with a limit in percent. Each kind of feed lists the gates that it has in addition to the common
 * ones.
 */
const PERCENT_GATES = {
  max_row_drop_percent: {
    usual: 10,
    isCommon: true,
    doc: 'Maximum drop in rows, in percent, from the last accepted run and from the best run of the last 12 months.',
  },
  max_key_drop_percent: {
    usual: 10,
    doc: 'Kind assessor: maximum drop in keys, in percent, from the last accepted run and from the best run of the last 12 months.',
  },
  max_reject_percent: { usual: 5, isCommon: true, doc: 'Maximum share of rejected rows, in percent.' },
  max_outside_percent: {
    usual: 1,
    doc: "Maximum share of parcels outside their county, in percent. For a land layer: features outside the feed's county, or outside the United States if it has none.",
  },
  max_acreage_off_percent: {
    usual: 33,
    doc: 'Maximum share of parcels, in percent, whose stated acreage differs from the measured one by more than a factor of 4. 100 turns the check off.',
  },
  max_outside_coverage_percent: {
    usual: 5,
    doc: 'Roads, wetlands, and flood with a coverage: maximum share of features completely outside it, in percent. At least one must be inside.',
  },
  max_coverage_drop_percent: {
    usual: 10,
    doc: 'Land layers: maximum share of the area of the last accepted run, in percent, that is no longer covered.',
  },
  max_coverage_growth_percent: {
    usual: 10,
    most: null,
    doc: 'Roads, wetlands, and flood without fips and coverage: maximum growth of the bounding box of all features, in percent.',
  },
} satisfies Record<string, PercentGate>;

export type Gates = Record<keyof typeof PERCENT_GATES, number> & {
  empty_columns: boolean;
  allow_empty: boolean;
};
export type GateName = keyof Gates;

const gates = Object.entries<PercentGate>(PERCENT_GATES);

export const COMMON_GATES = gates.flatMap(([name, { isCommon }]) => (isCommon ? [name as GateName] : []));

export const GATE_DEFAULTS = {
  ...Object.fromEntries(gates.map(([name, { usual }]) => [name, usual])),
  empty_columns: true,
  allow_empty: false,
} as Gates;

const percentages = Object.fromEntries(
  gates.map(([name, { usual, most = 100, doc }]) => {
    const percentage = z.number().min(0);
    const limited = most === null ? percentage : percentage.max(most);
    return [name, limited.describe(`${doc} Default: ${usual}.`)];
  }),
) as Record<keyof typeof PERCENT_GATES, z.ZodNumber>;

export const gatesSchema = z
  .strictObject({
    ...percentages,
    empty_columns: z
      .boolean()
      .describe('Block the run if a mapped column had values before and is empty now. Default: true.'),
    allow_empty: z
      .boolean()
      .describe(
        'Layers with features: accept a run without features, such as railroads in a county that has none. Default: false.',
      ),
  })
  .partial();
