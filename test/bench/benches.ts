import type { Bench } from './bench.ts';

/** Every bench: the file of that name, which `npm run bench -- NAME` loads when it is run. */
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
  'trace',
  'mcp',
  'image',
  'pages',
  'map-tiles',
  'webhooks',
  'searches',
];

export const loadBench = async (name: string): Promise<Bench> => (await import(`./${name}.ts`)).bench;
