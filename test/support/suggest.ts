import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suggestFeed } from '../../workers/setup/check-suggestion.ts';
import { testFolder } from './folder.ts';

/** Suggests feeds for files that a test writes, as `plat feed suggest` does. */
export function suggester() {
  const folder = testFolder();
  let files = 0;
  return (content: string | Buffer, format: 'csv' | 'geojson' | 'parquet' | 'xlsx', fips?: string) => {
    const source = `source-${++files}.${format}`;
    writeFileSync(join(folder, source), content);
    return suggestFeed({
      input: { source, format },
      baseDir: folder,
      file: join(folder, 'a.yaml'),
      rows: 500,
      head: { name: 'a', fips },
    });
  };
}
