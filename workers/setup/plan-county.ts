import { type CatalogueSource, readCatalogue, sourcesOfCounty } from '../../shared/feeds/catalogue.ts';
import { type CountyKind, isCountyOverlay } from '../../shared/feeds/county-feeds.ts';
import {
  readSalesPrograms,
  type SalesProgram,
  salesAddresses,
  salesProgramOf,
} from '../../shared/feeds/sales-programs.ts';
import { padBox } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import type { Config } from '../../shared/platform/config.ts';
import { countyText, fiveDigits } from '../../shared/regions/counties.ts';
import { countyExtent } from '../../shared/regions/county-polygons.ts';
import { stateOfFips } from '../../shared/regions/states.ts';
import type { PresetName } from '../feeds/presets.ts';
import { feedHead, inputLines } from '../feeds/suggest/write-feed.ts';
import type { InputSection } from '../formats/format-input.ts';
import { formatOf } from '../formats/read-format.ts';

type LandKind = Exclude<CountyKind, 'assessor' | 'listings'>;

/** A feed that a county lacks, and possible addresses for its data. The first address that exists is used. */
export type PlannedFeed = {
  fips: string;
  kind: CountyKind;
  name: string;
  title: string;
  attribution: string;
  licence: string;
  /** The environment variable that sets a different address. */
  setting: string;
  addresses: string[];
  source?: CatalogueSource;
  program?: SalesProgram;
};

export const feedNameOf = (fips: string, kind: CountyKind): string =>
  `${fips}-${NAMES[kind] ?? kind.replaceAll('_', '-')}`;

const NAMES: Partial<Record<CountyKind, string>> = { assessor: 'parcels', listings: 'sales' };

type Agency = { setting: keyof Config & string; what: string; attribution: string; licence: string };

/** Agencies that publish layers for every county. */
const AGENCIES: Record<LandKind, Agency> = {
  roads: {
    setting: 'ROADS_URL',
    what: 'roads',
    attribution: 'US Census Bureau, TIGER/Line',
    licence: 'public domain (US government)',
  },
  wetlands: {
    setting: 'WETLANDS_URL',
    what: 'wetlands',
    attribution: 'US Fish and Wildlife Service, National Wetlands Inventory',
    licence: 'public domain (US government)',
  },
  flood: {
    setting: 'FLOOD_URL',
    what: 'flood zones',
    attribution: 'Federal Emergency Management Agency, National Flood Hazard Layer',
    licence: 'public domain (US government)',
  },
  elevation: {
    setting: 'ELEVATION_URL',
    what: 'heights',
    attribution: 'US Geological Survey, 3D Elevation Program, 1/3 arc-second',
    licence: 'public domain (US government)',
  },
  water: {
    setting: 'WATER_URL',
    what: 'water',
    attribution: 'US Census Bureau, TIGER/Line',
    licence: 'public domain (US government)',
  },
  places: {
    setting: 'PLACES_URL',
    what: 'place names',
    attribution: 'US Geological Survey, Geographic Names Information System',
    licence: 'public domain (US government)',
  },
  soils: {
    setting: 'SOILS_URL',
    what: 'soils',
    attribution: 'USDA Natural Resources Conservation Service, Soil Survey Geographic Database',
    licence: 'public domain (US government)',
  },
  protected_land: {
    setting: 'PROTECTED_LAND_URL',
    what: 'protected land',
    attribution: 'US Geological Survey, Protected Areas Database of the United States',
    licence: 'public domain (US government)',
  },
  opportunity_zones: {
    setting: 'OPPORTUNITY_ZONES_URL',
    what: 'opportunity zones',
    attribution: 'US Department of Housing and Urban Development',
    licence: 'public domain (US government)',
  },
  transmission_lines: {
    setting: 'TRANSMISSION_LINES_URL',
    what: 'transmission lines',
    attribution: 'Homeland Infrastructure Foundation-Level Data',
    licence: 'public domain (US government)',
  },
  railroads: {
    setting: 'RAILROADS_URL',
    what: 'railroads',
    attribution: 'US Census Bureau, TIGER/Line',
    licence: 'public domain (US government)',
  },
  urban_areas: {
    setting: 'URBAN_AREAS_URL',
    what: 'urban areas',
    attribution: 'US Census Bureau, TIGER/Line',
    licence: 'public domain (US government)',
  },
};

