import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dayOf } from '../../../shared/kernels/stats/calendar.ts';
import { LAND_KERNELS } from '../../../shared/land/compute-land.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import { backtestValuations } from '../../../workers/valuation/run-backtest.ts';
import { settle } from '../../db/attributes-support.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingestSample } from '../../support/sample.ts';
import { valueMarket } from '../../support/valuations.ts';

const db = await createTestDatabase({}, { sample: true });

test('estimates of qualified Washington sales beat every baseline, as docs/benchmarks.md says', async () => {
  await ingestSample(db.pool, 'washington-nh-water');
  await settle(db.pool, LAND_KERNELS);
  await valueMarket(db.pool);
  const result = await backtestValuations(db.pool, {
    fromDay: dayOf('2012-01-01'),
    toDay: dayOf('2025-09-28'),
    county: 33_019,
  });
  const { model, ...plain } = result.methods;
  for (const study of Object.values(plain)) expect(model!.mdape).toBeLessThan(study!.mdape);
  const docs = await readFile(join(rootDir, 'docs', 'benchmarks.md'), 'utf8');
  for (const [method, study] of Object.entries(result.methods)) {
    const { mdape, within10, within20, within25 } = study!;
    const median = method === 'model' ? `**${mdape.toFixed(1)}%**` : `${mdape.toFixed(1)}%`;
    const within = [within10, within20, within25].map(share => share.toFixed(0)).join(' / ');
    expect(docs).toContain(`| ${median} | ${within}% |`);
  }
  expect(docs).toContain(`| ${result.valued} sales |`);
  expect(docs).toMatch(new RegExp(`Washington NH .* ${result.coverage!.toFixed(1)}% `));
});
