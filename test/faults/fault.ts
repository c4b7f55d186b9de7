/** A careless fault: one replacement in one file, and the test files that have to notice it. */
export type Fault = { what: string; file: string; from: string; to: string; tests: string[] };
