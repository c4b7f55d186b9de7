import { z } from 'zod';
import { OVERLAPS, type Overlap } from '../../../../shared/feeds/file-feeds.ts';
import { PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { columnsOf, type KeySpec, keySchema, skipWhereSchema } from '../../../feeds/column-schema.ts';
import type { FeedBase, MappedInput, Sales } from '../../../feeds/feed.ts';
import { mappedInput, type RowFields } from '../../../feeds/feed-columns.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import { PARCEL_SPECS, PARCEL_TARGETS, type ParcelTarget } from '../../../feeds/parcel-targets.ts';
import type { Preset } from '../../../feeds/presets.ts';
import { INPUT_PROPERTIES, readWindow } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';
import { keySpec, SALES_SECTION, salesOf } from '../listings/listings-feed.ts';

export const PARCEL_ROWS: RowFields = { names: PARCEL_FIELD_NAMES, specs: PARCEL_SPECS };

const rollSchema = z.strictObject({
  ...INPUT_PROPERTIES,
  key: keySchema.optional(),
  columns: columnsOf<ParcelTarget>(PARCEL_TARGETS, PARCEL_SPECS)
    .describe('Parcel fields and where they come from.')
    .optional(),
  skip_where: skipWhereSchema,
});

type RollFile = z.infer<typeof rollSchema>;

export const ASSESSOR_SECTIONS = {
  roll: z
    .union([rollSchema, z.array(rollSchema).min(1)])
    .describe(
      'Kind assessor: the attributes of the parcels, and their geometry if the format has it. In a list of rolls, the first has priority. The others fill in fields that are empty in it, and add parcels that it lacks.',
    ),
  shape: rollSchema.describe(
    'Kind assessor: a second source with the geometry, joined by key. Its columns are used only for parcels that the roll lacks.',
  ),
  ...SALES_SECTION,
  overlap: z
    .enum(OVERLAPS)
    .describe(
      "Kind assessor: what a run does with parcels that another feed has already loaded in the county. block: the run is not merged, and reports how many there are. update: this feed takes over those parcels, with their ids, and leaves the other feed's remaining parcels alone. replace: this feed takes over all parcels of the other feed, and retires those that it lacks. add: only parcels that no other feed has are added. separate: they are loaded as new parcels, for towns that use the same numbers for different parcels. Default: block.",
    ),
};

export type ParcelInput = MappedInput<ParcelTarget> & { key: KeySpec };

export type AssessorFeed = FeedBase & {
  kind: 'assessor';
  roll: ParcelInput;
  furtherRolls: ParcelInput[];
  shape: ParcelInput | null;
  sales: Sales | null;
  /** How a run treats parcels that another feed has loaded. */
  overlap: Overlap;
};

export function resolveAssessor(
  file: FileOf<typeof ASSESSOR_SECTIONS>,
  base: FeedBase,
  report: Report,
  preset: Preset | null,
): AssessorFeed | null {
  const [first, ...others] = [file.roll!].flat();
  const read = (section: RollFile, name: string, own: Preset | null = null) =>
    resolveInput(section, name, { base, preset: own, isPlaced: file.shape !== undefined }, report);
  const roll = read(first!, others.length > 0 ? 'roll.0' : 'roll', preset);
  const further = others.map((section, i) => read(section, `roll.${i + 1}`));
  const shape = file.shape ? read(file.shape, 'shape') : null;
  const furtherRolls = further.filter(input => input !== null);
  if (!roll || furtherRolls.length < further.length) return null;
  const dated = [roll, ...furtherRolls].some(
    ({ columns }) => columns.last_sale_date && columns.last_sale_price,
  );
  for (const field of ['last_sale_date', 'last_sale_price'] as const)
    if (file.sales && !dated && !roll.columns[field]) report('sales', `needs roll.columns.${field}`);
  const sales = dated ? salesOf(file, preset) : null;
  return { ...base, kind: 'assessor', roll, furtherRolls, shape, sales, overlap: file.overlap ?? 'block' };
}

/** Resolves a roll or the geometry section. Null if it has no key. */
function resolveInput(
  section: RollFile,
  name: string,
  { base, preset, isPlaced }: { base: FeedBase; preset: Preset | null; isPlaced: boolean },
  report: Report,
): ParcelInput | null {
  const key = section.key ?? preset?.key;
  if (key === undefined) {
    report(name, 'needs a key: the columns that identify a parcel');
    return null;
  }
  const within = readWindow(section, base.fips, 'parcels', message => report(`${name}.within`, message));
  const input = mappedInput<ParcelTarget>(section, preset, within);
  const shown = name === 'roll.0' ? 'roll' : name;
  if (base.fips === null && !input.columns.fips)
    report(shown, `no county: set fips for the whole feed, or map ${shown}.columns.fips`);
  const { longitude, latitude } = input.columns;
  if (Boolean(longitude) !== Boolean(latitude))
    report(`${name}.columns`, 'map both longitude and latitude, or neither');
  else if (longitude && isPlaced)
    report(`${name}.columns.longitude`, 'remove longitude and latitude, because `shape` locates the parcels');
  return { ...input, key: keySpec(key) };
}
