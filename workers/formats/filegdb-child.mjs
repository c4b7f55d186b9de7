// GDAL as WebAssembly, in a process of its own: it holds some 200 MB and cannot be interrupted. Started in the folder of its files.
//   node filegdb-child.mjs FOLDER.gdb           writes the layers and tables as JSON
//   node filegdb-child.mjs FOLDER.gdb LAYER     writes the rows of one as GeoJSON, a feature a line
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread, Worker } from 'node:worker_threads';

/** Ends the process after the one that started it has died, even while GDAL computes. */
if (isMainThread) new Worker(new URL(import.meta.url)).unref();
else {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 500);
}

const [folder, layer] = process.argv.slice(2);
if (isMainThread) {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    const [first = error] = [error].flat();
    process.stderr.write(`${first?.message ?? first}\n`, () => process.exit(1));
  }
}

async function main() {
  const init = createRequire(`${process.cwd()}/`)('./gdal3.node.js');
  const quiet = { logHandler() {}, errorHandler() {} };
  const gdal = await init({ path: '.', useWorker: false, ...quiet });
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
  // GDAL writes to what looks like a file to it and is our stdout: nothing is kept.
  const { FS } = gdal.Module;
  const device = FS.makedev(64, 0);
  const write = (_stream, buffer, offset, length) => writeAll(buffer.subarray(offset, offset + length));
  FS.registerDevice(device, { open() {}, close() {}, read: () => 0, write });
  FS.mkdev('/output/rows.geojsonl', 0o666, device);
  await gdal.ogr2ogr(dataset, [...process.argv.slice(4), layer], 'rows');
}

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // The pipe is full; a reader that has gone ends this process.
      if (error.code !== 'EAGAIN') process.exit(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return bytes.length;
}
