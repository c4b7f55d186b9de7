import { CHANGES_DAYS } from '../model/changes.ts';

/** Of a company. */
export const MAX_SEARCHES = 200;
/** Where one search may look. */
export const MAX_COUNTIES = 25;
/** Parcels that one may find: who follows more wants a copy, by `changes/`. */
export const MAX_MEMBERS = 50_000;

/** When people are mailed of what is new. */
export const NOTIFY = ['none', 'daily', 'at_once'] as const;
export type Notify = (typeof NOTIFY)[number];

/** For how many days it is told what became of parcels in a search. */
export const NOTES_DAYS = CHANGES_DAYS;

export type Became = 'added' | 'removed' | 'changed';
