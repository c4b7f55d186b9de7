import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file of JSON as a whole, so that a program that is killed leaves the old one or the new one. */
export function replaceFile(path: string, value: object): void {
  writeFileSync(`${path}.new`, JSON.stringify(value));
  renameSync(`${path}.new`, path);
}
