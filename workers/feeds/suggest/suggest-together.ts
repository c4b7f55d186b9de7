import type { ParcelTarget } from '../parcel-targets.ts';
import type { Candidate, Profile } from './column-profile.ts';

/** Fields that combine several columns: the year and month of a sale, or an area and its unit. */
export function combinedColumns(profiles: readonly Profile[]): Candidate[] {
  const has = (...ideas: string[]) =>
    profiles.filter(
      profile =>
        profile.filled.length > 0 &&
        profile.ideas.size === ideas.length &&
        ideas.every(idea => profile.ideas.has(idea)),
    );
  const found: Candidate[] = [];
  for (const year of [...has('sale', 'year'), ...has('sale', 'year', 'first')]) {
    const month = profiles.find(
      ({ ideas }) =>
        ideas.has('sale') && ideas.has('month') && ideas.has('first') === year.ideas.has('first'),
    );
    if (month === undefined) continue;
    const columns = [year.name, month.name];
    found.push({
      field: 'last_sale_date',
      columns,
      spec: { columns, join: '-', date: 'YYYY-M' },
      confidence: 0.9,
      why: 'year and month',
    });
  }
  for (const area of [
    ...has('stated', 'area'),
    ...has('legal', 'area'),
    ...has('land', 'area'),
    ...has('lot', 'area'),
  ]) {
    const unit = has(...area.ideas, 'count')[0];
    if (unit === undefined || unit.numeric > 0.1) continue;
    found.push({
      field: 'acres',
      columns: [area.name],
      spec: { column: area.name, unit: { column: unit.name } },
      confidence: 0.9,
      why: `in the unit from ${unit.name}`,
    });
  }
  return found;
}

const MONEY = ['total', 'land', 'improvement'] as const;

/**
 * Land and improvement values (and those of other features) that add up to the total. If the parts don't say
 * assessed or market, they are the same kind as the total.
 */
export function findSums(
  candidates: readonly Candidate[],
  profiles: readonly Profile[],
  byName: ReadonlyMap<string, Profile>,
): Candidate[] {
  const all = [...candidates];
  const amounts = (name: string) => byName.get(name)!.numbers;
  const others = profiles
    .filter(({ ideas, numeric }) => ideas.has('other') && numeric > 0.9)
    .map(({ name }) => name);
  const adds = (total: string, parts: readonly string[]) => {
    const rows = amounts(total).flatMap((sum, i) => (sum ? [[sum, i] as const] : []));
    const equal = rows.filter(([sum, i]) => {
      const made = parts.reduce((before, part) => before + (amounts(part)[i] ?? 0), 0);
      return Math.abs(made - sum) <= 1;
    });
    return rows.length >= 2 && equal.length >= 0.95 * rows.length;
  };
  const named = (field: string): string[] =>
    candidates
      .filter(each => each.field === field && each.confidence >= 0.4 && each.columns.length === 1)
      .map(({ columns }) => columns[0]!);
  const says = (name: string, kind: string) => byName.get(name)!.ideas.has(kind);
  for (const kind of ['market', 'assessed'] as const) {
    const part = (name: string) => [
      ...named(`${kind}_${name}_value`).filter(
        each => !says(each, kind === 'market' ? 'assessed' : 'market'),
      ),
      ...(kind === 'market' ? named(`assessed_${name}_value`).filter(each => !says(each, 'assessed')) : []),
    ];
    const sums = named(`${kind}_total_value`).flatMap(total =>
      part('land').flatMap(land =>
        part('improvement').flatMap(building => {
          if (new Set([total, land, building]).size < 3) return [];
          const wholes = [[building], ...others.map(name => [building, name])];
          const improvement = wholes.find(parts => adds(total, [land, ...parts]));
          return improvement ? [[[total], [land], improvement]] : [];
        }),
      ),
    );
    for (const [i, columns] of sums[0]?.entries() ?? [])
      all.push({
        field: `${kind}_${MONEY[i]!}_value` as ParcelTarget,
        columns,
        spec: columns.length === 1 ? { column: columns[0]! } : { columns, sum: true },
        confidence: 0.97,
        why: 'land and improvements add up to the total',
      });
  }
  return all;
}
