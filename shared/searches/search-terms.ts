import { CHANGES_DAYS } from '../model/changes.ts';

/** Per company. */
export const MAX_SEARCHES = 200;
/** Counties per search. */
export const MAX_COUNTIES = 25;
/** Parcels per search. To follow more, keep a copy with `changes/`. */
export const MAX_MEMBERS = 50_000;

/** How often people get emails about changes. */
export const NOTIFY = ['none', 'daily', 'at_once'] as const;
export type Notify = (typeof NOTIFY)[number];

/** Days that changes of a search are kept. */
export const NOTES_DAYS = CHANGES_DAYS;

export type Became = 'added' | 'removed' | 'changed';
