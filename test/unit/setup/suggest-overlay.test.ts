import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guessFormat } from '../../../workers/formats/guess-format.ts';
import { suggestFeed } from '../../../workers/setup/check-suggestion.ts';
import { testFolder } from '../../support/folder.ts';
import { ring, surveyZip } from '../../support/soil-survey.ts';

const folder = testFolder();

const suggest = (source: string, format: 'ssurgo' | 'geojson') =>
  suggestFeed({
    input: { source, format },
    baseDir: folder,
    file: join(folder, 'a.yaml'),
    rows: 500,
    head: { name: 'a', fips: '05017' },
  });

test('a soil survey becomes an overlay with the preset for soils', async () => {
  const path = join(folder, 'ar017.zip');
  writeFileSync(
    path,
    surveyZip(
      'AR017',
      [{ mukey: '1', septic: 'Not limited', hydric: 0 }],
      [{ mukey: '1', ring: ring(-91.4, 33.3) }],
    ),
  );
  const format = (await guessFormat(path)) as 'ssurgo';
  const { kind, problems, text, check } = await suggest('ar017.zip', format);
  expect([kind, problems, check?.preset]).toEqual(['overlay', [], 'soils']);
  expect(text).toMatch(
    /^kind: overlay\n[\s\S]*^preset: soils\n\nlayer:\n {2}source: ar017\.zip\n {2}format: ssurgo/m,
  );
});

test.each([
  ['protected_land', { Mang_Type: 'FED', GAP_Sts: '1', Unit_Nm: 'Okefenokee' }],
  ['zoning_atlas', { ABB_DIST_NAME: 'V', DIST_TYPE: 'Nonresidential' }],
  ['urban_areas', { UACE20: '06058', NAMELSAD20: 'Bangor, ME Urban Area' }],
  ['transmission_lines', { VOLT_CLASS: '345', SUB_1: 'ORRINGTON', OWNER: 'VERSANT POWER' }],
])('%s is recognized by its columns', async (preset, properties) => {
  const geometry = { type: 'Polygon', coordinates: [ring(-91.4, 33.3)] };
  const features = [{ type: 'Feature', properties, geometry }];
  writeFileSync(join(folder, 'a.geojson'), JSON.stringify({ type: 'FeatureCollection', features }));
  const { kind, problems, check } = await suggest('a.geojson', 'geojson');
  expect([kind, problems, check?.preset]).toEqual(['overlay', [], preset]);
});
