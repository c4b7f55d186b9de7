import { SQ_FT_PER_ACRE } from '../../../shared/domain/buckets.ts';
import type { AreaUnit } from '../../feeds/column-schema.ts';
import { tidyText } from '../validate/text.ts';

/** The international acre: 43,560 square feet of 0.3048 m. */
const SQ_M_PER_ACRE = 4_046.856_422_4;
const HECTARES_PER_ACRE = 0.404_685_642_24;

/** Divisions, not factors: 10,890 square feet must be 0.25 acres to the last digit, for buckets begin there. */
const TO_ACRES: Record<AreaUnit, (area: number) => number> = {
  acres: area => area,
  sqft: area => area / SQ_FT_PER_ACRE,
  sqm: area => area / SQ_M_PER_ACRE,
  hectares: area => area / HECTARES_PER_ACRE,
};

export type AreaTarget = 'acres' | 'square feet';

export function convertArea(area: number, unit: AreaUnit, target: AreaTarget): number {
  if (target === 'acres') return TO_ACRES[unit](area);
  return unit === 'sqft' ? area : TO_ACRES[unit](area) * SQ_FT_PER_ACRE;
}

const WORDS: Record<AreaUnit, string[]> = {
  acres: ['acres', 'acre', 'acs', 'ac', 'a'],
  sqft: ['sqft', 'squarefeet', 'squarefoot', 'sqfeet', 'sqfoot', 'sf', 'ft2', 'feet', 'usft'],
  sqm: ['sqm', 'squaremeters', 'squaremetres', 'squaremeter', 'sqmeters', 'm2'],
  hectares: ['hectares', 'hectare', 'ha'],
};
const UNITS = new Map(
  (Object.entries(WORDS) as [AreaUnit, string[]][]).flatMap(([unit, words]) =>
    words.map(word => [word, unit] as const),
  ),
);

/** The unit that a word means ('Square Feet', 'AC.'); `whenEmpty` for none, null for a word that is no unit. */
export function unitOf(raw: unknown, whenEmpty: AreaUnit): AreaUnit | null {
  const text = tidyText(raw);
  return text === null ? whenEmpty : (UNITS.get(text.toLowerCase().replace(/[^a-z0-9]/g, '')) ?? null);
}
