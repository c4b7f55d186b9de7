// Computes shapes in its own thread. See shape-threads.ts.
import { parentPort } from 'node:worker_threads';
import { runShapeTask, type ShapeTask, type ShapeTaskInput } from '../../shared/geo/shape-work.ts';

type Message = { task: ShapeTask; input: ShapeTaskInput<ShapeTask> };

parentPort!.on('message', ({ task, input }: Message) => parentPort!.postMessage(runShapeTask(task, input)));
