import type { VNode } from 'preact';
import { RECORD_YEARS, WHOLE } from '../../../shared/feeds/county-record.ts';
import { sizes } from '../../../shared/model/buckets.ts';
import { count, day, percent } from '../../../shared/model/figures.ts';
import type { CountyQuality, Study } from '../../v1/feeds/get-county-quality.ts';
import { Grid, Notice } from '../frame/layout.tsx';

type Figure = keyof Study['intervals'];

/** Each with its digits, what a ratio study calls good for vacant land (IAAO, 2013), and what it says. */
const FIGURES: readonly (readonly [
  name: Figure,
  label: string,
  digits: number,
  good: string,
  words: string,
])[] = [
  [
    'median_ratio',
    'Median ratio',
    2,
    '0.90 – 1.10',
    'value over price of the middle sale: below 1, land is valued too low.',
  ],
  [
    'cod',
    'COD',
    1,
    '5 – 25',
    'how far ratios are from their median on average, in percent: the less, the more even.',
  ],
  [
    'prd',
    'PRD',
    2,
    '0.98 – 1.03',
    'above 1, dear land is valued lower than cheap land, measured by its price.',
  ],
  [
    'prb',
    'PRB',
    2,
    '-0.05 – 0.05',
    'by what share the ratio changes where the value doubles: below 0, dear land is valued too low.',
  ],
  [
    'mki',
    'MKI',
    2,
    '–',
    'how unequal values are by how unequal prices are: below 1, dear land is valued too low.',
  ],
  [
    'vei',
    'VEI',
    0,
    '-10 – 10',
    'by how many percent the ratios of the dearest land are above those of the cheapest.',
  ],
];

export function Studies({ quality }: { quality: CountyQuality }) {
  const { ratio_studies: studies, as_of, computed_at, no_comps } = quality;
  const whole = studies.filter(({ by }) => isWhole(by));
  const all = whole.filter(({ by }) => by === 'all');
  return (
    <>
      <h2>Values against sales</h2>
      {no_comps && <Notice kind="warn">{no_comps.message}</Notice>}
      {!no_comps && computed_at && all.length === 0 && (
        <p>No sale of the last {RECORD_YEARS} years can be compared with a value.</p>
      )}
      {all.length > 0 && (
        <>
          <p>
            Sales of the {RECORD_YEARS} years up to {day(as_of!)}, each compared with what its land was valued
            at. Below each figure: what it may be by chance, in 9 of 10 cases.
          </p>
          <StudyTable
            name="All sales"
            head="Values"
            studies={whole}
            words={({ of, by }) => (by === 'all' ? WHOSE[of] : `${WHOSE[of]}, last 12 months`)}
            withGood
          />
          {all.map(study => (
            <p>
              {readingOf(
                study,
                whole.find(({ of, by }) => of === study.of && by === 'last_12_months'),
              )}
            </p>
          ))}
          <Meanings />
          {(['assessor', 'plat'] as const).map(of => {
            const own = studies.filter(study => study.of === of && !isWhole(study.by));
            return (
              own.length > 0 && (
                <>
                  <h3>{WHOSE[of]}, by lot size</h3>
                  <StudyTable
                    name={`${WHOSE[of]}, by lot size`}
                    head="Lot size"
                    studies={own}
                    words={({ by }) => sizes(by)}
                  />
                </>
              )
            );
          })}
        </>
      )}
    </>
  );
}

function Meanings() {
  return (
    <ul class="meaning">
      <li>
        <b>The assessor’s</b>: the land value on the roll today. The assessor may have known the price when
        setting it, which flatters it; land in current use is assessed far below its price.
      </li>
      <li>
        <b>Plat’s</b>: what Plat’s valuation says by what was known before the quarter of the sale. It never
        saw the price. Where prices rise faster than they did, values follow late: the last 12 months tell
        whether they still do.
      </li>
      {FIGURES.map(([, label, , , words]) => (
        <li>
          <b>{label}</b>: {words}
        </li>
      ))}
      <li>
        Errors alone show as PRD above 1, PRB and VEI below 0 and MKI below 1: of two like lots the one that
        sold for more has the lower ratio.
      </li>
      <li>
        <b>Outliers</b>: sales left out because their ratio is over three interquartile ranges off.
      </li>
    </ul>
  );
}

const isWhole = (by: Study['by']): boolean => WHOLE.some(one => one === by);

/** The two figures that matter most in words; a bias is what errors of that size do not show alone. */
function readingOf({ of, median_ratio, prb, prb_by_chance: chance }: Study, lastYear?: Study): string {
  if (median_ratio === null || prb === null) return '';
  const late = lastYear?.median_ratio;
  const half = [
    `Half of ${WHOSE[of].replace('The', 'the')} values are below ${percent(100 * median_ratio)} of the price`,
    late == null ? '.' : `, of the last 12 months’ sales below ${percent(100 * late)}.`,
  ].join('');
  if (chance == null) return half;
  const range = `${chance.low.toFixed(2)} to ${chance.high.toFixed(2)}`;
  const bias =
    chance.low <= prb && prb <= chance.high
      ? `That dear land is valued lower or higher than cheap land these sales do not tell: errors as large show a PRB of ${range} by themselves.`
      : `The dearer the land, the ${prb < chance.low ? 'lower' : 'higher'} they are: errors alone would show a PRB of ${range}.`;
  return `${half} ${bias}`;
}

const WHOSE = { assessor: 'The assessor’s', plat: 'Plat’s' } as const;

type StudyTableProps = {
  name: string;
  head: string;
  studies: readonly Study[];
  words: (study: Study) => string;
  withGood?: boolean;
};

function StudyTable({ name, head, studies, words, withGood }: StudyTableProps) {
  const rows = studies.map((study): (string | VNode)[] => [
    words(study),
    count(study.n),
    ...FIGURES.map(([figure, , digits]) => <Estimate study={study} figure={figure} digits={digits} />),
    count(study.outliers),
  ]);
  const good = ['Good, for vacant land (IAAO)', '', ...FIGURES.map(([, , , range]) => range), ''];
  return (
    <Grid
      name={name}
      heads={[head, 'Sales', ...FIGURES.map(([, label]) => label), 'Outliers']}
      rows={withGood ? [...rows, good] : rows}
    />
  );
}

function Estimate({ study, figure, digits }: { study: Study; figure: Figure; digits: number }) {
  const value = study[figure];
  const range = study.intervals[figure];
  if (value === null) return <small>too few</small>;
  return (
    <>
      {value.toFixed(digits)}
      {range && (
        <small>
          <br />
          {range.low.toFixed(digits)} to {range.high.toFixed(digits)}
        </small>
      )}
    </>
  );
}
