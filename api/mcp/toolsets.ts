import type { TAGS } from '../http/endpoint.ts';

/** The groups of tools that a client can choose: `/mcp?toolsets=parcels,markets`. */
export const TOOLSETS = ['parcels', 'markets', 'lists', 'deals', 'exports', 'account'] as const;
export type Toolset = (typeof TOOLSETS)[number];

export const TOOLSET_OF: Readonly<Record<keyof typeof TAGS, Toolset>> = {
  Search: 'parcels',
  Parcels: 'parcels',
  'Skip trace': 'lists',
  'Market statistics': 'markets',
  Comps: 'markets',
  Regions: 'markets',
  'Saved markets': 'markets',
  Coverage: 'markets',
  Lists: 'lists',
  'Saved searches': 'lists',
  'Deal flow': 'deals',
  'Comp reports': 'deals',
  Exports: 'exports',
  Changes: 'exports',
  Usage: 'account',
  Webhooks: 'account',
};

const ALL: ReadonlySet<Toolset> = new Set(TOOLSETS);

/**
 * The toolsets in a request's URL. Default: all of them. @returns `unknownName`: the first name that isn't a
 * toolset
 */
export function parseToolsets(url: string): { toolsets: ReadonlySet<Toolset>; unknownName?: string } {
  const given = new URLSearchParams(url.split('?')[1]).getAll('toolsets');
  if (given.length === 0) return { toolsets: ALL };
  const names = given.flatMap(text => text.split(',')).map(name => name.trim());
  const unknownName = names.find(name => !ALL.has(name as Toolset));
  return unknownName === undefined
    ? { toolsets: new Set(names as Toolset[]) }
    : { toolsets: ALL, unknownName };
}
