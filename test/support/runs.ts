/** vitest.config.ts sets it: `npm test` tries a third of a property's cases, with `--project slow` all. */
const share = process.env.PROPERTY_SHARE === undefined ? 1 : Number(process.env.PROPERTY_SHARE);

/** How many of a property's cases this run tries. */
export const runs = (all: number): number => Math.ceil(all * share);
