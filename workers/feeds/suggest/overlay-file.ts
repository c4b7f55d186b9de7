import type { PresetName } from '../presets.ts';

/** Columns by which the files of an overlay preset are recognized. */
const MARKS: Partial<Record<PresetName, readonly string[]>> = {
  soils: ['MUKEY', 'ENGSTAFDCD'],
  zoning_atlas: ['ABB_DIST_NAME', 'DIST_TYPE'],
  protected_land: ['MANG_TYPE', 'GAP_STS'],
  transmission_lines: ['VOLT_CLASS', 'SUB_1'],
  urban_areas: ['UACE20', 'NAMELSAD20'],
};

/** The preset for a file of soils, zoning, or another overlay, judged by its columns. */
export function overlayPresetOf(names: readonly string[]): PresetName | undefined {
  const there = new Set(names.map(name => name.toUpperCase()));
  const found = Object.entries(MARKS).find(([, marks]) => marks.every(mark => there.has(mark)));
  return found?.[0] as PresetName | undefined;
}
