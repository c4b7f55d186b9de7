export type Instruction = { name: string; args: string };
export type Stage = { base: string; instructions: Instruction[] };

/** The stages of a Dockerfile: `FROM` begins one. Knows comments and continued lines, which is all that ours has. */
export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text
    .split('\n')
    .filter(line => !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  for (const line of lines) {
    const match = /^([A-Z]+)\s+(.*)$/.exec(line.trim());
    if (match === null) continue;
    const [, name, args] = match as unknown as [string, string, string];
    if (name === 'FROM') stages.push({ base: args.split(/\s+/)[0]!, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, args });
  }
  return stages;
}

/** Files and folders that a stage copies from the build context. */
export function copiedPaths(stage: Stage): string[] {
  return stage.instructions
    .filter(({ name, args }) => name === 'COPY' && !args.startsWith('--from='))
    .flatMap(({ args }) => args.split(/\s+/).slice(0, -1));
}

/** Whether the build context holds a top-level path, by a .dockerignore that excludes `*` and names exceptions. */
export function inContext(dockerignore: string, path: string): boolean {
  const patterns = dockerignore.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  if (patterns[0] !== '*' || patterns.slice(1).some(pattern => !pattern.startsWith('!'))) {
    throw new Error('.dockerignore no longer has the form `*` and then `!path` for each exception');
  }
  return patterns.includes(`!${path.split('/')[0]}`);
}
