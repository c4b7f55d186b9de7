import Flatbush from 'flatbush';
import type { PreparedQuery } from '../../shared/geo/intersects.ts';
import type { ShapeTask, ShapeTaskInput } from '../../shared/geo/shape-work.ts';

/** A task as it is sent to a thread: an index is a class, which would arrive without its methods. */
export type ShapeMessage = {
  task: ShapeTask;
  query: Omit<PreparedQuery, 'index'>;
  index: ArrayBuffer | SharedArrayBuffer | undefined;
  rest: unknown[];
};

export function toMessage<Task extends ShapeTask>(task: Task, input: ShapeTaskInput<Task>): ShapeMessage {
  const [{ index, ...query }, ...rest] = input;
  return { task, query, index: index?.data, rest };
}

export function fromMessage({ task, query, index, rest }: ShapeMessage): {
  task: ShapeTask;
  input: unknown[];
} {
  const prepared = { ...query, index: index === undefined ? null : Flatbush.from(index) };
  return { task, input: [prepared, ...rest] };
}
