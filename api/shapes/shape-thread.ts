// Computes shapes in a thread of its own. See shape-threads.ts.
import { parentPort } from 'node:worker_threads';
import { runShapeTask, type ShapeTask, type ShapeTaskInput } from '../../shared/geo/shape-work.ts';
import { fromMessage, type ShapeMessage } from './shape-message.ts';

parentPort!.on('message', (message: ShapeMessage) => {
  const { task, input } = fromMessage(message);
  parentPort!.postMessage(runShapeTask<ShapeTask>(task, input as ShapeTaskInput<ShapeTask>));
});
