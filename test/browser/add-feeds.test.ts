import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/base/root.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { describePages, inspect, send } from '../support/browser.ts';
import { serveMirror } from '../support/mirror.ts';
import { newUser } from '../support/visitor.ts';
import { startTestWorker, workerConfig } from '../support/workers.ts';

describePages('feeds from /admin', site => {
  test('an operator searches a county, sees what is published, adds it and follows its runs', async () => {
    const { db } = site;
    const catalogue = join(db.folder, 'catalogue.json');
    const mirror = await serveMirror(['23019'], catalogue);
    const source = {
      place: '23019',
      file: 'me/penobscot',
      format: 'shapefile',
      address: `${mirror.origin}/parcels.zip`,
      website: 'https://www.bangormaine.gov/gis',
      terms: 'as is',
    };
    writeFileSync(catalogue, JSON.stringify({ from: 'a test', licence: 'CC0', sources: [source] }));
    const env = { FEEDS_DIR: join(db.folder, 'feeds'), PLAT_DIR: join(db.folder, 'plat') };
    // At first the roads cannot be reached.
    const ROADS_URL = 'http://127.0.0.1:9/roads.zip';
    const settings = { ...mirror.settings, ...env };
    const first = await startTestWorker(workerConfig(db, 'postgres', { ...settings, ROADS_URL }), allJobs);

    const page = await site.open('/admin', { as: await newUser(db, { operator: true }) });
    await page.getByRole('link', { name: 'Add a county' }).click();
    await page.getByLabel('County').fill('penobscott me');
    await send(page, 'Search');
    await page.getByText('Did you mean').waitFor();
    await page.getByLabel('County').fill('penobscot');
    await send(page, 'Search');
    await inspect(page);
    await page.getByRole('button', { name: 'What is published for Penobscot, ME' }).click();
    await page.getByText('Not added yet').first().waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Add 7 feeds and run' }).click();
    await page.locator('#progress[data-open]').waitFor();
    await inspect(page);
    // Without a press of a key the page follows what the workers do.
    await page.locator('#progress:not([data-open])').waitFor();
    await page.getByText('6 of 7 are loaded').waitFor();
    await page.getByText('ROADS_URL may name another address').waitFor();
    await inspect(page);
    await first.stop();
    await startTestWorker(workerConfig(db, 'postgres', settings), allJobs);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Everything is loaded').waitFor();
    expect(await page.locator('.badge.good').count()).toBe(7);
    await inspect(page);
    await page
      .getByRole('link', { name: /^Run \d+$/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /^Penobscot, ME: / }).waitFor();
    await mirror.close();
  }, 300_000);

  test('an operator uploads a file, corrects what is suggested, checks it, and has it loaded', async () => {
    const { db, api } = site;
    const env = { FEEDS_DIR: join(db.folder, 'file-feeds'), PLAT_DIR: api.config.PLAT_DIR };
    await startTestWorker(workerConfig(db, 'postgres', env), allJobs);
    const page = await site.open('/admin', { as: await newUser(db, { operator: true }) });
    await inspect(page);
    await page.getByRole('link', { name: 'Add a file' }).click();
    await inspect(page);
    const chosen = page.getByLabel('File');
    await chosen.setInputFiles({
      name: 'notes.xlsx',
      mimeType: 'text/plain',
      buffer: Buffer.from('no workbook'),
    });
    await send(page, 'Upload');
    await page.getByRole('alert').waitFor();
    await inspect(page);

    await page.goto('/admin/files');
    const roll = readFileSync(join(rootDir, 'workers/sample/data/washington_nh/assessor-2025.dbf'));
    await chosen.setInputFiles({
      name: 'Washington roll.dbf',
      mimeType: 'application/octet-stream',
      buffer: roll,
    });
    await send(page, 'Upload');
    await page.getByText('Which column is which field').waitFor();
    await page.getByText('It cannot be loaded yet').waitFor();
    await inspect(page);
    await page.getByLabel('County', { exact: true }).fill('Sullivan, NH');
    await page.getByLabel('Name of the feed').fill('uploaded-roll');
    await page.getByLabel('Column of Zoning').selectOption({ index: 0 });
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('It can be loaded: checked').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Write the feed and run it' }).click();
    await page.getByText('The feed uploaded-roll is at').waitFor();
    await page.locator('#progress:not([data-open])').waitFor();
    await inspect(page);
    expect(readdirSync(env.FEEDS_DIR)).toEqual(['uploaded-roll.yaml']);
  }, 300_000);
});
