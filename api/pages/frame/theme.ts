import type { Request } from 'express';

export type Theme = 'light' | 'dark';

export const THEME_COOKIE = 'plat_theme';

export const isTheme = (text: string | null | undefined): text is Theme =>
  text === 'light' || text === 'dark';

/** The theme chosen in this browser. Undefined means the system's theme. */
export function themeOf(req: Request): Theme | undefined {
  const theme = /(?:^|;) *plat_theme=(\w+)(?:;|$)/.exec(req.headers.cookie ?? '')?.[1];
  return isTheme(theme) ? theme : undefined;
}
