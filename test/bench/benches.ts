import type { Bench } from './bench.ts';

/** All benchmarks. `npm run bench -- NAME` loads the file with that name when it runs. */
export const BENCHES = [
  'ingest',
  'ingest-memory',
  'statewide',
  'cluster',
  'market',
  'history',
  'history-endpoint',
  'changes',
  'metering',
  'filter',
  'quote',
  'export',
  'search',
  'valuation',
  'comp-value',
  'land',
  'assemblage-memory',
  'assemblage-filter',
  'overlay',
  'overlay-filter',
  'trace',
  'mcp',
  'image',
  'pages',
  'map-tiles',
  'ogc-items',
  'webhooks',
  'searches',
];

export const loadBench = async (name: string): Promise<Bench> => (await import(`./${name}.ts`)).bench;
