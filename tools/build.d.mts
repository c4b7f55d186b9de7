export function build(): Promise<string>;
export function bundlePrograms(sources: readonly string[], outdir: string): Promise<void>;
