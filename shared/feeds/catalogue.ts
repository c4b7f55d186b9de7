import { readFileSync } from 'node:fs';
import { PlatError } from '../platform/errors.ts';

/**
 * A publisher of parcel data, from OpenAddresses' list for the US (CC0). tools/make-catalogue.ts writes the
 * file.
 */
export type CatalogueSource = {
  /** Five digits for a county, two for a state, seven for a city. */
  place: string;
  /** The OpenAddresses file, such as wi/green. */
  file: string;
  format: string;
  address: string;
  member?: string;
  layer?: string;
  key?: string[];
  year?: string;
  website?: string;
  /** The license as noted by OpenAddresses. */
  terms?: string;
};

type Catalogue = { from: string; licence: string; sources: CatalogueSource[] };

let cached: { file: string; catalogue: Catalogue } | undefined;

const bundled = new URL('./catalogue.json', import.meta.url).pathname;

/**
 * The catalog. The file is read once. @param file another catalog in the same format, from CATALOGUE_FILE
 * @throws PlatError `config`
 */
export function readCatalogue(file = bundled): Catalogue {
  if (cached?.file !== file) cached = { file, catalogue: parseCatalogue(file) };
  return cached.catalogue;
}

function parseCatalogue(file: string): Catalogue {
  try {
    const catalogue = JSON.parse(readFileSync(file, 'utf8')) as Catalogue;
    if (!Array.isArray(catalogue.sources)) throw new Error('it has no list of "sources"');
    const wrong = catalogue.sources.findIndex(
      ({ place, address }) => !/^\d{2,7}$/.test(place) || !URL.canParse(address),
    );
    if (wrong < 0) return catalogue;
    throw new Error(`source ${wrong + 1} needs a "place" (digits) and an "address"`);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new PlatError('config', `Can't read the catalog ${file}: ${why}. Correct CATALOGUE_FILE.`, {
      cause,
    });
  }
}

/** The catalog's sources for a county. The county's own come before the state's, newest first. */
export function sourcesOfCounty(fips: string, file?: string): CatalogueSource[] {
  const of = (place: string) =>
    readCatalogue(file)
      .sources.filter(source => source.place === place)
      .sort((a, b) => (b.year ?? '').localeCompare(a.year ?? ''));
  return [...of(fips), ...of(fips.slice(0, 2))];
}