/** The Census Bureau publishes one version per year. Plat tries the last three. */
const EDITIONS = 3;

/** County polygons are generalized by up to a kilometer. */
const MARGIN_DEG = 0.02;

/** The box around a county, with a margin for its generalized outline, in degrees rounded to about 10 m. */
export function boundsOf(fips: string): Box {
  const extent = countyExtent(Number(fips));
  if (extent === undefined) throw new Error(`No county has the FIPS code ${fips}.`);
  return padBox(extent, MARGIN_DEG).map(side => Number(side.toFixed(4))) as Box;
}

/** The margin is wider than a mile, which is how far Plat measures distances to these overlays. */
const OVERLAY_MARGIN_DEG = 0.03;

function overlayBox(fips: string): Box {
  const [west, south, east, north] = padBox(countyExtent(Number(fips))!, OVERLAY_MARGIN_DEG);
  return [west, south, east, north].map(side => Number(side.toFixed(4))) as Box;
}

/** The feeds that a county needs, and their sources. Makes no requests. */
export function planCounty(
  county: number,
  config: Config,
  year = new Date().getUTCFullYear(),
): PlannedFeed[] {
  const fips = fiveDigits(county);
  const state = stateOfFips(county)!;
  const place = countyText(county);
  const land = (Object.keys(AGENCIES) as LandKind[]).map((kind): PlannedFeed => {
    const { what, ...agency } = AGENCIES[kind];
    const template = String(config[agency.setting as keyof Config]);
    const years = template.includes('{year}') ? Array.from({ length: EDITIONS }, (_, i) => year - i) : [year];
    const addresses = years.map(edition =>
      template.replaceAll('{year}', String(edition)).replaceAll('{fips}', fips).replaceAll('{state}', state),
    );
    return { ...agency, fips, kind, name: feedNameOf(fips, kind), title: `${place}: ${what}`, addresses };
  });
  return [...parcels(fips, place, config), ...sales(county, place, year, config), ...land];
}

function sales(county: number, place: string, year: number, { SALES_FILE }: Config): PlannedFeed[] {
  const program = salesProgramOf(county, readSalesPrograms(SALES_FILE));
  if (program === undefined) return [];
  const fips = fiveDigits(county);
  return [
    {
      fips,
      kind: 'listings',
      name: feedNameOf(fips, 'listings'),
      title: `${place}: sales`,
      attribution: program.publisher,
      licence: program.terms,
      setting: 'SALES_FILE',
      addresses: salesAddresses(program, county, year),
      program,
    },
  ];
}

function parcels(fips: string, place: string, { CATALOGUE_FILE }: Config): PlannedFeed[] {
  const [source] = sourcesOfCounty(fips, CATALOGUE_FILE);
  if (source === undefined) return [];
  return [
    {
      fips,
      kind: 'assessor',
      name: feedNameOf(fips, 'assessor'),
      title: `${place}: parcels`,
      attribution: source.website ?? new URL(source.address).hostname,
      licence: source.terms ?? 'not stated; ask the publisher',
      setting: 'CATALOGUE_FILE',
      addresses: [source.address],
      source,
    },
  ];
}

/**
 * A state has one or more files (WI_Wetlands_NorthEast, South_Dakota_East). Other files in the archive cover
 * individual projects.
 */
const WETLAND_MEMBERS = [
  '*_Wetlands.shp',
  '*_North*.shp',
  '*_South*.shp',
  '*_East.shp',
  '*_West.shp',
  '*_Central.shp',
  '!*Historic*',
  '!*Riparian*',
  '!*Metadata*',
];

