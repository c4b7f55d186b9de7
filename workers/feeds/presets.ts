import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { InputSection } from '../formats/format-input.ts';
import type { ColumnSpec, Condition, KeySpec } from './column-schema.ts';
import type { OverlaysSection } from './overlays-schema.ts';
import type { SalesFile } from './sales-schema.ts';

export const PRESETS = [
  'regrid',
  'reso',
  'florida_nal',
  'texas_stratmap',
  'arizona',
  'arkansas',
  'colorado',
  'connecticut',
  'delaware',
  'district_of_columbia',
  'indiana',
  'maryland',
  'massachusetts',
  'minnesota',
  'montana',
  'new_hampshire',
  'new_jersey',
  'new_york',
  'north_carolina',
  'utah_lir',
  'vermont',
  'virginia',
  'washington',
  'west_virginia',
  'wisconsin',
  'connecticut_sales',
  'cook_county_sales',
  'district_of_columbia_sales',
  'florida_sdf',
  'illinois_ptax',
  'maryland_assessments',
  'maryland_sales',
  'new_jersey_sr1a',
  'new_york_salesweb',
  'vermont_transfers',
  'census_population',
  'census_permits',
  'census_income',
  'soils',
  'zoning',
  'zoning_atlas',
  'protected_land',
  'opportunity_zones',
  'transmission_lines',
  'railroads',
  'urban_areas',
] as const;
export type PresetName = (typeof PRESETS)[number];

/** A known schema, written like a section of a feed file. Feeds that use it only have to say what to read. */
export type Preset = {
  kind: 'assessor' | 'listings' | 'county_facts' | 'overlay';
  /** Only for presets of kind assessor and for sales files. */
  key?: string | KeySpec;
  /** Format details that the source doesn't declare itself. */
  input?: Partial<InputSection>;
  columns: Partial<Record<string, string | ColumnSpec>>;
  skip_where?: Condition[];
  sales?: SalesFile;
  /** Only for presets of kind overlay: the section of the same name. */
  overlays?: OverlaysSection;
};

export const readPreset = (name: PresetName): Preset =>
  parse(readFileSync(new URL(`./presets/${name}.yaml`, import.meta.url), 'utf8')) as Preset;
