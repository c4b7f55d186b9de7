import { z } from 'zod';
import { padBox } from '../../shared/geo/box.ts';
import { countyExtent } from '../../shared/regions/county-polygons.ts';
import { FORMATS, type Format } from './file-formats.ts';
import { INPUT_SETTINGS, type InputSettings, MARGIN_DEG } from './input-settings.ts';

const source = z
  .string()
  .min(1)
  .describe('A path relative to the feed file, or a file:, http:, or https: URL.');

export const INPUT_PROPERTIES = {
  source: z
    .union([source, z.array(source).min(1).describe('Several sources, read in order as if they were one.')])
    .describe('What to read. Plat unpacks gzip and zip files.'),
  format: z.enum(Object.keys(FORMATS) as [Format, ...Format[]]).describe(
    Object.entries(FORMATS)
      .map(([name, { title }]) => `${name}: ${title}`)
      .join('; '),
  ),
  ...INPUT_SETTINGS,
};

const inputSchema = z.object(INPUT_PROPERTIES);
export type InputSection = z.infer<typeof inputSchema>;

export type InputSpec = InputSettings & { format: Format };

export function inputSpec(section: InputSection): InputSpec {
  const properties = Object.entries(section).filter(
    ([name]) => name in INPUT_PROPERTIES && name !== 'within',
  );
  return Object.fromEntries(properties) as InputSpec;
}

/** The area of the source that a section reads (`within`). Reports errors in the setting. */
export function readWindow(
  { within }: InputSection,
  fips: number | null,
  of: 'parcels' | 'features',
  report: (message: string) => void,
): Pick<InputSpec, 'within'> {
  if (within === undefined) return {};
  if (within !== 'county') return { within: { box: within } };
  const extent = fips === null ? undefined : countyExtent(fips);
  if (extent) return { within: { box: padBox(extent, 2 * MARGIN_DEG), county: { fips: fips!, of } } };
  report('county needs the fips of the feed');
  return {};
}
