import { fieldText } from '../../../shared/domain/field-text.ts';
import { day } from '../../../shared/domain/figures.ts';
import { ALL_FIELDS, type FieldSpec } from '../../../shared/domain/parcel-fields.ts';
import type { TimelineEntry } from '../../v1/parcels/property-detail.ts';
import { Grid } from '../frame/layout.tsx';

const MAX_SHOWN = 50;

/** What fields of a timeline are called that are none of a parcel's. A point says nothing to people. */
const OTHERS: Readonly<Record<string, Pick<FieldSpec, 'label' | 'unit'>>> = {
  on_roll: { label: 'On the roll' },
  mean_adjusted_price: { label: 'Worth', unit: 'USD' },
  boundary: { label: 'Boundary' },
  'listing.status': { label: 'Listing' },
  'listing.price': { label: 'Listing, price', unit: 'USD' },
  'listing.sold_date': { label: 'Listing, sold' },
  'listing.lot_size': { label: 'Listing, acres', unit: 'acres' },
};

export const specOf = (field: string) => ALL_FIELDS[field] ?? OTHERS[field];

/** What a parcel's owner, acreage, values and listing were and are, the newest first. */
export function ParcelHistory({ timeline }: { timeline: readonly TimelineEntry[] }) {
  const lines = timeline.flatMap(({ at, field, was, is }) => {
    const spec = specOf(field);
    if (spec === undefined) return [];
    const text = (value: unknown) => fieldText(spec, value) ?? '–';
    const values = field === 'boundary' ? ['–', 'redrawn'] : [text(was), text(is)];
    return [[spec.label, ...values, day(at)]];
  });
  return (
    <section id="history">
      <h2>History</h2>
      {lines.length === 0 ? (
        <p>Nothing has changed since the county was loaded.</p>
      ) : (
        <Grid name="History" heads={['What', 'Was', 'Is', 'Since']} rows={lines.slice(0, MAX_SHOWN)} />
      )}
      {lines.length > MAX_SHOWN && (
        <p>
          <small>
            The newest {MAX_SHOWN} of {lines.length}.
          </small>
        </p>
      )}
    </section>
  );
}
