import { disclosureOf } from '../regions/disclosure.ts';
import { STATES } from '../regions/states.ts';

export const NO_COMPS_REASONS = ['non_disclosure', 'no_qualified_sales', 'no_sales_source'] as const;

/** Why a county has no sold comps, and how to fix it. */
export type NoComps = { reason: (typeof NO_COMPS_REASONS)[number]; message: string };

/**
 * @param readsSales whether one of the county's feeds has sales: a `sales` section, a sales file, or listings
 */
export function noComps(state: string, readsSales: boolean): NoComps {
  const name = STATES.find(({ code }) => code === state)?.name ?? state;
  if (readsSales)
    return {
      reason: 'no_qualified_sales',
      message:
        "None of the county's sales is an arm's-length sale of vacant land. Add an MLS feed or another sales file.",
    };
  const disclosure = disclosureOf(state);
  if (disclosure === 'no')
    return {
      reason: 'non_disclosure',
      message: `${name} doesn't make sale prices public. Add an MLS feed.`,
    };
  const parts = disclosure === 'in_parts' ? ` ${name} makes only some sale prices public.` : '';
  return {
    reason: 'no_sales_source',
    message: `No sales data: the roll's feed has no sales section, and the county has no sales file.${parts} Add a sales file or an MLS feed.`,
  };
}
