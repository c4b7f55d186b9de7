import { type CopyColumns, readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { compose, literal } from '../../shared/platform/statements.ts';

const number = { type: 'float8', null: Number.NaN } as const;
/** The columns of valuation/copy_assessed. */
const COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  day: { type: 'date', null: 0 },
  value: number,
  acres: number,
} as const satisfies CopyColumns;

/**
 * The assessor's value of a parcel's land at the end of a day (since 1970-01-01), as ln(assessed value) minus
 * the typical ln(assessed value) of the county's land of the same size at that time. NaN if no roll has a
 * value for it.
 */
export type AssessorOpinion = {
  (propertyId: number, day: number): number;
  /** The day of the county's first roll with values; infinite if there is none. */
  firstDay: number;
};

/** The regression line of ln(assessed value) on ln(acres), valid from the date of a roll version. */
type SizeLine = { day: number; level: number; slope: number };

export async function readOpinions(db: Db, fips: number): Promise<AssessorOpinion> {
  const statement = compose('valuation/copy_assessed', { fips: literal(fips) });
  const { rows, columns } = await readCopy(db, statement, COLUMNS);
  const { id, day } = columns;
  const logValue = columns.value.map(Math.log);
  const logAcres = columns.acres.map(Math.log);
  const firstOf = new Map<number, number>();
  for (let i = rows - 1; i >= 0; i--) firstOf.set(id[i]!, i);
  const lines = sizeLines({ id, day, logValue, logAcres });
  const opinion = (propertyId: number, atDay: number) => {
    let i = firstOf.get(propertyId) ?? rows;
    if (i === rows || day[i]! > atDay) return Number.NaN;
    while (i + 1 < rows && id[i + 1] === propertyId && day[i + 1]! <= atDay) i++;
    const line = lines.findLast(one => one.day <= atDay)!;
    return logValue[i]! - line.level - line.slope * logAcres[i]!;
  };
  return Object.assign(opinion, { firstDay: lines[0]?.day ?? Number.POSITIVE_INFINITY });
}

type Values = Record<'id' | 'logValue' | 'logAcres', Float64Array> & { day: Int32Array };

/** Fits one line per roll version, earliest first. @param values sorted by parcel and day */
function sizeLines({ id, day, logValue, logAcres }: Values): SizeLine[] {
  const days = [...new Set(day)].sort((a, b) => a - b);
  const editionOf = new Map(days.map((one, edition) => [one, edition]));
  const changes = days.map(() => ({ n: 0, x: 0, y: 0, xx: 0, xy: 0 }));
  const count = (i: number, edition: number, sign: number) => {
    const sums = changes[edition]!;
    const [x, y] = [logAcres[i]!, logValue[i]!];
    sums.n += sign;
    sums.x += sign * x;
    sums.y += sign * y;
    sums.xx += sign * x * x;
    sums.xy += sign * x * y;
  };
  for (let i = 0; i < id.length; i++) {
    const edition = editionOf.get(day[i]!)!;
    if (i > 0 && id[i - 1] === id[i]) count(i - 1, edition, -1);
    count(i, edition, 1);
  }
  const all = { n: 0, x: 0, y: 0, xx: 0, xy: 0 };
  return changes.map((change, edition) => {
    for (const name of ['n', 'x', 'y', 'xx', 'xy'] as const) all[name] += change[name];
    const { n, x, y, xx, xy } = all;
    const spread = xx - x ** 2 / n;
    // When all parcels have the same size, rounding leaves a small nonzero spread.
    const slope = spread > 1e-6 * n ? (xy - (x * y) / n) / spread : 0;
    return { day: days[edition]!, level: (y - slope * x) / n, slope };
  });
}
