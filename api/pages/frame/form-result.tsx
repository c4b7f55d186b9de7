import type { FormResult } from './forms.ts';
import { Notice, Secret } from './layout.tsx';

/** The messages of a form at the top of its page, and a secret that it created. */
export const Result = ({ of: { bad, good, secret } }: { of: FormResult }) => (
  <>
    {bad && <Notice kind="bad">{bad}</Notice>}
    {good && <Notice kind="good">{good}</Notice>}
    {secret && <Secret text={secret} />}
  </>
);
