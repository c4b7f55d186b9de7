import type { Result } from '../../../shared/comping/comp-report-result.ts';
import { estimateProblems } from '../../../shared/comping/report-problems.ts';
import type { Report } from '../../../shared/comping/stored-reports.ts';
import { Icon } from '../frame/icons.tsx';
import { problemWords } from '../parts/problem-words.ts';

type ProblemsProps = { report: Report; result: Result | null };

/** Why you shouldn't base an offer on an estimate. Lists and deals show the same reasons for the parcel. */
export function Problems({ report: { snapshot }, result }: ProblemsProps) {
  const { machine } = snapshot!;
  const estimates = [
    { name: 'Your estimate', estimate: result?.enough ? result.estimate : null },
    { name: "Plat's estimate", estimate: machine },
  ];
  return estimates.map(({ name, estimate }) => {
    const problems = estimate === null ? [] : estimateProblems(snapshot!, estimate);
    return (
      problems.length > 0 && (
        <p data-problems={problems.join(' ')}>
          <Icon name="triangle-alert" />
          {name} needs review before you make an offer. {problemWords(problems)}.
        </p>
      )
    );
  });
}
