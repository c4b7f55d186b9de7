import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { button, describePages, drawn, faultsOf, field, inspect, send, WIDE } from '../support/browser.ts';
import { serveMirror } from '../support/mirror.ts';
import { newUser } from '../support/visitor.ts';
import { startTestWorker, workerConfig } from '../support/workers.ts';

describePages('feeds from /admin', site => {
  test('an operator reads a run, starts one, cancels it, starts another, and forces one that was blocked', async () => {
    const page = await site.open('/admin', { as: await newUser(site.db, { operator: true }) });
    await inspect(page);
    await page.locator('a[href="/admin/runs/1"]').click();
    // In words, with what it left out and why, and the way to the county that it brought.
    await page.locator('h1', { hasText: 'Sullivan, NH' }).locator('.badge.good').waitFor();
    await page.locator('#left-out tbody tr').first().waitFor();
    await inspect(page);
    const words = await page.locator('#left-out, #filled').allInnerTexts();
    expect(words.join()).not.toMatch(/[a-z]_[a-z]|\bfilled\./);
    await page.locator('a.button[href="/data?county=33019"]').click();
    await drawn(page);
    expect(new URL(page.url()).search).toBe('?county=33019');
    await page.goBack();
    await page.locator('#left-out').waitFor();
    await page.goto('/admin');
    await page.locator('#feeds a[href^="/admin/run?feed="]').first().click();
    await inspect(page);
    await page.setViewportSize(WIDE);
    const confirm = page.locator('main form button[type=submit]');
    await confirm.click();
    const asked = page.locator('#jobs tr').filter({ hasText: 'washington-nh' });
    const change = asked.locator('a[href^="/admin/job?"]');
    const cancel = await change.textContent();
    await change.click();
    await confirm.click();
    await page.locator('#feeds').waitFor();
    await expect.poll(() => change.textContent()).not.toBe(cancel);
    await change.click();
    await page.locator('main', { hasText: 'washington-nh' }).waitFor();
    await confirm.click();
    // One line a job, however often it is asked for.
    await expect.poll(() => asked.count()).toBe(1);
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
    await page.locator('.steps .stopped').waitFor();
    const address = await page.locator('#left-out a[href$=".csv"]').getAttribute('href');
    const table = await (await page.request.get(address!)).text();
    expect(table).toContain('roll,7,,missing_key,it has no number,raw row');
    await page.locator('a[href$="&force=1"]').click();
    await page.locator('main form [name=force][value="1"]').waitFor({ state: 'attached' });
    await confirm.click();
    await page.locator('#feeds').waitFor();
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

  test('an operator searches for a county, sees what is published, adds it, and follows its runs', async () => {
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
    await page.locator('a[href="/admin/counties"]').click();
    const searched = field(page.locator('main'), 'q');
    const search = page.locator('main form.inline button');
    await searched.fill('penobscott me');
    await send(page, search);
    await page.locator('main', { hasText: '“penobscott me”' }).waitFor();
    await searched.fill('penobscot');
    await send(page, search);
    await inspect(page);
    await page
      .locator('form', { has: page.locator('[name=county][value="23019"]') })
      .locator('button[value=look]')
      .click();
    await page.locator('[data-state=planned]').first().waitFor();
    await inspect(page);
    await button(page, 'add').filter({ hasText: '13' }).click();
    await page.locator('#progress[data-open]').waitFor();
    // Without a press of a key the page follows what the workers do.
    await page.locator('#progress:not([data-open])').waitFor();
    await page.locator('.notice.bad', { hasText: '12 of 13' }).waitFor();
    await page.locator('[data-kind=roads][data-state=failed]', { hasText: 'ROADS_URL' }).waitFor();
    await inspect(page);
    const added = page.url();
    await page.goto('/admin');
    await page.locator('#unloaded tbody tr', { hasText: 'Penobscot, ME' }).waitFor();
    await inspect(page);
    await page.goto(added);
    await first.stop();
    await startTestWorker(workerConfig(db, 'postgres', settings), allJobs);
    await button(page, 'add').click();
    await page.locator('.notice.good').waitFor();
    await expect.poll(() => page.locator('.badge.good').count()).toBe(13);
    await page.locator('a[href^="/admin/runs/"]').first().click();
    await page.locator('h1', { hasText: 'Penobscot, ME' }).waitFor();
    await mirror.close();
  }, 300_000);

  test('an operator uploads a file, corrects the suggestions, checks the feed, and loads it', async () => {
    const { db, api } = site;
    const env = { FEEDS_DIR: join(db.folder, 'file-feeds'), PLAT_DIR: api.config.PLAT_DIR };
    await startTestWorker(workerConfig(db, 'postgres', env), allJobs);
    const page = await site.open('/admin', { as: await newUser(db, { operator: true }) });
    await page.locator('a[href="/admin/files"]').click();
    await inspect(page);
    const chosen = page.locator('#file');
    // Whatever cuts an upload off, the page stays and says so.
    const upload = page.locator('#upload button');
    await chosen.setInputFiles({ name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.from('') });
    await upload.click();
    await page.getByRole('alert').filter({ hasText: 'empty' }).waitFor();
    await page.route('**/admin/files', route => route.abort('connectionreset'));
    await upload.click();
    await page.getByRole('alert').filter({ hasText: 'connection' }).waitFor();
    await inspect(page);
    await page.unroute('**/admin/files');
    expect(faultsOf(page)).toEqual([expect.stringContaining('400'), expect.stringContaining('RESET')]);
    await chosen.setInputFiles({
      name: 'notes.xlsx',
      mimeType: 'text/plain',
      buffer: Buffer.from('no workbook'),
    });
    await send(page, upload);
    await page.getByRole('alert').waitFor();
    await inspect(page);

    await page.goto('/admin/files');
    const roll = readFileSync(join(rootDir, 'workers/sample/data/washington_nh/assessor-2025.dbf'));
    await chosen.setInputFiles({
      name: 'Washington roll.dbf',
      mimeType: 'application/octet-stream',
      buffer: roll,
    });
    await send(page, upload);
    await field(page, 'key').waitFor();
    await page.locator('.notice.bad').waitFor();
    await field(page, 'county').fill('Sullivan, NH');
    await field(page, 'name').fill('uploaded-roll');
    await field(page, 'column.zoning_code').selectOption({ index: 0 });
    await page.locator('details', { has: field(page, 'column.vacant') }).evaluate(details => {
      (details as HTMLDetailsElement).open = true;
    });
    await field(page, 'column.vacant').selectOption({ label: 'LANDUSE' });
    await button(page, 'check').click();
    await page.locator('.notice.good').waitFor();
    const meaning = page.locator('[name^="value.vacant."]');
    await meaning.first().selectOption('true');
    await field(page, 'otherwise.vacant').selectOption('false');
    await inspect(page);
    await button(page, 'check').click();
    await page.locator('#progress:not([data-open])').waitFor();
    await expect.poll(() => meaning.first().inputValue()).toBe('true');
    // The sample has loaded these parcels already.
    await page.locator('[data-loaded="washington-nh"]').waitFor();
    await page.locator('button[name=overlap][value=update]').click();
    await page.locator('#progress', { hasText: 'uploaded-roll.yaml' }).waitFor();
    await page.locator('#progress:not([data-open])').waitFor();
    await inspect(page);
    expect(readdirSync(env.FEEDS_DIR)).toEqual(['uploaded-roll.yaml']);
  }, 300_000);
});
