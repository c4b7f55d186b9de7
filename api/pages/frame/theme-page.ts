import type { Page } from './pages.tsx';
import { isTheme, THEME_COOKIE } from './theme.ts';
import { safePath, setCookie } from './visit.ts';

const YEAR_SECONDS = 31_536_000;

/** Sets this browser's theme, and returns to the page that was open. */
export const themePage: Page = {
  path: '/theme',
  access: 'public',
  actions: {
    default(visit) {
      const theme = visit.form.get('theme');
      const cookie = isTheme(theme) ? { value: theme, seconds: YEAR_SECONDS } : { value: '', seconds: 0 };
      setCookie(visit, { ...cookie, name: THEME_COOKIE, path: '/' });
      // Our referrer policy makes browsers send the full URL within the site.
      const from = visit.req.headers.referer ?? '';
      const page = URL.canParse(from) ? new URL(from) : undefined;
      return { redirect: safePath(page === undefined ? null : page.pathname + page.search) };
    },
  },
};
