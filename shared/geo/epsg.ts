import { readFileSync } from 'node:fs';

/** A projected system of the United States; `definition` is a proj string, null where the datum is NAD27. */
export type KnownCrs = { name: string; definition: string | null };

let byCode: Map<string, KnownCrs> | undefined;

/** The projected system on NAD83 or NAD27 that has a code, "EPSG:2230" or "ESRI:102003"; undefined when none has (nad83/README.md). */
export function knownCrs(code: string): KnownCrs | undefined {
  byCode ??= readCodes();
  return byCode.get(code);
}

/** Read when a code is first asked for: most runs name none of these. */
function readCodes(): Map<string, KnownCrs> {
  const found = new Map<string, KnownCrs>();
  const lines = readFileSync(new URL('./nad83/codes.csv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  for (const line of lines.slice(1)) {
    const [name, codes, definition] = line.split(';') as [string, string, string];
    const crs = { name, definition: definition === '' ? null : `${definition} +datum=NAD83 +no_defs` };
    for (const code of codes.split(' ')) found.set(code, crs);
  }
  return found;
}
