import type { GateResult } from '../../../../shared/feeds/ingest-runs.ts';
import type { Gates } from '../../../feeds/gates-schema.ts';
import {
  gateResult,
  type KeyedLast,
  keyFault,
  NO_USABLE_ROWS,
  overLimit,
  type RowFigures,
  rowFaults,
} from '../../engine/gate.ts';

type SaleFigures = { before: number; leaving: number };

type ListingFigures = RowFigures & {
  /** Number of listings, or of sales whose parcel was found. */
  matchedKeys: number;
  sales: SaleFigures;
  last: KeyedLast | null;
};

/** Parcel counts. Listing runs record them too. */
const NO_PARCELS = {
  before: 0,
  retired: 0,
  acreage: null,
  outside: { points: 0, outside: 0, where: '' },
  unusableShapes: 0,
  unjoined: null,
  overlap: [],
  undone: null,
};

export function checkListingGates(figures: ListingFigures, limits: Gates): GateResult {
  return gateResult({ ...NO_PARCELS, ...figures }, [
    ['empty', figures.rows === 0 ? NO_USABLE_ROWS : null],
    ...rowFaults(figures, limits, 'rows'),
    ['matched_keys', keyFault(figures, limits)],
    ['sales', salesFault(figures.sales, limits)],
  ]);
}

export function salesFault({ before, leaving }: SaleFigures, { max_key_drop_percent }: Gates): string | null {
  return overLimit(leaving, before, max_key_drop_percent, share => {
    const gone = `${leaving} of ${before} sales would no longer be comps (${share})`;
    return `${gone}. Check sales.where and sales.min_price.`;
  });
}
