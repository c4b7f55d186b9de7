import type { AddFilePayload, LoadedFeed, Overlap } from '../../../shared/feeds/file-feeds.ts';
import { count } from '../../../shared/model/figures.ts';
import { validationError } from '../../http/error-responses.ts';

/** The operator's choices for parcels that another feed has loaded. */
const CHOICES: readonly [overlap: Overlap, label: string, effect: (names: string) => string][] = [
  [
    'update',
    'Update these parcels',
    names => `They keep their IDs and get this file's values. Other parcels in ${names} don't change.`,
  ],
  [
    'replace',
    'Replace the feed',
    names => `This file replaces ${names}. Parcels that aren't in the file are retired.`,
  ],
  ['add', 'Add new parcels only', names => `Parcels in ${names} don't change.`],
];

/**
 * The changes for the job if the form includes a choice, otherwise undefined.
 * @throws PlatError `validation_error`
 */
export function overlapChange(form: URLSearchParams): Pick<AddFilePayload, 'overlap' | 'write'> | undefined {
  const sent = form.get('overlap');
  if (sent === null) return undefined;
  const [overlap] = CHOICES.find(([name]) => name === sent) ?? [];
  if (overlap === undefined)
    throw validationError({ overlap: [`must be one of ${CHOICES.map(([name]) => name).join(', ')}`] });
  return { overlap, write: true };
}

type LoadedProps = {
  feeds: readonly LoadedFeed[];
  /** The number of rows compared, starting at the top of the file. Absent if the whole file was compared. */
  rows?: number;
};

/**
 * Lists the feeds that already have parcels from a file. Has a button for each way to continue, which submits
 * the surrounding form.
 */
export function AlreadyLoaded({ feeds, rows }: LoadedProps) {
  const names = new Intl.ListFormat('en-US').format(feeds.map(({ feed }) => feed));
  return (
    <section class="notice info" role="status" data-loaded={feeds.map(({ feed }) => feed).join(' ')}>
      <b>Some of these parcels are already loaded</b>
      <ul>
        {feeds.map(({ feed, parcels, again }) => (
          <li>
            Feed {feed} has {count(parcels)} parcels in this county, and {count(again)} of them are in{' '}
            {rows === undefined ? 'this file' : `the first ${count(rows)} rows of this file`}.
          </li>
        ))}
      </ul>
      <p>Nothing has changed yet. Choose what to do:</p>
      <div class="stack">
        {CHOICES.map(([overlap, label, effect]) => (
          <div>
            <button type="submit" name="overlap" value={overlap} class="second">
              {label}
            </button>{' '}
            <small>{effect(names)}</small>
          </div>
        ))}
      </div>
    </section>
  );
}
