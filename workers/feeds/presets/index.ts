import type { ListingField } from '../../../shared/domain/listing-fields.ts';
import type { ColumnSpec, Condition, KeySpec } from '../column-schema.ts';
import type { ParcelTarget, PresetName } from '../definition.ts';
import { floridaNal } from './florida-nal.ts';
import { regrid } from './regrid.ts';
import { reso } from './reso.ts';
import { texasStratmap } from './texas-stratmap.ts';

type PresetColumns<Target extends string> = Partial<Record<Target, string | ColumnSpec>>;

/** A known schema. Feeds that name it need only say what to read. */
export type AssessorPreset = {
  kind: 'assessor';
  key: KeySpec;
  columns: PresetColumns<ParcelTarget>;
  skipWhere?: Condition[];
};
export type ListingsPreset = {
  kind: 'listings';
  columns: PresetColumns<ListingField>;
  skipWhere?: Condition[];
};
export type Preset = AssessorPreset | ListingsPreset;

export const presets: Record<PresetName, Preset> = {
  regrid,
  reso,
  florida_nal: floridaNal,
  texas_stratmap: texasStratmap,
};
