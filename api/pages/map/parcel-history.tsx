import { changedFieldOf, changedText } from '../../../shared/model/field-of-change.ts';
import { day } from '../../../shared/model/figures.ts';
import type { TimelineEntry } from '../../v1/parcels/property-detail.ts';
import { Grid } from '../frame/layout.tsx';

const MAX_SHOWN = 50;

/** What a parcel's owner, acreage, values and listing were and are, the newest first. */
export function ParcelHistory({ timeline }: { timeline: readonly TimelineEntry[] }) {
  const lines = timeline.flatMap(({ at, field, was, is }) => {
    const spec = changedFieldOf(field);
    if (spec === undefined) return [];
    const values =
      field === 'boundary' ? ['–', 'redrawn'] : [was, is].map(value => changedText(field, spec, value));
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
