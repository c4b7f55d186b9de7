import { toolNameOf } from './tool-names.ts';

/** Descriptions of endpoints and their fields, reduced to what an assistant needs. */

type Paths = Record<string, Record<string, { operationId: string }>>;

const V1 = '/api/public/v1/';

/** A call in a description, such as `GET exports/{id}/`. */
const CALL = /(?:(GET|POST|PATCH|DELETE) )?((?:[a-z-]+\/|\{\w+\}\/)+)/g;

/** The first paragraph, which is for everyone. Calls are named by their tools. */
export function assistantText(paths: Paths, text: string): string {
  const [first] = text.split('\n\n') as [string];
  return first
    .replaceAll('`', '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(
      CALL,
      (call, method: string | undefined, path: string) => toolAt(paths, method, path) ?? call,
    );
}

function toolAt(paths: Paths, method: string | undefined, path: string): string | undefined {
  const operations = paths[V1 + path] ?? Object.entries(paths).find(([key]) => key.endsWith(`/${path}`))?.[1];
  if (operations === undefined) return undefined;
  const operation = method === undefined ? Object.values(operations)[0] : operations[method.toLowerCase()];
  return operation && toolNameOf(operation.operationId);
}

/** Arguments of many tools. The server's instructions explain `quote`. */
const COMMON = new Set(['quote', 'page', 'page_size']);

/**
 * What goes without saying for a boolean, text, list, or amount, what only REST needs, and what the filter's
 * description says.
 */
const IMPLIED = new RegExp(
  [
    ' False has no effect\\.| \\(true\\) or [^.]*\\(false\\)| Must match exactly(, ignoring case)?\\.',
    ' Matches any of these(, ignoring case)?\\.|, ignoring case| In USD\\.| Parcels [^.]*\\bare kept[^.]*\\.',
    ' Parcels never match if either is unknown\\.| Unknown if none of them were measured\\.',
    '[,.] (with or without|The) (its )?leading zeros?( is optional)?(?=[,.])|, as text or (a )?numbers?',
    ' (You can also r|R)epeat the parameter[^.]*\\.| Send the parameter twice\\.| \\(\\w+ in ai-comp-value/\\)',
  ].join('|'),
  'g',
);

/** Units that are part of a name. A percentage is never above 100. */
const NAMED_UNITS: readonly [name: RegExp, unit: string][] = [
  [/percent/, 'percent'],
  [/acres/, 'acres'],
  [/sqft/, 'square feet'],
  [/_ft_|frontage/, 'feet'],
  [/months/, 'months'],
  [/years/, 'years'],
];

/** Words of descriptions that add nothing to a field's name. */
const FILLER = new Set(
  `a an any are as by for from in is of on only one or s the these this to was with within your
  5 address area assessor code company county digit first flagged id last letter list loan mailing most
  name number numeric of outside parcel recent results row saved search stable structure text total two
  url value webhook`.split(/\s+/),
);

/** Whether a description only repeats the field's name. */
function isRestated(name: string, description: string): boolean {
  const stem = (word: string) => word.replace(/(?<=..)s$/, '');
  const said = new Set(name.toLowerCase().split('_').map(stem));
  const words = description.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.every(word => FILLER.has(word) || FILLER.has(stem(word)) || said.has(stem(word)));
}

/** The description of an argument without what its name or type says. Undefined if nothing is left. */
export function argumentText(name: string, given: string): string | undefined {
  if (COMMON.has(name)) return undefined;
  const unit = unitOf(name);
  const text = given.replaceAll(IMPLIED, '').replace(` In ${unit}.`, '');
  return isRestated(name, text) ? undefined : text;
}

/** The unit that is part of a name. */
export const unitOf = (name: string): string | undefined =>
  NAMED_UNITS.find(([pattern]) => pattern.test(name))?.[1];
