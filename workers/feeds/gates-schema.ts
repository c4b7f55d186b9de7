import { z } from 'zod';

type PercentGate = {
  /** What blocks a run whose feed says nothing of it. */
  usual: number;
  /** Default: 100. */
  most?: null;
  /** Every kind of feed has it. */
  isCommon?: true;
  doc: string;
};

/** The gates that are a percentage. A kind of feed names those that it has besides the common ones. */
const PERCENT_GATES = {
  max_row_drop_percent: {
    usual: 10,
    isCommon: true,
    doc: 'How many rows fewer than in the last accepted run, and in the best one of the last 12 months, are accepted.',
  },
  max_key_drop_percent: {
    usual: 10,
    doc: "Kind assessor: how many of the last accepted run's keys, and of the best one's of the last 12 months, may be missing.",
  },
  max_reject_percent: { usual: 5, isCommon: true, doc: 'How many rows may be rejected.' },
  max_outside_percent: {
    usual: 1,
    doc: "How many parcels may lie outside their county; of a land layer, features outside the feed's county, else the United States.",
  },
  max_acreage_off_percent: {
    usual: 33,
    doc: 'How many parcels may state an acreage that is off the measured one by more than a factor of 4; 100 leaves acreages unjudged.',
  },
  max_outside_coverage_percent: {
    usual: 5,
    doc: 'Roads, wetlands and flood with a coverage: how many features may lie wholly outside it. One has to lie inside.',
  },
  max_coverage_drop_percent: {
    usual: 10,
    doc: 'Land layers: how much of the area that the last accepted run covered may be covered no longer.',
  },
  max_coverage_growth_percent: {
    usual: 10,
    most: null,
    doc: 'Roads, wetlands and flood without fips and coverage: by how much of it the box around what was read may grow.',
  },
} satisfies Record<string, PercentGate>;

export type Gates = Record<keyof typeof PERCENT_GATES, number> & { empty_columns: boolean };
export type GateName = keyof Gates;

const gates = Object.entries<PercentGate>(PERCENT_GATES);

export const COMMON_GATES = gates.flatMap(([name, { isCommon }]) => (isCommon ? [name as GateName] : []));

export const GATE_DEFAULTS = {
  ...Object.fromEntries(gates.map(([name, { usual }]) => [name, usual])),
  empty_columns: true,
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
      .describe('Block when a mapped column that was filled has turned empty. Default: true.'),
  })
  .partial();
