import { disclosureOf } from '../regions/disclosure.ts';
import { STATES } from '../regions/states.ts';

export const NO_COMPS_REASONS = ['non_disclosure', 'no_qualified_sales', 'no_sales_source'] as const;

/** Why a county has no sold comps, and what helps. */
export type NoComps = { reason: (typeof NO_COMPS_REASONS)[number]; message: string };

/** @param readsSales whether a feed of the county reads sales: a section `sales`, a file of them, listings */
export function noComps(state: string, readsSales: boolean): NoComps {
  const name = STATES.find(({ code }) => code === state)?.name ?? state;
  if (readsSales)
    return {
      reason: 'no_qualified_sales',
      message:
        "None of the sales that its sources tell is one of vacant land at arm's length. A feed of listings (an MLS) helps, or another file of sales.",
    };
  const disclosure = disclosureOf(state);
  if (disclosure === 'no')
    return {
      reason: 'non_disclosure',
      message: `${name} does not make the prices of sales public. A feed of listings (an MLS) helps.`,
    };
  const parts = disclosure === 'in_parts' ? ` ${name} makes prices public in parts only.` : '';
  return {
    reason: 'no_sales_source',
    message: `No source of it tells sales: its roll has no section sales, and there is no file of sales.${parts} A file of sales helps, or a feed of listings (an MLS).`,
  };
}
