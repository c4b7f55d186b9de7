import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/base/root.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { describePages, drawn, faultsOf, inspect, send, WIDE } from '../support/browser.ts';
import { serveMirror } from '../support/mirror.ts';
import { newUser } from '../support/visitor.ts';
import { startTestWorker, workerConfig } from '../support/workers.ts';

describePages('feeds from /admin', site => {
  test('an operator reads a run, asks for one, cancels it, asks again, and forces one that was blocked', async () => {
    const page = await site.open('/admin', { as: await newUser(site.db, { operator: true }) });
    await inspect(page);
    await page.getByRole('link', { name: 'Run 1', exact: true }).click();
    // In words, with what it left out and why, and the way to the county that it brought.
    await page.getByRole('heading', { name: 'Sullivan, NH: assessor roll Merged' }).waitFor();
    await page.getByRole('heading', { name: 'Rows left out or repaired' }).waitFor();
    await page.getByText('Boundary: self crossing split').waitFor();
    await inspect(page);
    const words = await page.locator('#left-out, #filled').allInnerTexts();
    expect(words.join()).not.toMatch(/[a-z]_[a-z]|\bfilled\./);
    await page.getByRole('link', { name: 'On the map' }).click();
    await drawn(page);
    expect(new URL(page.url()).search).toBe('?county=33019');
    await page.goBack();
    await page.getByRole('heading', { name: 'Rows left out or repaired' }).waitFor();
    await page.goto('/admin');
    await page.getByRole('link', { name: 'Run now' }).first().click();
    await inspect(page);
    await page.setViewportSize(WIDE);
    await page.getByRole('button', { name: 'Run' }).click();
    const asked = page.getByRole('row').filter({ hasText: 'Run a feed' });
    await asked.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Admin' }).waitFor();
    await expect.poll(() => asked.getByRole('link', { name: 'Cancel' }).count()).toBe(0);
    await asked.getByRole('link', { name: 'Retry' }).click();
    await page.getByText('Retry “Run a feed: washington-nh”?').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await asked.getByRole('link', { name: 'Cancel' }).waitFor();
    const { pool } = site.db;
    const gate = JSON.stringify({ blocked: [{ gate: 'rows', message: 'parcels fell by half' }] });
    await pool.query(
      `update runs set status = 'blocked', gate = $1, counts = counts || '{"rejected": {"missing_key": 1}}' where id = 1`,
      [gate],
    );
    await pool.query(
      `insert into run_rejects values (1, 'roll', 7, null, 'missing_key', 'it has no number', 'raw row')`,
    );
    await page.goto('/admin/runs/1');
    await page.getByText('parcels fell by half').waitFor();
    await expect.poll(() => page.locator('.steps .stopped').innerText()).toContain('Checked · not merged');
    const address = await page.locator('#left-out').getByRole('link', { name: 'CSV' }).getAttribute('href');
    const table = await (await page.request.get(address!)).text();
    expect(table).toContain('roll,7,,missing_key,it has no number,raw row');
    await page.getByRole('link', { name: 'Run it and merge all the same' }).click();
    await page.getByText('although the gate blocks').waitFor();
    await page.getByRole('button', { name: 'Run and merge' }).click();
    await page.getByRole('heading', { name: 'Admin' }).waitFor();
    await pool.query("update runs set status = 'merged', gate = null where id = 1");
    const { rows } = await pool.query(
      "select status, payload ->> 'force' as force from jobs where name = 'ingest.run' order by queued_at",
    );
    expect(rows).toEqual([
      { status: 'failed', force: 'false' },
      { status: 'queued', force: 'false' },
      { status: 'queued', force: 'true' },
    ]);
    await pool.query("delete from jobs where name = 'ingest.run'");
  });

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
    // Without a press of a key the page follows what the workers do.
    await page.locator('#progress:not([data-open])').waitFor();
    await page.getByText('6 of 7 are loaded').waitFor();
    await page.getByText('ROADS_URL may name another address').waitFor();
    await inspect(page);
    await first.stop();
    await startTestWorker(workerConfig(db, 'postgres', settings), allJobs);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Everything is loaded').waitFor();
    await expect.poll(() => page.locator('.badge.good').count()).toBe(7);
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
    await page.getByRole('link', { name: 'Add a file' }).click();
    await inspect(page);
    const chosen = page.getByLabel('File');
    // Whatever cuts an upload off, the page stays and says so.
    const upload = page.getByRole('button', { name: 'Upload' });
    await chosen.setInputFiles({ name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.from('') });
    await upload.click();
    await page.getByRole('alert').filter({ hasText: 'not empty' }).waitFor();
    await page.route('**/admin/files', route => route.abort('connectionreset'));
    await upload.click();
    await page.getByRole('alert').filter({ hasText: 'connection was lost' }).waitFor();
    await inspect(page);
    await page.unroute('**/admin/files');
    expect(faultsOf(page)).toEqual([expect.stringContaining('400'), expect.stringContaining('RESET')]);
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
