import { changedFieldOf, namedText } from '../../../shared/model/field-of-change.ts';
import { day } from '../../../shared/model/figures.ts';
import type { TimelineEntry } from '../../v1/parcels/property-detail.ts';
import { Grid } from '../frame/layout.tsx';

const MAX_SHOWN = 50;

/** Changes to a parcel's owner, acreage, values, and listing, newest first. */
export function ParcelHistory({ timeline }: { timeline: readonly TimelineEntry[] }) {
  const lines = timeline.flatMap(({ at, field, was, is }) => {
    const spec = changedFieldOf(field);
    if (spec === undefined) return [];
    const values =
      field === 'boundary' ? ['–', 'redrawn'] : [was, is].map(value => namedText(field, spec, value));
    return [[spec.label, ...values, day(at)]];
  });
  return (
    <section id="history">
      <h2>History</h2>
      {lines.length === 0 ? (
        <p>No changes since the county was loaded.</p>
      ) : (
        <Grid name="History" heads={['Field', 'Before', 'After', 'Date']} rows={lines.slice(0, MAX_SHOWN)} />
      )}
      {lines.length > MAX_SHOWN && (
        <p>
          <small>
            Showing the newest {MAX_SHOWN} of {lines.length} changes.
          </small>
        </p>
      )}
    </section>
  );
}
