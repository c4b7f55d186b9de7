import type { Visit } from '../frame/visit.ts';

/** Why Plat's emails don't arrive. Undefined if Plat can send them. */
export function mailProblem({ deps: { config }, appUrl }: Visit): string | undefined {
  if (appUrl === '') return "Plat can't send email, because its operator hasn't set BASE_URL.";
  if (config.SMTP_URL === undefined) return "Email isn't set up on this Plat (SMTP_URL).";
  return undefined;
}
