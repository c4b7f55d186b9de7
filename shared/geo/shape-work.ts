import { coverQuery } from './cells.ts';
import { decodeBoundary } from './geometry-codec.ts';
import { coversPoint, fromData, intersects, type QueryData } from './intersects.ts';
import { QUERY_LIMITS } from './query-geometry.ts';
import { readGeoJson, readWkt } from './read-shape.ts';

/** Boundaries in one array, with the end of each. This takes two allocations instead of thousands. */
export type PackedBoundaries = { bytes: Uint8Array; ends: Uint32Array };

export function packBoundaries(boundaries: readonly Uint8Array[]): PackedBoundaries {
  let end = 0;
  const ends = Uint32Array.from(boundaries, ({ length }) => {
    end += length;
    return end;
  });
  const bytes = new Uint8Array(end);
  for (const [i, boundary] of boundaries.entries()) bytes.set(boundary, ends[i]! - boundary.length);
  return { bytes, ends };
}

function findMeeting(data: QueryData, { bytes, ends }: PackedBoundaries): number[] {
  const query = fromData(data);
  const met: number[] = [];
  for (const [i, end] of ends.entries()) {
    const start = i === 0 ? 0 : ends[i - 1]!;
    const boundary = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    if (intersects(query, decodeBoundary(boundary))) met.push(i);
  }
  return met;
}

function findWithin(data: QueryData, x: Float64Array, y: Float64Array): number[] {
  const query = fromData(data);
  const within: number[] = [];
  for (let i = 0; i < x.length; i++) if (coversPoint(query, x[i]!, y[i]!)) within.push(i);
  return within;
}

/** Estimated steps to read a shape, including the check for crossing rings and building the index. */
const stepsToRead = (text: string): number => 8 * text.length;

/**
 * Maximum number of steps to test a point. QUERY_LIMITS bounds the number of edges that a line through the
 * point can cross.
 */
const most = ({ x1 }: QueryData): number => Math.min(x1.length, QUERY_LIMITS.maxCrossings);

/**
 * A computation on a shape, with an estimate of how many steps it will take. Arguments and results can be
 * sent to another thread.
 */
const SHAPE_TASKS = {
  readWkt: { run: readWkt, steps: stepsToRead },
  readGeoJson: { run: readGeoJson, steps: stepsToRead },
  /** Each split searches all boxes for the largest one. */
  cover: {
    run: (query: QueryData, maxCells: number) => coverQuery(fromData(query), maxCells),
    steps: (query: QueryData, maxCells: number) => 16 * query.x1.length + maxCells ** 2 / 2,
  },
  findMeeting: {
    run: findMeeting,
    steps: (query: QueryData, { bytes, ends }: PackedBoundaries) =>
      query.x1.length + bytes.length + ends.length * most(query),
  },
  findWithin: {
    run: findWithin,
    steps: (query: QueryData, x: Float64Array) => query.x1.length + x.length * most(query),
  },
};

type Tasks = typeof SHAPE_TASKS;
export type ShapeTask = keyof Tasks;
export type ShapeTaskInput<Task extends ShapeTask> = Parameters<Tasks[Task]['run']>;
export type ShapeTaskOutput<Task extends ShapeTask> = ReturnType<Tasks[Task]['run']>;

/** Runs computations on shapes, and limits how many an account can run at once. */
export type ShapeWork = {
  /** Waits for the account's turn, which lasts until the call ends. */
  takeTurn(): Promise<void>;
  compute<Task extends ShapeTask>(task: Task, ...input: ShapeTaskInput<Task>): Promise<ShapeTaskOutput<Task>>;
};

type Functions<Task extends ShapeTask> = {
  run(...input: ShapeTaskInput<Task>): ShapeTaskOutput<Task>;
  steps(...input: ShapeTaskInput<Task>): number;
};
const functionsOf = <Task extends ShapeTask>(task: Task) => SHAPE_TASKS[task] as unknown as Functions<Task>;

export const runShapeTask = <Task extends ShapeTask>(task: Task, input: ShapeTaskInput<Task>) =>
  functionsOf(task).run(...input);

/** Computes on this thread, for processes in which no user waits, such as workers. */
export const COMPUTE_HERE: ShapeWork = {
  takeTurn: async () => {},
  compute: async (task, ...input) => runShapeTask(task, input),
};

/** Takes a few tenths of a millisecond, about the cost of sending a task to another thread. */
const QUICK_STEPS = 30_000;

export const isQuick = <Task extends ShapeTask>(task: Task, input: ShapeTaskInput<Task>): boolean =>
  functionsOf(task).steps(...input) <= QUICK_STEPS;
