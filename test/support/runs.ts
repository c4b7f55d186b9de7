/** `npm test` tries a third of a property's cases, `npm test -- --project slow` all. Set in vitest.config.ts. */
const share = process.env.PROPERTY_SHARE === undefined ? 1 : Number(process.env.PROPERTY_SHARE);

/** How many of a property's cases this run tries. */
export const runs = (all: number): number => Math.ceil(all * share);
