import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

/** Without those of `spectral:oas` that do not fit. */
const RULES: RulesetDefinition = {
  extends: [rulesets.oas as RulesetDefinition],
  rules: {
    // Who runs an installation is not known to its document.
    'info-contact': 'off',
    // Paths of v1 end with one.
    'path-keys-no-trailing-slash': 'off',
    // Half of the time of all; test/unit/api/openapi.test.ts compares the examples of answers more strictly.
    'oas3-valid-media-example': 'off',
  },
};

export async function checkOpenApi(document: object): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(RULES);
  const findings = await linter.run(document as Record<string, unknown>);
  return findings.map(
    ({ code, path, message }) =>
      `openapi.json at ${path.join('/')}: ${message} (${code}); mend api/openapi.ts or api/v1`,
  );
}
