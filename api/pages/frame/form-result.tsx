import type { FormResult } from './forms.ts';
import { Notice, Secret } from './layout.tsx';

export const Result = ({ of: { bad, good, secret, more } }: { of: FormResult }) => (
  <>
    {bad && <Notice kind="bad">{bad}</Notice>}
    {good && <Notice kind="good">{good}</Notice>}
    {secret && <Secret text={secret} />}
    {more}
  </>
);
