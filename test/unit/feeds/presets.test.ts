import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LISTING_FIELD_NAMES } from '../../../shared/model/listing-fields.ts';
import { PARCEL_FIELD_NAMES } from '../../../shared/model/parcel-fields.ts';
import { PRESETS, type PresetName, readPreset } from '../../../workers/feeds/presets.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import type { SourceRow } from '../../../workers/formats/row-batch.ts';
import { type Feed, VECTOR_LAYERS } from '../../../workers/ingest/all-kinds.ts';
import { compileParcelMapper } from '../../../workers/ingest/kinds/assessor/map-parcel.ts';
import { compileListingMapper } from '../../../workers/ingest/kinds/listings/map-listing.ts';
import { compileLayerMapper } from '../../../workers/ingest/layers/map-layer.ts';
import type { LayerFeed } from '../../../workers/ingest/layers/vector-layer.ts';
import { feedOf, presetFixtures } from './support.ts';

const context = { baseDir: presetFixtures, tmpDir: '/tmp', signal: new AbortController().signal, env: {} };

/** Every row of a feed's source as it is mapped: what of it is filled, or why it is refused. */
async function mappedRows(feed: Feed): Promise<unknown[]> {
  if (feed.kind !== 'assessor' && feed.kind !== 'listings') throw new Error('a preset has another kind');
  const parcels = feed.kind === 'assessor';
  const { input } = parcels ? feed.roll : feed.listings;
  const names: readonly string[] = parcels ? PARCEL_FIELD_NAMES : LISTING_FIELD_NAMES;
  const map = parcels ? compileParcelMapper(feed.roll, feed) : compileListingMapper(feed.listings);
  const rows: SourceRow[] = [];
  for await (const batch of readInput(input, context)) {
    expect(batch.bad).toEqual([]);
    rows.push(...batch.rows);
  }
  map.prepare(rows);
  return rows.map(row => {
    const mapped = map(row);
    if (!mapped.ok) return mapped;
    const { values, deed, ...rest } = { deed: {}, ...mapped };
    const fields = names.map((name, i) => [name, values[i]]).filter(([, value]) => value !== null);
    const isKnown = Object.values(deed).some(value => value !== null);
    return { ...rest, ...(isKnown && { deed }), fields: Object.fromEntries(fields) };
  });
}

// The expected rows hold the odd cases: fall-backs, unknown units, county numbers that do not exist,
// every StandardStatus in both spellings, leases, photographs out of order. A change of them is to be judged
// against the publishers' documents.
test.each([
  ['regrid', 'kind: assessor, roll: {source: regrid.csv, format: csv}'],
  ['florida_nal', 'kind: assessor, roll: {source: florida-nal.csv, format: csv}'],
  ['texas_stratmap', 'kind: assessor, roll: {source: texas-stratmap.geojson, format: geojson}'],
  ['reso', 'kind: listings, listings: {source: reso.ndjson, format: ndjson, label: MLS}'],
])('%s maps every column of the schema that we keep', async (preset, section) => {
  const rows = await mappedRows(feedOf(`{name: p, preset: ${preset}, ${section}}`));
  const expected = readFileSync(join(presetFixtures, `${preset}.expected.json`), 'utf8');
  expect(rows).toEqual(JSON.parse(expected));
});

/** All but those with a file of their own. */
const STATEWIDE = PRESETS.filter(
  name => !['regrid', 'florida_nal', 'texas_stratmap'].includes(name) && readPreset(name).kind === 'assessor',
);

/** A county of those that do not say it. */
const WITHOUT_COUNTY: Record<string, string> = {
  utah_lir: '49049',
  vermont: '50005',
  arizona: '04015',
  colorado: '08031',
  connecticut: '09190',
  indiana: '18019',
  maryland: '24031',
  massachusetts: '25015',
  montana: '30031',
  new_hampshire: '33019',
  new_jersey: '34013',
  virginia: '51139',
  west_virginia: '54079',
};

test('the presets of statewide programs', async () => {
  const mapped: Record<string, unknown> = {};
  for (const preset of STATEWIDE) {
    const skip_where = [{ column: 'preset', not_in: [preset] }];
    const fips = WITHOUT_COUNTY[preset as string];
    const roll = { source: 'statewide.ndjson', format: 'ndjson', skip_where };
    const rows = await mappedRows(
      feedOf(JSON.stringify({ name: 'p', kind: 'assessor', preset, roll, ...(fips && { fips }) })),
    );
    mapped[preset] = rows.filter(row => (row as { reason?: string }).reason !== 'skipped');
  }
  expect(mapped).toEqual(JSON.parse(readFileSync(join(presetFixtures, 'statewide.expected.json'), 'utf8')));
});

