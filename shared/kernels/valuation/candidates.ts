import type { Model } from './model.ts';
import { createNearest } from './nearest.ts';
import { isUsable } from './screen.ts';
import {
  addComp,
  adjust,
  type ChosenComps,
  type Market,
  marketOf,
  newChosenComps,
  placeOf,
} from './select.ts';
import { type Comps, NO_DAY, SOLD, type Subject } from './valuation-types.ts';

/**
 * The comps that are the fewest steps from a subject, for a person to choose from. Each is adjusted as in the
 * model. Comps that the model excludes are included.
 * @returns comps in order of steps
 */
export function candidatesOf(model: Model, comps: Comps, subject: Subject, most: number): ChosenComps {
  const place = placeOf(subject, model.asOfDay);
  const near: { market: Market; entry: number; steps: number }[] = [];
  for (const market of [model.sales, model.asking, ...leftOut(model, comps)]) {
    const { index, steps, find } = createNearest({ ...market, count: market.source.length }, most);
    const count = find(place, model.steps, most, Number.POSITIVE_INFINITY);
    for (let i = 0; i < count; i++) near.push({ market, entry: index[i]!, steps: steps[i]! });
  }
  const into = newChosenComps(most);
  const nearest = near.sort((a, b) => a.steps - b.steps).slice(0, most);
  for (const { market, entry, steps } of nearest) addComp(into, market, entry, steps);
  return adjust(model, subject, model.asOfDay, -1, into);
}

/** Sales and listings that were known on the day but aren't used by the model. */
function leftOut({ sales, asking, asOfDay }: Model, comps: Comps): Market[] {
  const used = new Set([...sales.source, ...asking.source]);
  const left = Array.from({ length: comps.count }, (_, i) => i).filter(
    i => !used.has(i) && isUsable(comps, i),
  );
  const [sold, open] = [true, false].map(isSale =>
    Int32Array.from(left.filter(i => (comps.status[i] === SOLD) === isSale)),
  );
  const known = sold!.filter(i => comps.soldDay[i] !== NO_DAY && comps.soldDay[i]! <= asOfDay);
  return [marketOf(comps, known, true, i => comps.soldDay[i]!), marketOf(comps, open!, false, () => asOfDay)];
}
