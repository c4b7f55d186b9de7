import { FRONTAGE_TERM, LAND_TERMS } from './land-effects.ts';
import type { Subject } from './valuation-types.ts';

/**
 * Lots that would be sold as one lot. It is at the first of them, has the shares of their land and the
 * assessor's opinion weighted by acres, the frontage of all of them, and a shore if one of them has it. A lot
 * whose figure is unknown is left out of that figure.
 * @param acres the acreage of the whole
 */
export function subjectTogether(lots: readonly [Subject, ...Subject[]], acres: number): Subject {
  const [first] = lots;
  const termOf = (term: number) => (lot: Subject) => lot.land?.[term];
  const land = Float64Array.from({ length: LAND_TERMS }, (_, term) =>
    term === FRONTAGE_TERM ? frontageOf(lots) : meanByAcres(lots, termOf(term)),
  );
  const shores = lots.map(({ shore = Number.NaN }) => shore);
  return {
    lon: first.lon,
    lat: first.lat,
    acres,
    land: first.land && land,
    assessed: meanByAcres(lots, lot => lot.assessed),
    shore: shores.includes(1) ? 1 : Math.max(...shores),
  };
}

function meanByAcres(lots: readonly Subject[], figureOf: (lot: Subject) => number | undefined): number {
  let [sum, acres] = [0, 0];
  for (const lot of lots) {
    const figure = figureOf(lot) ?? Number.NaN;
    if (Number.isNaN(figure)) continue;
    sum += lot.acres * figure;
    acres += lot.acres;
  }
  return sum / acres;
}

/** The term is a logarithm: ln(1 + frontage). */
function frontageOf(lots: readonly Subject[]): number {
  const known = lots.flatMap(({ land }) => land?.[FRONTAGE_TERM] ?? []).filter(term => !Number.isNaN(term));
  if (known.length === 0) return Number.NaN;
  return Math.log1p(known.reduce((sum, term) => sum + Math.expm1(term), 0));
}
