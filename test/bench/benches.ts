import type { Bench } from './bench.ts';

/** Every bench by the name under which `npm run bench -- NAME` finds it; loaded only when it is run. */
export const BENCHES: Record<string, () => Promise<Bench>> = {
  ingest: async () => (await import('./ingest.ts')).bench,
  'ingest-memory': async () => (await import('./ingest-memory.ts')).bench,
  attributes: async () => (await import('./attributes.ts')).bench,
  market: async () => (await import('./market.ts')).bench,
  metering: async () => (await import('./metering.ts')).bench,
  breakdown: async () => (await import('./breakdown.ts')).bench,
  comps: async () => (await import('./comps.ts')).bench,
  search: async () => (await import('./search.ts')).bench,
  portfolio: async () => (await import('./portfolio.ts')).bench,
  filter: async () => (await import('./filter.ts')).bench,
  valuation: async () => (await import('./valuation.ts')).bench,
  comping: async () => (await import('./comping.ts')).bench,
  'comp-value': async () => (await import('./comp-value.ts')).bench,
  slope: async () => (await import('./slope.ts')).bench,
  overlap: async () => (await import('./overlap.ts')).bench,
  frontage: async () => (await import('./frontage.ts')).bench,
  trace: async () => (await import('./trace.ts')).bench,
  mcp: async () => (await import('./mcp.ts')).bench,
  deals: async () => (await import('./deals.ts')).bench,
  image: async () => (await import('./image.ts')).bench,
  pages: async () => (await import('./pages.ts')).bench,
};
