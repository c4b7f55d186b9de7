import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ColumnSpec, Condition, KeySpec } from './column-schema.ts';
import type { PresetName } from './definition.ts';

/** A known schema, written like the section of a feed file. Feeds that name it need only say what to read. */
export type Preset = {
  kind: 'assessor' | 'listings';
  /** Of kind assessor. */
  key?: string | KeySpec;
  columns: Partial<Record<string, string | ColumnSpec>>;
  skip_where?: Condition[];
};

export function readPreset(name: PresetName): Preset {
  return parse(readFileSync(new URL(`./presets/${name}.yaml`, import.meta.url), 'utf8')) as Preset;
}
