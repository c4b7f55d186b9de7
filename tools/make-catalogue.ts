// Regenerates shared/feeds/catalogue.json from a checkout of https://github.com/openaddresses/openaddresses.
//   node --import tsx tools/make-catalogue.ts CHECKOUT [COMMIT]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogueSource } from '../shared/feeds/catalogue.ts';
import { rootDir } from '../shared/platform/root.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { countyByName } from '../shared/regions/county-names.ts';
import { STATES } from '../shared/regions/states.ts';

type Licence = string | { text?: string; url?: string; 'attribution name'?: string } | null;

/**
 * Only the properties used here. https://github.com/openaddresses/openaddresses/blob/master/CONTRIBUTING.md
 * describes the format.
 */
type SourceFile = {
  coverage?: { 'US Census'?: { geoid?: string }; state?: string; county?: string | string[] };
  layers?: {
    parcels?: {
      name?: string;
      skip?: boolean;
      data: string;
      protocol: string;
      year?: string | number;
      website?: string;
      license?: Licence;
      conform: { format: string; pid?: unknown; file?: string; layer?: string; encoding?: string };
    }[];
  };
};

const FORMATS: Record<string, string> = { gdb: 'filegdb', gpkg: 'geopackage', geojson: 'geojson' };

/** The county, state, or place, by its Census code, or by state and name if the file has no code. */
function placeOf(file: string, { coverage }: SourceFile): string | null {
  const geoid = coverage?.['US Census']?.geoid;
  const [usps = '', stem = ''] = file.split('/');
  const state = STATES.find(({ code }) => code.toLowerCase() === usps);
  if (stem === 'statewide' && state) return String(state.fips).padStart(2, '0');
  const isCity = /^(city|town|village)_of_/.test(stem);
  // If a file's name and code refer to different counties, the code is wrong. For example, wi/shawano had
  // Sawyer's.
  const named = state && !isCity ? countyByName(stem.replaceAll('_', ' '), state.code) : null;
  if (named !== null && (geoid === undefined || geoid.length === 5)) return fiveDigits(named);
  // Ignore a county's code on a city's file, because the city isn't the county.
  return geoid && (isCity ? /^\d{7}$/ : /^\d{5}$|^\d{7}$/).test(geoid) ? geoid : null;
}

const termsOf = (licence: Licence | undefined): string | undefined =>
  typeof licence === 'object' && licence !== null
    ? [licence.text, licence['attribution name'], licence.url].filter(Boolean).join('; ') || undefined
    : (licence ?? undefined);

/** The columns that have the parcel number: one, several to join, or one that a rule shortens. */
function keyOf(pid: unknown): string[] | undefined {
  if (typeof pid === 'string') return [pid];
  if (Array.isArray(pid)) return pid.filter(name => typeof name === 'string');
  const rule = (pid ?? {}) as { field?: string; fields?: string[] };
  return rule.fields ?? (rule.field === undefined ? undefined : [rule.field]);
}

function sourcesOf(file: string, content: SourceFile): CatalogueSource[] {
  const place = placeOf(file, content);
  if (place === null) return [];
  return (content.layers?.parcels ?? []).flatMap(
    ({ name, skip, data, protocol, year, website, license, conform }) => {
      // Ohio's statewide file includes a layer that covers a single county.
      if (place.length === 2 && name === 'county') return [];
      if (skip || typeof data !== 'string' || !/^https?:/.test(data)) return [];
      const key = keyOf(conform.pid);
      const terms = termsOf(license);
      const format = protocol === 'ESRI' ? 'arcgis' : (FORMATS[conform.format] ?? conform.format);
      return [
        {
          place,
          file,
          format,
          address: data,
          ...(conform.file && { member: conform.file }),
          ...(conform.layer && format !== 'arcgis' && { layer: String(conform.layer) }),
          ...(key?.length && { key }),
          ...(year && { year: String(year) }),
          ...(website && { website }),
          ...(terms && { terms }),
        },
      ];
    },
  );
}

const [checkout, commit] = process.argv.slice(2);
if (checkout === undefined) throw new Error('Pass the folder of a checkout of openaddresses/openaddresses.');
const root = join(checkout, 'sources', 'us');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(file =>
  /^..\/[^/]+\.json$/.test(file),
);
const sources = files
  .sort()
  .flatMap(file => sourcesOf(file.slice(0, -5), JSON.parse(readFileSync(join(root, file), 'utf8'))));
const lines = sources.map(source => JSON.stringify(source)).join(',\n');
const from = `https://github.com/openaddresses/openaddresses${commit ? `/tree/${commit}` : ''}`;
writeFileSync(
  join(rootDir, 'shared', 'feeds', 'catalogue.json'),
  `{"from": "${from}", "licence": "CC0-1.0; the data behind each address has terms of its own", "sources": [\n${lines}\n]}\n`,
);
process.stdout.write(
  `${sources.length} sources in ${new Set(sources.map(({ place }) => place)).size} places\n`,
);
