import type { VNode } from 'preact';
import { RECORD_YEARS, WHOLE } from '../../../shared/feeds/county-record.ts';
import { sizes } from '../../../shared/model/buckets.ts';
import { count, day, percent } from '../../../shared/model/figures.ts';
import type { CountyQuality, Study } from '../../v1/feeds/get-county-quality.ts';
import { Grid, Notice } from '../frame/layout.tsx';

type Figure = keyof Study['intervals'];

/**
 * Each figure with its number of decimal places, the IAAO's range for vacant land (2013), and how to read it.
 */
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
    'value divided by price, for the middle sale. Below 1, land is valued too low.',
  ],
  [
    'cod',
    'COD',
    1,
    '5 – 25',
    'average distance of the ratios from their median, in percent. Lower values are more uniform.',
  ],
  [
    'prd',
    'PRD',
    2,
    '0.98 – 1.03',
    'above 1, expensive land is valued lower than cheap land, relative to its price.',
  ],
  [
    'prb',
    'PRB',
    2,
    '-0.05 – 0.05',
    'how much the ratio changes when the value doubles. Below 0, expensive land is valued too low.',
  ],
  [
    'mki',
    'MKI',
    2,
    '–',
    'how unevenly values are spread, compared with prices. Below 1, expensive land is valued too low.',
  ],
  [
    'vei',
    'VEI',
    0,
    '-10 – 10',
    'percent by which the ratios of the most expensive land exceed those of the cheapest.',
  ],
];

export function Studies({ quality }: { quality: CountyQuality }) {
  const { ratio_studies: studies, as_of, computed_at, no_comps } = quality;
  const whole = studies.filter(({ by }) => isWhole(by));
  const all = whole.filter(({ by }) => by === 'all');
  return (
    <>
      <h2>Values compared with sale prices</h2>
      {no_comps && <Notice kind="warn">{no_comps.message}</Notice>}
      {!no_comps && computed_at && all.length === 0 && (
        <p>No sales from the last {RECORD_YEARS} years can be compared with a value.</p>
      )}
      {all.length > 0 && (
        <>
          <p>
            Sales in the {RECORD_YEARS} years up to {day(as_of!)}, compared with the value of the land. The
            range below each number is its 90% confidence interval.
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
        <b>The assessor’s</b>: the land value on today's roll. The assessor may have known the price when
        setting it, which makes it look more accurate. Land taxed by its current use is assessed far below its
        price.
      </li>
      <li>
        <b>Plat’s</b>: Plat's estimate from data before the quarter of the sale, so it doesn't depend on the
        sale price. When prices rise faster than before, estimates lag. The last 12 months show whether they
        still do.
      </li>
      {FIGURES.map(([, label, , , words]) => (
        <li>
          <b>{label}</b>: {words}
        </li>
      ))}
      <li>
        Random errors alone push PRD above 1, PRB and VEI below 0, and MKI below 1. Of two similar lots, the
        one that sold for more has the lower ratio.
      </li>
      <li>
        <b>Outliers</b>: sales excluded because their ratio is more than three interquartile ranges beyond a
        quartile.
      </li>
    </ul>
  );
}

const isWhole = (by: Study['by']): boolean => WHOLE.some(one => one === by);

/**
 * The two most important numbers, in words. Reports a bias only if random errors of that size wouldn't
 * explain it.
 */
function readingOf({ of, median_ratio, prb, prb_by_chance: chance }: Study, lastYear?: Study): string {
  if (median_ratio === null || prb === null) return '';
  const late = lastYear?.median_ratio;
  const half = [
    `Half of ${WHOSE[of].replace('The', 'the')} values are below ${percent(100 * median_ratio)} of the sale price`,
    late == null ? '.' : ` (below ${percent(100 * late)} for sales in the last 12 months).`,
  ].join('');
  if (chance == null) return half;
  const range = `${chance.low.toFixed(2)} to ${chance.high.toFixed(2)}`;
  const bias =
    chance.low <= prb && prb <= chance.high
      ? `These sales don't show that expensive land is valued lower or higher than cheap land: errors of this size alone give a PRB of ${range}.`
      : `Expensive land is valued ${prb < chance.low ? 'lower' : 'higher'} than cheap land, relative to its price: errors alone would give a PRB of ${range}.`;
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
  const good = ['IAAO range for vacant land', '', ...FIGURES.map(([, , , range]) => range), ''];
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
