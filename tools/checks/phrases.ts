import { spawnSync } from 'node:child_process';

/** Phrases that read like a translation, and what an American would say. */
const PHRASES: readonly (readonly [phrase: RegExp, say: string])[] = [
  [/\b(?:is|are|was|were|be|been) told\b|\btells\b/i, 'returns, shows, reports; notifies'],
  [/\b(?:has come|is to be had|to be had|is had)\b/i, 'exists, is available'],
  [/\blet in\b/i, 'sign in, authorize, allow'],
  [/\b(?:goes|go|going) on\b|\bfrom \w+ on\b/i, 'continues; starting at'],
  [/\bstands? (?:for|at|in)\b/i, 'is, represents, appears in'],
  [/\banew\b|\bagain and again\b/i, 'recalculated, refreshed; repeatedly'],
  [/\bsees to it\b/i, 'checks'],
  [/\b(?:leaves?|left) out\b/i, 'exclude, skip, omit'],
  [/\blies in\b/i, 'is in'],
  [/\bput together\b|\btaken apart\b/i, 'combined, split'],
  [/\bwhat became of\b/i, 'result, status'],
  [/\bcounts? for nothing\b/i, 'is ignored'],
  [/\ball the same\b/i, 'anyway, still'],
  [/\bby (?:itself|themselves)\b/i, 'automatically; on its own'],
  [/\bof (?:which|whom)\b/i, 'split the sentence'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\bmeanwhile\b/i, 'in the meantime, while'],
  [/\bnear by\b/i, 'nearby'],
  [/\bin (?:any|either) case\b/i, 'always'],
  [/\b(?:so|as) many\b/i, 'the number of'],
  [/\bthereof\b/i, 'its'],
  [/\buntil then\b|\bfrom then on\b/i, 'before that; after that'],
  [/\b(?:no|any) more\b(?! than)/i, 'no longer'],
  [/\b(?:whoever|somebody|nobody)\b/i, 'you; name who does it'],
  [/\b\d+ tokens? an? \w/i, 'tokens per …'],
  [/\btelephone numbers?\b/i, 'phone number'],
];

/** What people read: docs, and the program's strings and comments. Tests and SQL migrations don't count. */
const READ = /^(?!test\/|sql\/migrations\/|CHANGELOG).*\.(?:tsx?|mjs|md|sql|ya?ml)$/;

export function findPhrases(diff: string): string[] {
  let path = '';
  let line = 0;
  return diff.split('\n').flatMap(text => {
    if (text.startsWith('+++ ')) path = text.slice('+++ b/'.length);
    const hunk = /^@@ -\S+ \+(\d+)/.exec(text);
    if (hunk !== null) line = Number(hunk[1]);
    if (!text.startsWith('+') || text.startsWith('+++ ')) return [];
    const place = `${path}:${line++}`;
    if (!READ.test(path) || path === 'tools/checks/phrases.ts') return [];
    return PHRASES.flatMap(([phrase, say]) => {
      const found = phrase.exec(text)?.[0];
      return found === undefined ? [] : [`${place} says "${found}". Say: ${say}.`];
    });
  });
}

/** The diff to `origin/main`, or to the last commit if that branch doesn't exist. Empty outside git. */
export function addedLines(root: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  return git('diff', '--unified=0', git('merge-base', 'HEAD', 'origin/main') || 'HEAD');
}
