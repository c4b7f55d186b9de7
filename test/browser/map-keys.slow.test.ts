import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { createKey } from '../../shared/accounts/accounts.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { usageOf } from '../support/api.ts';
import { describePages, faultsOf } from '../support/browser.ts';

const MAPLIBRE = join(rootDir, 'node_modules/maplibre-gl/dist');

/** A website of a customer, with the page of docs/gis.md and the map library. */
let html = '';
const website = createServer((req, res) => {
  const file = /^\/(maplibre-gl[\w-]*\.(?:css|mjs))$/.exec(new URL(req.url!, origin).pathname)?.[1];
  const type = file === undefined ? 'html' : file.endsWith('css') ? 'css' : 'javascript';
  res.writeHead(200, { 'Content-Type': `text/${type}; charset=utf-8` });
  res.end(file === undefined ? html : readFileSync(join(MAPLIBRE, file)));
});
await new Promise<void>(resolve => website.listen(0, 'localhost', resolve));
afterAll(() => website.close());
const origin = `http://localhost:${(website.address() as AddressInfo).port}`;

const doc = readFileSync(join(rootDir, 'docs/gis.md'), 'utf8');
const sampleOf = (language: string) =>
  new RegExp(`## MapLibre.*?\`\`\`${language}\n(.*?)\`\`\``, 's').exec(doc)![1]!;

describePages('map keys', site => {
  const keyFor = async (origins: string[]) =>
    (await createKey(site.db.pool, site.user.accountId, { name: 'map', scopes: ['map:read'], origins })).key;

  /** Opens the page with Plat's address and the key filled in. Its map becomes a global variable. */
  async function openMap(page: string, key: string) {
    html = page
      .replaceAll('https://unpkg.com/maplibre-gl@6/dist', '')
      .replaceAll('http://127.0.0.1:3000', site.api.url)
      .replaceAll('plat_…', key)
      .replace('const map =', 'const map = globalThis.map =')
      .replace('<div', '<link rel="icon" href="data:,"><div');
    const opened = await site.open(undefined, { as: null, draws: true });
    await opened.goto(`${origin}/`);
    return opened;
  }

  /** What the page did wrong, apart from being on another website. */
  const ownFaults = (page: Page) => faultsOf(page).filter(fault => !fault.startsWith(`asks ${origin}`));

  /** The number of pixels in the color of parcel lines. */
  async function linesIn(picture: Buffer): Promise<number> {
    const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    let lines = 0;
    for (let at = 0; at < data.length; at += info.channels)
      if (data[at]! < 0xd0 && data[at]! > 0x80 && data[at]! > data[at + 2]!) lines++;
    return lines;
  }

  test('the page of docs/gis.md draws parcels on another website', async () => {
    const before = await usageOf(site.db, site.user.accountId);
    const page = await openMap(sampleOf('html'), await keyFor([origin]));
    const drawn = () =>
      page.evaluate<number>(
        "globalThis.map?.getLayer('parcels') ? map.queryRenderedFeatures({ layers: ['parcels'] }).length : 0",
      );
    await expect.poll(drawn).toBeGreaterThan(20);
    await expect.poll(() => page.evaluate<boolean>('map.areTilesLoaded()')).toBe(true);
    const [parcel] = await page.evaluate<{ id: number; properties: Record<string, unknown> }[]>(
      "map.queryRenderedFeatures({ layers: ['parcels'] }).slice(0, 1).map(({ id, properties }) => ({ id, properties }))",
    );
    expect(parcel).toMatchObject({ properties: { property_id: parcel!.id, apn: expect.any(String) } });
    expect(await linesIn(await page.screenshot())).toBeGreaterThan(500);
    await expect.poll(() => page.locator('.maplibregl-ctrl-attrib-inner').textContent()).toContain('Plat');
    const { width, height } = page.viewportSize()!;
    await page.mouse.click(width / 2, height / 2);
    await expect.poll(() => page.locator('.maplibregl-popup').textContent()).toMatch(/Parcel .*acres/);
    const { calls } = await usageOf(site.db, site.user.accountId);
    expect(calls).toBeGreaterThan(before.calls);
    expect(faultsOf(page).filter(fault => !fault.includes(origin) && !fault.includes('unpkg.com'))).toEqual(
      [],
    );
  });

  test('TileJSON adds parcels to a map', async () => {
    const page = await openMap(
      sampleOf('html')
        .replace(/style: .*,/, 'style: { version: 8, sources: {}, layers: [] },')
        .replace('</script>', `map.on('load', () => { ${sampleOf('js')} })</script>`),
      await keyFor([origin]),
    );
    const drawn = () =>
      page.evaluate<number>(
        "globalThis.map?.getLayer('parcels') ? map.queryRenderedFeatures({ layers: ['parcels'] }).length : 0",
      );
    await expect.poll(drawn).toBeGreaterThan(20);
    expect(ownFaults(page)).toEqual([]);
  });

  test('a key for another website draws nothing', async () => {
    const page = await openMap(sampleOf('html'), await keyFor(['https://maps.example.com']));
    await expect.poll(() => ownFaults(page).join()).toContain('403');
    expect(await page.evaluate<boolean>("map.getLayer('parcels') === undefined")).toBe(true);
    faultsOf(page);
  });
});
