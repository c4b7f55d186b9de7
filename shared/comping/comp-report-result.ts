import { mean, median } from 'simple-statistics';
import { gini } from '../kernels/stats/region-stats.ts';
import { averageWith } from '../kernels/valuation/neighborhood-share.ts';
import {
  type ChosenComps,
  combine,
  MIN_COMPS,
  newChosenComps,
  weighComps,
} from '../kernels/valuation/select.ts';
import type { Valuation } from '../kernels/valuation/valuation-types.ts';
import { createConclusion, withoutSupport } from '../kernels/valuation/value-parcel.ts';
import { shownPercent } from '../model/valuation-comps-codec.ts';
import { ADJUSTMENTS, type Adjustment, type Candidate, type ReportSnapshot } from './comp-report.ts';
import { isUnsellable } from './report-problems.ts';

export type Override = { comp_id: string; adjustment: Adjustment; percent: number; reason: string };

/** In percent. `model` is the model's own adjustment, null if it makes none. `percent` is the one applied. */
export type AppliedAdjustment = { model: number | null; percent: number | null; reason: string | null };

/** A chosen comp and its effect. Prices per acre are in USD. */
export type ResultLine = {
  comp: Candidate;
  ppa: number;
  adjustments: Record<Adjustment, AppliedAdjustment>;
  adjusted_ppa: number;
  /** The comp's share of the estimate, 0 to 1. */
  weight: number;
  /** How much lower the estimate would be without this comp, in USD. Null for the only comp. */
  moves: number | null;
};

/** Summary of prices per acre. `weighted` is the geometric mean used for estimates. `gini` is 0 to 100. */
export type Totals = { mean: number; median: number; weighted: number; gini: number };

export type Result = {
  /** Sales come before asking prices. Each group is ordered by `steps`. */
  lines: ResultLine[];
  as_sold: Totals;
  adjusted: Totals;
  /** The range and confidence are meaningful only with three or more comps (`enough`). */
  estimate: Valuation;
  enough: boolean;
};

const factorOf = (percent: number): number => Math.log1p(percent / 100);
const percentOf = (log: number | null): number | null => (log === null ? null : shownPercent(log));

type OverrideOf = (comp: Candidate, name: Adjustment) => Override | undefined;

/** Calculates the estimate from the chosen comps, the way the model does. Null if none are chosen. */
export function resultOf(
  snapshot: ReportSnapshot,
  isChosen: (comp: Candidate) => boolean,
  overrides: readonly Override[],
): Result | null {
  const comps = snapshot.candidates
    .filter(isChosen)
    .sort((a, b) => Number(b.status === 'SOLD') - Number(a.status === 'SOLD') || a.steps - b.steps);
  if (comps.length === 0) return null;
  const overridesByKey = new Map(overrides.map(one => [`${one.comp_id} ${one.adjustment}`, one]));
  const overrideOf: OverrideOf = (comp, name) => overridesByKey.get(`${comp.id} ${name}`);
  const columns = columnsOf(comps, overrideOf, snapshot.weight_edges);
  weighComps(columns, snapshot.weight_steps);
  columns.neighborhood = snapshot.neighborhood?.log_ppa ?? Number.NaN;
  const neighborhoodShare = snapshot.neighborhood?.share ?? 0;
  const conclude = createConclusion({ ...snapshot, neighborhoodShare }, comps.length);
  const conclusion = conclude(columns, snapshot.subject.acres);
  const estimate = isUnsellable(snapshot) ? withoutSupport(conclusion) : conclusion;
  const lines = linesOf(comps, columns, estimate, snapshot.subject.acres, overrideOf);
  return {
    lines,
    as_sold: totalsOf(
      lines.map(({ ppa }) => ppa),
      Array.from(columns.ppa, Math.log),
      columns.weight,
    ),
    adjusted: totalsOf(
      lines.map(({ adjusted_ppa }) => adjusted_ppa),
      columns.adjusted,
      columns.weight,
    ),
    estimate,
    enough: comps.length >= MIN_COMPS,
  };
}

/**
 * The comps in the columns that the kernels use, with the user's overrides or else the model's adjustments.
 */
function columnsOf(
  comps: readonly Candidate[],
  overrideOf: OverrideOf,
  edges: ReportSnapshot['weight_edges'],
): ChosenComps {
  const columns = newChosenComps(comps.length);
  columns.count = comps.length;
  const { listing, sale } = edges ?? { listing: Number.POSITIVE_INFINITY, sale: Number.POSITIVE_INFINITY };
  columns.edge = Float64Array.of(listing, sale);
  for (const [i, comp] of comps.entries()) {
    const log = (name: Adjustment): number => {
      const override = overrideOf(comp, name);
      return override === undefined ? (comp.adjustments[name] ?? 0) : factorOf(override.percent);
    };
    columns.price[i] = comp.price;
    columns.ppa[i] = comp.price / comp.acres;
    columns.logAcres[i] = Math.log(comp.acres);
    columns.sale[i] = comp.status === 'SOLD' ? 1 : 0;
    columns.steps[i] = comp.steps;
    columns.adjusted[i] =
      Math.log(columns.ppa[i]!) + log('size') + log('time') + log('land') + log('location') + log('asking');
  }
  return columns;
}

function linesOf(
  comps: readonly Candidate[],
  columns: ChosenComps,
  estimate: Valuation,
  acres: number,
  overrideOf: OverrideOf,
): ResultLine[] {
  const { mean } = combine(columns);
  const { neighborhood } = estimate;
  return comps.map((comp, i) => {
    const weight = columns.weight[i]!;
    const byOthers = (mean - weight * columns.adjusted[i]!) / (1 - weight);
    const without = averageWith(columns.neighborhood, neighborhood?.weight ?? 0, byOthers);
    return {
      comp,
      ppa: columns.ppa[i]!,
      adjustments: Object.fromEntries(
        ADJUSTMENTS.map(name => {
          const model = percentOf(comp.adjustments[name]);
          const override = overrideOf(comp, name);
          return [name, { model, percent: override?.percent ?? model, reason: override?.reason ?? null }];
        }),
      ) as ResultLine['adjustments'],
      adjusted_ppa: Math.exp(columns.adjusted[i]!),
      weight,
      moves: comps.length === 1 ? null : estimate.meanAdjustedPrice - Math.exp(without) * acres,
    };
  });
}

function totalsOf(ppas: readonly number[], logs: ArrayLike<number>, weights: Float64Array): Totals {
  const log = weights.reduce((sum, weight, i) => sum + weight * logs[i]!, 0);
  return {
    mean: mean([...ppas]),
    median: median([...ppas]),
    weighted: Math.exp(log),
    gini:
      gini(
        ppas.toSorted((a, b) => a - b),
        ppa => ppa,
      ) ?? 0,
  };
}
