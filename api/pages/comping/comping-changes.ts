import type { Candidate } from '../../../shared/comping/comp-report.ts';
import { resultOf } from '../../../shared/comping/comp-report-result.ts';
import type { Report } from '../../../shared/comping/stored-reports.ts';
import { acres, count, day, usd } from '../../../shared/model/figures.ts';
import { nameOf, STATUS_WORDS } from './comping-list.tsx';
import { modelResultOf } from './comping-reports.ts';

/** Further changes are only counted. */
const MAX_LISTED = 12;

/**
 * Differences between the report and the current data, with selected comps first. Empty if there are none.
 */
export function changesOf({ snapshot: before, offered: now, chosen, overrides }: Report): string[] {
  if (before === null || now === null) return [];
  const ids = new Set(chosen);
  const figures = [before, now].map(of => ({
    own: resultOf(of, ({ id }) => ids.has(id), overrides)?.estimate.meanAdjustedPrice,
    machine: modelResultOf(of)?.estimate.meanAdjustedPrice,
  }));
  const messages: string[] = [];
  if (differ(figures[0]!.own, figures[1]!.own))
    messages.push(`Your estimate: ${moved(figures[0]!.own, figures[1]!.own)}.`);
  if (differ(figures[0]!.machine, figures[1]!.machine))
    messages.push(`Plat's estimate: ${moved(figures[0]!.machine, figures[1]!.machine)}.`);
  if (before.subject.acres !== now.subject.acres)
    messages.push(`This parcel: ${acres(before.subject.acres)} acres → ${acres(now.subject.acres)}.`);
  if (before.model_version !== now.model_version)
    messages.push(`Model version: ${before.model_version} → ${now.model_version}.`);
  const previous = new Map(before.candidates.map(comp => [comp.id, comp]));
  const there = new Map(now.candidates.map(comp => [comp.id, comp]));
  const isMine = (comp: Candidate) => ids.has(comp.id);
  const altered = now.candidates.flatMap(comp => {
    const old = previous.get(comp.id);
    const words = old === undefined ? '' : alterations(old, comp);
    return words === ''
      ? []
      : [{ comp, words: `${nameOf(comp)}${isMine(comp) ? ' (chosen)' : ''}: ${words}.` }];
  });
  const comps = altered
    .sort((a, b) => Number(isMine(b.comp)) - Number(isMine(a.comp)))
    .map(({ words }) => words);
  const fresh = now.candidates.filter(({ id }) => !previous.has(id));
  const lost = before.candidates.filter(({ id, gone }) => !there.has(id) && !gone);
  messages.push(...comps.slice(0, MAX_LISTED));
  if (comps.length > MAX_LISTED) messages.push(`${count(comps.length - MAX_LISTED)} more comps changed.`);
  if (fresh.length > 0) messages.push(`New comps: ${listed(fresh)}.`);
  if (lost.length > 0) messages.push(`No longer available: ${listed(lost)}.`);
  return messages;
}

const differ = (a: number | undefined, b: number | undefined): boolean =>
  Math.round(a ?? 0) !== Math.round(b ?? 0);
const moved = (a: number | undefined, b: number | undefined): string =>
  `${a === undefined ? 'none' : usd(a)} → ${b === undefined ? 'none' : usd(b)}`;

function alterations(old: Candidate, now: Candidate): string {
  const changes: string[] = [];
  if (now.gone && !old.gone) changes.push('no longer a match');
  if (old.status !== now.status) changes.push(`${STATUS_WORDS[old.status]} → ${STATUS_WORDS[now.status]}`);
  if (old.price !== now.price) changes.push(`${usd(old.price)} → ${usd(now.price)}`);
  if (old.acres !== now.acres) changes.push(`${acres(old.acres)} acres → ${acres(now.acres)}`);
  if (old.sold_date !== now.sold_date && old.status === now.status)
    changes.push(
      `sold ${old.sold_date ? day(old.sold_date) : '–'} → ${now.sold_date ? day(now.sold_date) : '–'}`,
    );
  return changes.join(', ');
}

const listed = (comps: readonly Candidate[]): string =>
  comps
    .slice(0, 3)
    .map(comp => `${nameOf(comp)} (${usd(comp.price)})`)
    .join(', ') + (comps.length > 3 ? ` and ${count(comps.length - 3)} more` : '');
