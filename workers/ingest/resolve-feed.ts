import { dirname } from 'node:path';
import { isLayer } from '../../shared/model/feed-kinds.ts';
import { isFormerCounty } from '../../shared/regions/connecticut.ts';
import type { FeedBase } from '../feeds/feed.ts';
import { columnProblem, fieldTarget } from '../feeds/feed-columns.ts';
import { COMMON_GATES, GATE_DEFAULTS, type GateName, type Gates } from '../feeds/gates-schema.ts';
import type { Issue, Report } from '../feeds/locate-faults.ts';
import { readPreset } from '../feeds/presets.ts';
import { isKnownCounty, noSuchCounty } from '../feeds/values/place-value.ts';
import { ALL_KINDS, type Feed, kindOf, VECTOR_LAYERS } from './all-kinds.ts';
import type { FeedKind } from './engine/feed-kind.ts';
import type { FeedFile } from './feed-schema.ts';

/** Merges the preset, fills in defaults, and checks the parts against each other. @returns feed or faults */
export function resolveFeed(file: FeedFile, path: string): Feed | Issue[] {
  const kind = kindOf(file.kind);
  const preset = file.preset === undefined ? null : readPreset(file.preset);
  const issues: Issue[] = [];
  const report: Report = (at, message) => {
    issues.push({ path: at.split('.').map(part => (/^\d+$/.test(part) ? Number(part) : part)), message });
  };
  if (preset && preset.kind !== file.kind) {
    report('preset', `${file.preset} is a preset for kind ${preset.kind}`);
    return issues;
  }
  issues.push(...strayIssues(file));
  const base = baseOf(file, path, kind);
  const { fips } = base;
  if (fips !== null && !isKnownCounty(fips) && !(kind.allowsFormerCounties && isFormerCounty(fips)))
    report('fips', noSuchCounty(fips));
  const { section, holds } = kind.needs;
  if (file[section] === undefined) report('kind', `${file.kind} needs a section ${section}: ${holds}`);
  else {
    if (section === 'layer') reportSettings(file, report);
    const feed = kind.resolve(file, base, report, preset) as Feed | null;
    if (feed !== null) checkColumns(kind, feed, report);
    if (feed !== null && issues.length === 0) return feed;
  }
  return issues;
}

/** Settings of a layer of another kind. */
function reportSettings({ kind, layer }: FeedFile, report: Report): void {
  for (const { kind: owner, settings } of VECTOR_LAYERS)
    for (const name of Object.keys(settings?.schema ?? {}))
      if (owner !== kind && (layer as Record<string, unknown> | undefined)?.[name])
        report(`layer.${name}`, `belongs to kind ${owner}`);
}

function baseOf(file: FeedFile, path: string, { gateDefaults }: FeedKind): FeedBase {
  const { schedule } = file;
  return {
    name: file.name,
    title: file.title ?? null,
    attribution: file.attribution ?? null,
    licence: file.licence ?? null,
    fips: file.fips === undefined ? null : Number(file.fips),
    asOf: file.as_of ?? null,
    schedule: schedule ? { cron: schedule.cron, timezone: schedule.timezone ?? 'UTC' } : null,
    preset: file.preset ?? null,
    gates: { ...GATE_DEFAULTS, ...file.gates, ...gateDefaults } as Gates,
    file: path,
    baseDir: dirname(path),
    definition: file,
  };
}

function checkColumns({ rows }: FeedKind, feed: Feed, report: Report): void {
  if (rows === undefined) return;
  for (const [section, input] of Object.entries(rows.sections(feed))) {
    for (const [name, spec] of Object.entries(input?.columns ?? {})) {
      const problem = spec ? columnProblem(fieldTarget(rows.fields, name), spec) : null;
      if (problem !== null) report(`${section}.columns.${name}`, problem);
    }
  }
}

const sectionsOf = ({ sections, sharedSections }: FeedKind): string[] =>
  Object.keys({ ...sections, ...sharedSections });

/** Sections and gates that stand in a file of another kind, where nothing would read them. */
export function strayIssues(file: FeedFile): Issue[] {
  const { needs, gates: own } = kindOf(file.kind);
  const declared = new Set(ALL_KINDS.flatMap(kind => Object.keys(kind.sections)));
  const sections = [...declared].flatMap((section): Issue[] => {
    const kinds = ALL_KINDS.filter(kind => sectionsOf(kind).includes(section));
    const names = kinds.map(({ kind }) => kind);
    if (file[section] === undefined || names.includes(file.kind)) return [];
    const belongs = `belongs to kind ${names.join(', ').replace(/, (\w+)$/, ' or $1')}`;
    // Of land layers one section is easily taken for the other.
    const isMistaken =
      isLayer(file.kind) && kinds.some(kind => isLayer(kind.kind) && kind.needs.section === section);
    const remedy = `; a feed of kind ${file.kind} has a section ${needs.section}`;
    return [{ path: [section], message: isMistaken ? belongs + remedy : belongs }];
  });
  const known = [...COMMON_GATES, ...own];
  const strays = Object.keys(file.gates ?? {}).filter(gate => !known.includes(gate as GateName));
  return [
    ...sections,
    ...strays.map(gate => ({ path: ['gates', gate], message: `does not apply to kind ${file.kind}` })),
  ];
}
