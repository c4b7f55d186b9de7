import { z } from 'zod';
import type { Box } from '../../../../shared/geo/geometry-types.ts';
import type { FeedBase } from '../../../feeds/feed.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import type { FileOf } from '../../engine/feed-kind.ts';
import { type COVERAGE_SECTION, FILES, type Files, filesOf } from '../../layers/files-schema.ts';

const elevationSchema = z
  .strictObject({
    ...FILES,
    vertical_unit: z
      .enum(['metres', 'feet', 'us_survey_feet'])
      .describe(
        'Unit of the elevations; overrides the files. Default: the unit in the files, or meters if they have none.',
      ),
    nodata: z.number().describe('Value that marks empty cells; overrides the files.'),
  })
  .partial();

export const ELEVATION_SECTIONS = {
  elevation: elevationSchema.describe(
    'Kind elevation: the elevation files. Set source, template and bounds, or index.',
  ),
};

type ElevationInput = {
  tiles: Files;
  crs?: string;
  unit?: 'metres' | 'feet' | 'us_survey_feet';
  nodata?: number;
};

export type ElevationFeed = FeedBase & {
  kind: 'elevation';
  elevation: ElevationInput;
  coverage: Box | null;
};

export function resolveElevation(
  file: FileOf<typeof ELEVATION_SECTIONS & typeof COVERAGE_SECTION>,
  base: FeedBase,
  report: Report,
): ElevationFeed {
  const { crs, vertical_unit: unit, nodata, ...files } = file.elevation!;
  const said = Object.entries({ crs, unit, nodata }).filter(([, value]) => value !== undefined);
  const input = { tiles: filesOf('elevation', files, report), ...Object.fromEntries(said) };
  return { ...base, kind: 'elevation', elevation: input, coverage: file.coverage ?? null };
}