test('all 67 county numbers of Florida are codes of its counties', () => {
  const { fips } = readPreset('florida_nal').columns as { fips: { values: Record<string, string> } };
  expect(new Set(Object.values(fips.values)).size).toBe(67);
  expect(fips.values).toMatchObject({ 11: '12001', 23: '12086', 26: '12031', 58: '12095', 77: '12133' });
});

/** Rows in the schemas of the overlay presets, and the class that each gets, with its other fields. */
const OVERLAYS: Partial<
  Record<PresetName, [row: Record<string, unknown>, mapped: Record<string, unknown>][]>
> = {
  // An ArcGIS layer has the columns of muaggatt in any case, and numbers as numbers.
  soils: [
    [
      {
        MUSYM: 'A',
        ENGSTAFDCD: 'Somewhat limited',
        DRCLASSDCD: 'Well drained',
        HYDCLPRS: 0,
        BROCKDEPMIN: 51,
        WTDEPANNMIN: null,
      },
      {
        soil_septic: 'somewhat_limited',
        soil_drainage: 'well',
        soil_hydric: 'not_hydric',
        depth_to_bedrock_in: expect.closeTo(20.08),
      },
    ],
    [
      {
        MUSYM: 'B',
        ENGSTAFDCD: null,
        DRCLASSDCD: 'Subaqueous',
        HYDCLPRS: 65,
        BROCKDEPMIN: null,
        WTDEPANNMIN: 0,
      },
      {
        soil_septic: 'not_rated',
        soil_drainage: 'subaqueous',
        soil_hydric: 'partly_hydric',
        depth_to_water_in: 0,
      },
    ],
    [{ MUSYM: 'NOTCOM', ENGSTAFDCD: null }, { reason: 'skipped' }],
  ],
  zoning: [
    [
      { ZONE_CODE: 'R-1', ZONE_DESC: 'Single family' },
      { zoning: 'R-1', name: 'Single family' },
    ],
    [
      { ABB_DIST_NAME: 'CON', DIST_NAME: 'Conservation' },
      { zoning: 'CON', name: 'Conservation' },
    ],
  ],
  zoning_atlas: [
    [
      { DIST_TYPE: 'Nonresidential', DIST_NAME: 'Conservation' },
      { zoning_type: 'nonresidential', name: 'Conservation' },
    ],
    [{ DIST_TYPE: 'Overlay not Affecting Use', DIST_NAME: '' }, { zoning_type: 'overlay' }],
    [
      { DIST_TYPE: null, DIST_NAME: null, ABB_DIST_NAME: 'V' },
      { zoning_type: 'not_reviewed', name: 'V' },
    ],
  ],
  protected_land: [
    [
      { Category: 'Fee', Mang_Type: 'FED', Unit_Nm: 'Okefenokee' },
      { protected_land: 'federal', name: 'Okefenokee' },
    ],
    [{ Category: 'Easement', Mang_Type: 'XYZ', Unit_Nm: null }, { protected_land: 'unknown' }],
    [{ Category: 'Proclamation', Mang_Type: 'FED' }, { reason: 'skipped' }],
  ],
  opportunity_zones: [[{ GEOID10: '23019000300' }, { name: '23019000300' }]],
  transmission_lines: [
    [
      { VOLT_CLASS: '735 And Above', OWNER: 'NYPA' },
      { transmission_lines: '735_and_above', name: 'NYPA' },
    ],
    [{ VOLT_CLASS: 'NOT AVAILABLE', OWNER: 'NOT AVAILABLE' }, { transmission_lines: 'unknown' }],
  ],
  railroads: [
    [
      { MTFCC: 'R1052', FULLNAME: 'Mount Washington Cog Rlwy' },
      { railroads: 'incline', name: 'Mount Washington Cog Rlwy' },
    ],
  ],
  urban_areas: [[{ NAMELSAD20: 'Bangor, ME Urban Area' }, { name: 'Bangor, ME Urban Area' }]],
};

test.each(PRESETS.filter(name => readPreset(name).kind === 'overlay'))(
  '%s maps features to classes',
  name => {
    const layer = { source: 'a.geojson', format: 'geojson' };
    const feed = feedOf(JSON.stringify({ name: 'p', kind: 'overlay', preset: name, layer })) as LayerFeed;
    const overlay = VECTOR_LAYERS.find(({ kind }) => kind === 'overlay')!.forFeed!(feed);
    const map = compileLayerMapper(overlay, feed.layer);
    for (const [values, wanted] of OVERLAYS[name]!) {
      const row = { rowNo: 1, values, geometry: null };
      map.prepare([row]);
      const mapped = map(row);
      if (!mapped.ok) {
        expect(mapped).toMatchObject(wanted);
        continue;
      }
      const fields = overlay.rows.names.map((field, i) => [field, mapped.values[i]]);
      expect(Object.fromEntries(fields.filter(([, value]) => value !== null))).toEqual(wanted);
    }
  },
);
