import { readImageryHeader } from '../../../../shared/raster/imagery-file.ts';
import { addProblem } from '../../engine/check-part.ts';
import { checkContext, type ImageryCheck } from '../../engine/dry-run.ts';
import { checkFiles } from '../../layers/check-files.ts';
import { tileProblems } from '../../layers/check-place.ts';
import type { ImageryFeed } from './imagery-feed.ts';
import { describeServer } from './imagery-server.ts';

/** A larger file without overviews is read in full where large parcels lie. */
const NEEDS_OVERVIEWS = 4096;

/** What keeps the feed from running is added to the problems. */
export async function checkImagery(
  feed: ImageryFeed,
  limit: number,
  problems: string[],
  warnings: string[],
): Promise<ImageryCheck | null> {
  const { imagery, baseDir } = feed;
  const context = checkContext(baseDir);
  const sources: ImageryCheck['sources'] = [];
  try {
    if (imagery.type !== 'cog') {
      const { source, pixel_m: pixelM, extent } = await describeServer(feed, context.signal);
      sources.push({ source, pixelM, extent, file: null });
      return { named: 1, read: 1, absent: 0, rejected: [], sources };
    }
    const read = (source: string) => readImageryHeader(source, imagery, context);
    const check = await checkFiles(imagery.tiles, context, limit, read, header => {
      const { source, pixelM, extent, ...file } = header;
      sources.push({ source, pixelM, extent, file });
      if (file.overviews === 0 && Math.max(file.width, file.height) > NEEDS_OVERVIEWS)
        warnings.push(
          `imagery: ${source} has no overviews, and pictures of large parcels need them. Add some with gdaladdo -r average.`,
        );
    });
    if (sources.length === 0) problems.push('imagery: none of the files can be read.');
    problems.push(...tileProblems(sources, feed));
    return { ...check, sources };
  } catch (error) {
    addProblem(problems, 'imagery', error);
    return null;
  }
}
