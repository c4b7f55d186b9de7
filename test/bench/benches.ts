import type { Bench } from './bench.ts';

/** Every bench: the file of that name, which `npm run bench -- NAME` loads when it is run. */
export const BENCHES = [
  ...[
    'ingest',
    'ingest-memory',
    'statewide',
    'attributes',
    'market',
    'metering',
    'breakdown',
    'comps',
    'search',
    'portfolio',
  ],
  ...[
    'filter',
    'valuation',
    'comping',
    'comp-value',
    'slope',
    'overlap',
    'frontage',
    'trace',
    'mcp',
    'deals',
  ],
  ...['image', 'pages', 'cluster'],
];

export const loadBench = async (name: string): Promise<Bench> => (await import(`./${name}.ts`)).bench;
