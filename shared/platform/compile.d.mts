export function compiledProgram(source: string): Promise<string>;
export function bundle(sources: readonly string[], outdir: string): Promise<void>;
