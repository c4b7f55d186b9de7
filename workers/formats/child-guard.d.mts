export const OUT_OF_MEMORY: NodeJS.Signals;
export function guardProcess(maxMb: number): void;
export function writeAll(bytes: Uint8Array): number;
