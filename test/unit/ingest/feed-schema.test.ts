import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../shared/platform/config.ts';
import { installedFeed, installedFeeds } from '../../../workers/ingest/feed-folders.ts';
import { feedJsonSchema } from '../../../workers/ingest/feed-schema.ts';
import { listFeeds, loadFeed } from '../../../workers/ingest/load-feeds.ts';
import { assessor, fault, feedOf, listings, sampleFeeds } from '../feeds/support.ts';

const MINIMAL = `name: a-county
kind: assessor
fips: 1001
roll:
  source: roll.csv
  format: csv
  key: PIN
`;

describe('a feed file', () => {
  test('needs little: the rest has defaults', () => {
    const feed = assessor(feedOf(MINIMAL));
    expect(feed).toMatchObject({
      name: 'a-county',
      fips: 1001,
      schedule: null,
      asOf: null,
      roll: {
        input: { source: 'roll.csv', format: 'csv' },
        key: { columns: ['PIN'] },
        columns: {},
        skipWhere: [],
      },
      shape: null,
      sales: null,
      gates: {
        max_row_drop_percent: 10,
        max_key_drop_percent: 10,
        max_reject_percent: 5,
        max_outside_percent: 1,
        max_outside_coverage_percent: 5,
        empty_columns: true,
      },
    });
  });

  test('may be JSON', () => {
    expect(feedOf(JSON.stringify(parse(MINIMAL))).name).toBe('a-county');
  });

  test('an unknown property is an error with its line, its path, and the likely name', () => {
    expect(fault(`${MINIMAL}  columns:\n    apm: PIN\n`)).toMatch(
      /feed\.yaml:9: roll\.columns\.apm: .*\bapn\b/,
    );
    expect(fault(`${MINIMAL}  fromat: csv\n`)).toMatch(/feed\.yaml:8: roll\.fromat: .*\bformat\b/);
    expect(fault(`${MINIMAL}atribution: Me\n`)).toMatch(/feed\.yaml:8: atribution: .*\battribution\b/);
    expect(fault(`${MINIMAL}  columns:\n    acres: { colum: ACRES }\n`)).toMatch(
      /:9: roll\.columns\.acres\.colum: /,
    );
  });

  test('every error is listed, in the order of the file', () => {
    const lines = fault(`${MINIMAL.replace('kind: assessor', 'kind: parcels')}licence: 3\n`).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/feed\.yaml:2: kind: /);
    expect(lines[1]).toMatch(/feed\.yaml:8: licence: /);
  });

  test('a wrong type and a missing property are reported with their lines', () => {
    expect(fault('- a\n')).toMatch(/feed\.yaml:1: .*section/);
    expect(fault(MINIMAL.replace('  source: roll.csv\n', ''))).toMatch(
      /feed\.yaml:4: roll\.source: .*required/,
    );
    expect(fault(MINIMAL.replace('name: a-county\n', ''))).toMatch(/:1: name: .*required/);
    expect(fault(`${MINIMAL}  columns: { acres: [A, B] }\n`)).toMatch(
      /:8: roll\.columns\.acres: .*text.*section.*null/,
    );
  });

  test('broken YAML is reported with its line', () => {
    expect(fault('name: a\nkind: [assessor\n')).toMatch(/feed\.yaml:\d: /);
  });

  test.each([
    ['name: Not A Name', /name: .*\b63\b/],
    ['fips: "99"', /fips: .*FIPS/],
    ['fips: "06999"', /fips: 06999 .*county/],
    ['as_of: 2025-02-30', /as_of: /],
    ['schedule: { cron: "61 6 * * *" }', /schedule\.cron: .*\b61\b.*\b0-59\b/],
    ['schedule: { cron: "0 6 * *" }', /schedule\.cron: .*five/],
    ['schedule: { cron: "0 6 * * *", timezone: America/Gotham }', /schedule\.timezone: .*IANA/],
    ['gates: { max_reject_percent: 101 }', /gates\.max_reject_percent: /],
    ['preset: reso', /preset: reso .*\blistings\b/],
    ['sales: {}', /sales: .*roll\.columns\.last_sale_date/],
    ['listings: { source: a.csv, format: csv }', /listings: .*kind listings/],
    ['shape: { source: a.geojson, format: geojson }', /shape: .*key/],
  ])('%s is refused', (line, message) => {
    const key = line.slice(0, line.indexOf(':'));
    const rest = MINIMAL.replace(new RegExp(`^${key}:.*\n`, 'm'), '');
    expect(fault(`${rest}${line}\n`)).toMatch(message);
  });

  test.each([
    ['apn: { column: PIN, columns: [A, B] }', /columns\.apn: .*column and columns/],
    ['apn: { join: "-" }', /columns\.apn: .*value/],
    ['acres: { column: A, date: YYYY }', /columns\.acres: date .*number/],
    ['apn: { column: A, scale: 2 }', /columns\.apn: scale .*text/],
    ['last_sale_price: { column: A, unit: sqft }', /columns\.last_sale_price: unit .*areas/],
    ['last_sale_date: { column: A, date: yesterday }', /columns\.last_sale_date.*: .*date format/],
    ['situs_state: { value: New Hampshite }', /'New Hampshite' .*state/],
    ['vacant: { column: A, values: { V: maybe } }', /'maybe' /],
  ])('the column %s is refused', (column, message) => {
    expect(fault(`${MINIMAL}  columns:\n    ${column}\n`)).toMatch(message);
  });

  test('a roll has a county, its own or from its rows', () => {
    const without = MINIMAL.replace('fips: 1001\n', '');
    expect(fault(without)).toMatch(/roll: .*fips/);
    expect(assessor(feedOf(`${without}  columns: { fips: COUNTY }\n`)).fips).toBeNull();
  });

  test('a listings feed is complete unless it is a RESO service', () => {
    const text = (format: string) =>
      `name: mls\nkind: listings\ntitle: The MLS\npreset: reso\nlistings: { source: "https://mls.example/Property", format: ${format} }\n`;
    expect(listings(feedOf(text('reso'))).listings).toMatchObject({ snapshot: false, label: 'The MLS' });
    expect(listings(feedOf(text('ndjson'))).listings.snapshot).toBe(true);
  });

  test('the settings of a RESO service reach its reader', () => {
    const feed = feedOf(`name: mls
kind: listings
preset: reso
listings:
  source: https://mls.example/Property
  format: reso
  reso: { token_env: MLS_TOKEN, filter: "PropertyType eq 'Land'", page_size: 500, timestamp_field: ModifiedAt }
`);
    expect(listings(feed).listings.input.reso).toEqual({
      token_env: 'MLS_TOKEN',
      filter: "PropertyType eq 'Land'",
      page_size: 500,
      timestamp_field: 'ModifiedAt',
    });
  });

  test("a feed's own columns take precedence over its preset's, and null removes one", () => {
    const feed = assessor(
      feedOf(`name: r
kind: assessor
fips: "26163"
preset: regrid
roll:
  source: regrid.csv
  format: csv
  key: parcelnumb
  columns: { acres: ll_gisacre, vacant: null }
`),
    );
    expect(feed.roll.key).toEqual({ columns: ['parcelnumb'] });
    expect(feed.roll.columns.acres).toEqual({ column: 'll_gisacre' });
    expect(feed.roll.columns).not.toHaveProperty('vacant');
    expect(feed.roll.columns.owner_name).toEqual({ column: 'owner', optional: true });
  });
});

