/** A plausible mistake: one replacement in one file, and the test files that must detect it. */
export type Fault = { what: string; file: string; from: string; to: string; tests: string[] };
