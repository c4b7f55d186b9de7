// GDAL as WebAssembly. It runs in its own process, because it uses about 200 MB and cannot be interrupted.
// The process starts in the folder with GDAL's files.
//   node filegdb-child.mjs FOLDER.gdb           writes the layers and tables as JSON
//   node filegdb-child.mjs FOLDER.gdb LAYER     writes the rows of one as GeoJSON, one feature per line
import { createRequire } from 'node:module';
import { guardProcess, writeAll } from './child-guard.mjs';

/** Memory limit. GDAL uses about 200 MB, plus the size of the largest geometry. */
const MAX_MB = 1024;

const [folder, layer] = process.argv.slice(2);
guardProcess(MAX_MB);
try {
  await main();
  process.exit(0);
} catch (error) {
  const [first = error] = [error].flat();
  process.stderr.write(`${first?.message ?? first}\n`, () => process.exit(1));
}

async function main() {
  const init = createRequire(`${process.cwd()}/`)('./gdal3.node.js');
  const quiet = { logHandler() {}, errorHandler() {} };
  const gdal = await init({ path: '.', useWorker: false, ...quiet });
  // Reports that the process has started. It is not data.
  writeAll(Buffer.from('\n'));
  const { datasets } = await gdal.open(folder);
  const [dataset] = datasets;
  if (layer === undefined) {
    const layers = (dataset.info?.layers ?? []).map(({ name, featureCount, geometryFields = [] }) => ({
      name,
      count: featureCount,
      type: geometryFields[0]?.type ?? null,
      crs: geometryFields[0]?.coordinateSystem?.projjson ?? null,
    }));
    return writeAll(Buffer.from(JSON.stringify(layers)));
  }
  // GDAL writes to a device that looks like a file but is really our standard output, so nothing is buffered.
  const { FS } = gdal.Module;
  const device = FS.makedev(64, 0);
  const write = (_stream, buffer, offset, length) => writeAll(buffer.subarray(offset, offset + length));
  FS.registerDevice(device, { open() {}, close() {}, read: () => 0, write });
  FS.mkdev('/output/rows.geojsonl', 0o666, device);
  await gdal.ogr2ogr(dataset, [...process.argv.slice(4), layer], 'rows');
}
