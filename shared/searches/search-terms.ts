import { CHANGES_DAYS } from '../model/changes.ts';

/** Per company. */
export const MAX_SEARCHES = 200;
/** Maximum number of counties per search. */
export const MAX_COUNTIES = 25;
/**
 * Maximum number of parcels per search. To follow more, clients can keep a copy up to date with `changes/`.
 */
export const MAX_MEMBERS = 50_000;

/** How often people get emails about changes. */
export const NOTIFY = ['none', 'daily', 'at_once'] as const;
export type Notify = (typeof NOTIFY)[number];

/** Number of days that changes in a search's results are kept. */
export const NOTES_DAYS = CHANGES_DAYS;

export type Became = 'added' | 'removed' | 'changed';