describe('folders of feeds', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true }))));
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'plat-feeds-'));
    folders.push(folder);
    return folder;
  }

  test('the bundled feeds load, sorted by name', async () => {
    const { feeds, faults } = await listFeeds([sampleFeeds, sampleFeeds, '/no/such/folder']);
    const names = feeds.map(feed => feed.name);
    expect(faults).toEqual([]);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['bangor-me', 'washington-nh']));
  });

  test('two feeds with one name are an error that lists both files', async () => {
    const a = await newFolder();
    const config = loadConfig({ FEEDS_DIR: a });
    await writeFile(join(a, 'one.yaml'), MINIMAL);
    expect(await installedFeed(config, 'a-county')).toMatchObject({ name: 'a-county' });
    await writeFile(join(a, 'two.yml'), MINIMAL);
    expect(await listFeeds([a])).toMatchObject({
      feeds: [],
      faults: [
        {
          name: 'a-county',
          error: {
            code: 'feed_duplicate',
            message: expect.stringMatching(/a-county: .*one\.yaml and .*two\.yml/),
          },
        },
      ],
    });
    await expect(installedFeed(config, 'a-county')).rejects.toMatchObject({ code: 'feed_duplicate' });
    expect(await installedFeed(config, 'washington-nh')).toMatchObject({ name: 'washington-nh' });
  });

  test('a bundled feed is replaced by a feed with its name, and turned off by a disabled one', async () => {
    const folder = await newFolder();
    const config = loadConfig({ FEEDS_DIR: folder });
    await writeFile(join(folder, 'own.yaml'), MINIMAL.replace('a-county', 'washington-nh'));
    await writeFile(join(folder, 'off.yaml'), 'name: bangor-me\nkind: assessor\ndisabled: true\n');
    await writeFile(join(folder, 'bad.yaml'), 'name: bangor-me-roads\nkind: roads\n');
    const { feeds, faults } = await installedFeeds(config);
    const fileOf = (name: string) => feeds.find(feed => feed.name === name)?.file;
    expect(fileOf('washington-nh')).toBe(join(folder, 'own.yaml'));
    expect(fileOf('bangor-me')).toBeUndefined();
    expect(fileOf('bangor-me-flood')).toBe(join(sampleFeeds, 'bangor-me-flood.yaml'));
    // A faulty replacement does not bring the bundled one back.
    expect(fileOf('bangor-me-roads')).toBeUndefined();
    expect(faults).toMatchObject([{ name: 'bangor-me-roads', error: { code: 'feed_definition' } }]);
  });

  test("a faulty file doesn't affect the others; its error is shown with an unknown name", async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'good.yaml'), MINIMAL);
    await writeFile(join(folder, 'bad.yaml'), 'name: bad\nkind: [');
    const { feeds, faults } = await listFeeds([folder]);
    expect(feeds.map(feed => feed.name)).toEqual(['a-county']);
    expect(faults).toMatchObject([{ error: { code: 'feed_definition' } }]);
    const config = loadConfig({ FEEDS_DIR: folder });
    expect(await installedFeed(config, 'a-county')).toMatchObject({ name: 'a-county' });
    await expect(installedFeed(config, 'bad')).rejects.toMatchObject({
      code: 'feed_unknown',
      message: expect.stringMatching(/\bbad\b.*\n.*bad\.yaml:2: /s),
    });
  });

  test('a missing file is reported', async () => {
    await expect(loadFeed('no-such.yaml')).rejects.toMatchObject({
      code: 'feed_missing',
      message: expect.stringContaining('no-such.yaml'),
    });
  });
});

describe('feed.schema.json', () => {
  type Node = {
    description?: string;
    $ref?: string;
    properties?: Record<string, Node>;
    [key: string]: unknown;
  };
  const schema = JSON.parse(feedJsonSchema()) as Node;

  test('describes every property', () => {
    const silent: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [name, property] of Object.entries((node as Node).properties ?? {})) {
        if (!property.description && !property.$ref) silent.push(`${path}.${name}`);
      }
      for (const [name, child] of Object.entries(node)) walk(child, `${path}.${name}`);
    };
    walk(schema, '');
    expect(silent).toEqual([]);
  });

  test('accepts the bundled feeds and refuses an unknown property', async () => {
    // Copied into each place that refers to them (inlineRefs), definitions take seconds to compile.
    const validate = new Ajv2020({ strict: false, inlineRefs: false }).compile(schema);
    for (const name of await readdir(sampleFeeds)) {
      const feed: unknown = parse(await readFile(join(sampleFeeds, name), 'utf8'));
      expect(validate(feed), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    expect(validate({ ...(parse(MINIMAL) as object), color: 'red' })).toBe(false);
  });
});
