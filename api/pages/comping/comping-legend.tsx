import type { Candidate } from '../../../shared/comping/comp-report.ts';
import { count } from '../../../shared/model/figures.ts';
import { STATUSES } from './comping-filter.ts';
import { STATUS_WORDS, StatusBadge } from './comping-list.tsx';

const Star = () => (
  <svg class="mark SUBJECT" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    <path d="M6 0L7.5 4.2L12 4.3L8.4 7.1L9.7 11.4L6 8.8L2.3 11.4L3.6 7.1L0 4.3L4.5 4.2Z" />
  </svg>
);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The legend of the map next to the comps. */
export const CompLegend = ({ candidates }: { candidates: readonly Candidate[] }) => (
  <details class="legend" id="comp-legend" open>
    <summary>Legend</summary>
    <ul>
      <li>
        <i>
          <Star />
        </i>
        This parcel
      </li>
      {STATUSES.map(status => (
        <li>
          <i>
            <StatusBadge status={status} />
          </i>
          {capitalized(STATUS_WORDS[status])}
          <b>{count(candidates.filter(comp => comp.status === status).length)}</b>
        </li>
      ))}
    </ul>
    <small>Large marks are the comps you use.</small>
  </details>
);

/** The legend of the map in print and in shared reports, in one line. */
export const MapKey = () =>
  STATUSES.map(status => (
    <span>
      <StatusBadge status={status} /> {capitalized(STATUS_WORDS[status])}
    </span>
  ));
