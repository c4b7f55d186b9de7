/**
 * Set in vitest.config.ts. `npm test` tries a third of each property's cases, and `--project slow` tries all
 * of them.
 */
const share = process.env.PROPERTY_SHARE === undefined ? 1 : Number(process.env.PROPERTY_SHARE);

/** How many of a property's cases to try in this run. */
export const runs = (all: number): number => Math.ceil(all * share);
