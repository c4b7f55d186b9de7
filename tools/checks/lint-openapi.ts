import { join } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { rootDir } from '../../shared/platform/root.ts';

/** The rules in `spectral:oas`, except the ones that don't fit. */
const RULES: RulesetDefinition = {
  extends: [rulesets.oas as RulesetDefinition],
  rules: {
    // The document doesn't know who runs an installation.
    'info-contact': 'off',
    // v1 paths end with a slash.
    'path-keys-no-trailing-slash': 'off',
    // This rule takes half of the total time. test/unit/api/openapi.test.ts compares the examples more
    // strictly.
    'oas3-valid-media-example': 'off',
  },
};

const FIX = 'fix api/openapi.ts or api/v1';

export async function checkOpenApi(document: object): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(RULES);
  const findings = await linter.run(document as Record<string, unknown>);
  return [
    ...findings.map(
      ({ code, path, message }) => `openapi.json at ${path.join('/')}: ${message} (${code}); ${FIX}`,
    ),
    ...(await redoclyFindings(document)),
  ];
}

async function redoclyFindings(document: object): Promise<string[]> {
  const config = await loadConfig({ configPath: join(rootDir, 'redocly.yaml') });
  const findings = await lintFromString({ source: JSON.stringify(document), config });
  return findings.map(
    ({ ruleId, location, message }) =>
      `openapi.json at ${location[0]?.pointer}: ${message} (${ruleId}); ${FIX}`,
  );
}
