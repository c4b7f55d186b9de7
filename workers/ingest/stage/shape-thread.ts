// The thread of shapes.ts: makes the shapes of one batch of geometries after the other.
import { parentPort } from 'node:worker_threads';
import type { Geometry } from 'geojson';
import { shapeOf } from './boundary.ts';

parentPort!.on('message', (geometries: (Geometry | null)[]) =>
  parentPort!.postMessage(geometries.map(shapeOf)),
);
parentPort!.on('messageerror', error => {
  throw error;
});
