// Makes the shapes of one batch of geometries after the other (shapes.ts). Threads do not inherit what runs TypeScript.
import { parentPort } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
const { shapeOf } = await import('./boundary.ts');
parentPort.on('message', geometries => parentPort.postMessage(geometries.map(shapeOf)));
parentPort.on('messageerror', error => {
  throw error;
});
