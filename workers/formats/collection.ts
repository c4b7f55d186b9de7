import type { Point } from 'geojson';
import { toWgs84 } from '../../shared/geo/projection.ts';
import { formatError, limitsOf, truncatedError } from '../../shared/platform/http/download-context.ts';
import { utf8Bytes } from './decode-text.ts';
import { addFeature } from './features.ts';
import { isSpace } from './json.ts';
import { type FileRead, isFull, type Output } from './row-batch.ts';
import { useCrs } from './use-crs.ts';

/**
 * Splits a FeatureCollection into features by counting braces, and passes each to JSON.parse. The members
 * around "features" are parsed as a whole. This takes 1.6 s for 125 MB. stream-json took more than 16 times
 * as long.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Maximum size of the other members, which describe the collection and usually take about a kilobyte. */
const SHELL_BYTES = 2 ** 20;

type Shell = { type?: unknown; crs?: unknown };

type Scan = {
  state: 'before' | 'features' | 'after';
  /** The text of the collection read so far, without features (type, crs, name). */
  shell: string;
  crs: string | null;
};

/**
 * A streamed GeoJSON FeatureCollection. Its `crs` member (from the 2008 version of GeoJSON) applies unless
 * the feed declares a CRS.
 */
export async function* readCollection({ source, spec, output, context }: FileRead): AsyncGenerator<void> {
  const { rowBytes } = limitsOf(context);
  const { name } = source;
  const scan: Scan = { state: 'before', shell: '', crs: null };
  let pending: Buffer = Buffer.alloc(0);
  let depth = 0;
  // Where the scan of pending bytes continues, so that no byte is scanned twice.
  let resumeAt = 0;
  for await (const chunk of utf8Bytes(source.bytes(), spec.encoding)) {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let start = 0;
    let at = resumeAt;
    if (scan.state === 'before') {
      at = featuresStart(bytes, name);
      start = at;
      if (at > 0) enterFeatures(scan, bytes.toString('utf8', 0, at), output, name);
    }
    while (scan.state === 'features' && at < bytes.length) {
      const byte = bytes[at]!;
      if (byte === QUOTE && depth > 0) {
        const end = endOfString(bytes, at + 1);
        if (end === -1) break;
        at = end;
        continue;
      }
      at++;
      if (byte === OPEN_BRACE) {
        if (depth++ === 0) start = at - 1;
      } else if (byte === CLOSE_BRACE && depth > 0) {
        if (--depth > 0) continue;
        addFeature(output, bytes.toString('utf8', start, at));
        start = at;
        if (isFull(output)) yield;
      } else if (depth === 0) {
        if (byte === CLOSE_BRACKET) {
          scan.state = 'after';
          scan.shell += ']';
        } else if (byte !== COMMA && !isSpace(byte)) throw notAFeature(output, bytes, at - 1, name);
        start = at;
      }
    }
    if (scan.state === 'after') {
      scan.shell += bytes.toString('utf8', start);
      pending = Buffer.alloc(0);
      resumeAt = 0;
    } else {
      pending = bytes.subarray(start);
      resumeAt = at - start;
    }
    requireBounds(scan, pending, rowBytes, name);
  }
  finish(scan, output, name);
}

function enterFeatures(scan: Scan, shell: string, output: Output, name: string): void {
  scan.shell = shell;
  scan.state = 'features';
  scan.crs = output.crs === undefined ? crsOf(parseShell(`${shell}]}`, name), name) : null;
  useCrs(output, scan.crs, name);
}

/** The index of the first byte after `"features": [`, or 0 until it has been read. */
function featuresStart(bytes: Buffer, name: string): number {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      if (end === -1) break;
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (depth === 0 && byte === OPEN_BRACKET) throw notACollection(name);
      if (depth === 1 && byte === OPEN_BRACKET && /"features"\s*:\s*$/.test(bytes.toString('utf8', 0, at)))
        return at + 1;
      depth++;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) throw notACollection(name);
    } else if (depth === 0 && !isSpace(byte)) {
      throw notACollection(name);
    }
  }
  return 0;
}

/**
 * The index after the closing quote of the string that starts at `from`, or -1 if the quote is in a later
 * chunk.
 */
function endOfString(bytes: Buffer, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let escapes = quote;
    while (escapes > from && bytes[escapes - 1] === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  return -1;
}

function parseShell(text: string, name: string): Shell {
  try {
    return JSON.parse(text) as Shell;
  } catch (cause) {
    throw formatError(`${name} is not valid JSON around its features (${(cause as Error).message}).`, cause);
  }
}

function crsOf(shell: Shell, name: string): string | null {
  const { crs } = shell;
  if (crs === undefined || crs === null) return null;
  const named = crs as { type?: unknown; properties?: { name?: unknown; code?: unknown } };
  if (named.type === 'name' && typeof named.properties?.name === 'string') return named.properties.name;
  if (named.type === 'EPSG' && named.properties?.code !== undefined) return `EPSG:${named.properties.code}`;
  throw formatError(`${name}: Plat can't read its crs member. Set "crs" in the feed.`);
}

/** A `crs` that follows the features comes too late to apply. That only matters if it isn't in degrees. */
function finish(scan: Scan, output: Output, name: string): void {
  if (scan.state === 'before') throw notACollection(name);
  if (scan.state === 'features') throw truncatedError(name, 'its list of features does not end');
  const shell = parseShell(scan.shell, name);
  if (shell.type !== 'FeatureCollection') throw notACollection(name);
  if (output.crs !== undefined) return;
  const crs = crsOf(shell, name);
  if (crs === null || crs === scan.crs) return;
  const probe: Point = { type: 'Point', coordinates: [1, 1] };
  toWgs84(crs, name)(probe);
  if (probe.coordinates[0] === 1 && probe.coordinates[1] === 1) return;
  throw formatError(`${name}: its crs (${crs}) comes after the features. Set it as "crs" in the feed.`);
}

function requireBounds(scan: Scan, held: Buffer, rowBytes: number, name: string): void {
  if (scan.shell.length > SHELL_BYTES || (scan.state === 'before' && held.length > SHELL_BYTES))
    throw notACollection(name);
  if (held.length > rowBytes) {
    throw formatError(
      `${name}: one feature is longer than ${rowBytes} bytes. A brace may be missing in the file.`,
    );
  }
}

function notAFeature(output: Output, bytes: Buffer, at: number, name: string): Error {
  const excerpt = bytes.toString('utf8', at, at + 40);
  return formatError(`${name}: expected a Feature after feature ${output.rowNo}, but found: ${excerpt}`);
}

function notACollection(name: string): Error {
  return formatError(
    `${name} is not a GeoJSON FeatureCollection. If it has one Feature per line, set the format to "ndgeojson". For plain JSON lines, set it to "ndjson".`,
  );
}