/**
 * The input of a planned feed. If a file covers more than the county, the feed uses only the county's rows.
 */
export function inputOf(
  { fips, kind, source, program }: PlannedFeed,
  address: string | string[],
): InputSection {
  const format = (source?.format ??
    program?.format ??
    formatOf([address].flat()[0]!) ??
    'shapefile') as InputSection['format'];
  if (isCountyOverlay(kind))
    return {
      source: address,
      format: kind === 'soils' && format === 'shapefile' ? 'ssurgo' : format,
      // Soils cover a parcel, but the nearest line can be in the next county.
      within: kind === 'soils' ? 'county' : overlayBox(fips),
    };
  const isShared = source
    ? source.place.length === 2
    : kind === 'wetlands' || kind === 'flood' || !!program?.within;
  return {
    source: address,
    format,
    ...(kind === 'wetlands' && format === 'shapefile' && { member: WETLAND_MEMBERS }),
    ...(kind === 'places' && {
      format: 'csv',
      member: `DomesticNames_${stateOfFips(Number(fips))}.txt`,
      delimiter: '|',
    }),
    ...(source?.member && { member: source.member }),
    ...(source?.layer && { layer: source.layer }),
    ...(isShared && { within: 'county' }),
  } as InputSection;
}

/** Presets for statewide layers, by state. */
const STATE_PRESETS: Record<string, PresetName> = {
  AR: 'arkansas',
  AZ: 'arizona',
  CO: 'colorado',
  CT: 'connecticut',
  DC: 'district_of_columbia',
  DE: 'delaware',
  FL: 'florida_nal',
  IN: 'indiana',
  MA: 'massachusetts',
  MD: 'maryland',
  MN: 'minnesota',
  MT: 'montana',
  NC: 'north_carolina',
  NH: 'new_hampshire',
  NJ: 'new_jersey',
  NY: 'new_york',
  TX: 'texas_stratmap',
  UT: 'utah_lir',
  VA: 'virginia',
  VT: 'vermont',
  WA: 'washington',
  WV: 'west_virginia',
};

export const presetOf = ({ fips, source, program }: PlannedFeed): PresetName | undefined =>
  (program?.preset as PresetName | undefined) ??
  (source?.place.length === 2 ? STATE_PRESETS[stateOfFips(Number(fips))!] : undefined);

export function feedHeaderLines({ fips, source }: PlannedFeed, config: Config): string[] {
  const list = source
    ? [`Address from ${readCatalogue(config.CATALOGUE_FILE).from}, file ${source.file}.`]
    : [];
  return [`Written by \`plat county add ${fips}\`.`, ...list];
}

/** Keeps only the county's place names from the state's file. */
const ofCounty = (fips: string): string[] => [
  '  skip_where:',
  `    - { column: county_numeric, not_in: ["${fips.slice(2)}", "${Number(fips.slice(2))}"] }`,
];

export function landText(planned: PlannedFeed, addresses: readonly string[], config: Config): string {
  const { fips, kind, name, title, attribution, licence } = planned;
  const [address = '', ...others] = addresses;
  const ofKind = isCountyOverlay(kind) ? { kind: 'overlay', preset: kind } : { kind };
  const about = feedHeaderLines(planned, config);
  const head = feedHead({ name, ...ofKind, fips, title, attribution, licence }, about);
  const body =
    kind === 'elevation'
      ? ['elevation:', `  template: ${address}`, `  bounds: [${boundsOf(fips).join(', ')}]`]
      : [
          'layer:',
          ...inputLines(inputOf(planned, others.length > 0 ? [...addresses] : address)),
          ...(kind === 'places' ? ofCounty(fips) : []),
        ];
  // Every county has soils, but not every county has a railroad.
  if (isCountyOverlay(kind) && kind !== 'soils') body.push('gates:', '  allow_empty: true');
  return `${[...head, '', ...body].join('\n')}\n`;
}
