import { acres, usd } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { Facts, Notice, Stat } from '../frame/layout.tsx';
import { certaintyText } from '../frame/value-band.tsx';
import type { Detail } from '../parts/read-detail.ts';
import { similarSalesText } from './parcel-value.tsx';
import type { ParcelData } from './read-parcel.ts';

type FigureProps = Pick<ParcelData, 'detail' | 'value' | 'market' | 'order'>;

/** A parcel's size, estimate, and price per acre. Without an estimate, its assessed value. */
export function KeyFigures({ detail, value, market, order }: FigureProps) {
  const isValued = !('why' in value);
  const assessed = assessmentOf(detail, 'assessed');
  return (
    <dl class="keyfigs">
      <Stat
        name="Size"
        value={detail.effective_acres === null ? '–' : `${acres(detail.effective_acres)} ac`}
        note={<SizeNote detail={detail} />}
      />
      <Stat
        name="Estimated value"
        value={isValued ? usd(value.mean_adjusted_price) : '–'}
        note={isValued ? certaintyText(value.confidence_score, order) : 'no estimate'}
      />
      {isValued ? (
        <Stat
          name="Per acre"
          value={usd(value.mean_adjusted_ppa)}
          note={
            market && (
              <a href="#value" title={similarSalesText(market)}>
                county {usd(market.medianPerAcre)}
              </a>
            )
          }
        />
      ) : (
        assessed && <Stat name="Assessed" value={usd(assessed.total)} note={assessed.short} />
      )}
    </dl>
  );
}

/** Parcel maps are rarely more precise than this, so a smaller difference isn't worth a note. */
const NOTED_DIFFERENCE = 0.02;

/** The acreage is the deed's, or the map's if there is none. This says if the map differs from the deed. */
function SizeNote({
  detail: { acres: deed, calculated_acres: measured, acres_mismatch },
}: {
  detail: Detail;
}) {
  if (typeof measured !== 'number') return null;
  if (typeof deed !== 'number') return <>measured on the map</>;
  if (Math.abs(measured / deed - 1) <= NOTED_DIFFERENCE) return null;
  return (
    <span class={acres_mismatch ? 'warn' : undefined} data-measured={measured}>
      {acres_mismatch && <Icon name="triangle-alert" />} deed; map shows {acres(measured)}
    </span>
  );
}

/** Says in one sentence why there is no estimate. */
export function NoEstimate({ detail }: { detail: Detail }) {
  const isMeasured = detail.effective_acres !== null && detail.point !== null;
  return (
    <Notice>
      <b>No estimate.</b>{' '}
      {isMeasured ? (
        <>
          Too few land sales nearby. <a href={`/coverage/${detail.fips}`}>See what is loaded</a>
        </>
      ) : (
        'The acreage or the location is unknown.'
      )}
    </Notice>
  );
}

const BASES = ['assessed', 'market'] as const;
type Basis = (typeof BASES)[number];

/** Fields of assessments, and their ratio. */
export const ASSESSED_FIELDS = [
  ...BASES.flatMap(basis => ['total', 'land', 'improvement'].map(part => `${basis}_${part}_value`)),
  'improvement_percent',
];

type Assessment = { total: number; short: string; parts: string };

/** A roll's total with its parts. Undefined if the roll has neither. */
export function assessmentOf(detail: Detail, basis: Basis): Assessment | undefined {
  const [total, land, built] = ['total', 'land', 'improvement'].map(part => {
    const value = detail[`${basis}_${part}_value`];
    return typeof value === 'number' ? value : undefined;
  });
  const sum = land === undefined ? built : land + (built ?? 0);
  const shown = total ?? sum;
  if (shown === undefined) return undefined;
  const parts = [
    land !== undefined && `land ${usd(land)}`,
    built !== undefined && builtText(built, detail.vacant),
    total !== undefined &&
      land !== undefined &&
      built !== undefined &&
      total !== sum &&
      'not the sum on the roll',
  ].filter(part => part !== false);
  return {
    total: shown,
    short: built === 0 && land === shown ? 'land only' : (parts[0] ?? ''),
    parts: parts.join(', '),
  };
}

/** On vacant land, assessed improvements are sheds, wells, and the like. */
function builtText(value: number, vacant: unknown): string {
  if (value === 0) return vacant === false ? 'buildings not assessed' : 'no buildings';
  return `${vacant === true ? 'other improvements' : 'buildings'} ${usd(value)}`;
}

export function Assessments({ detail }: { detail: Detail }) {
  const facts = BASES.flatMap(basis => {
    const assessment = assessmentOf(detail, basis);
    if (assessment === undefined) return [];
    const { total, parts } = assessment;
    return [
      [
        basis === 'assessed' ? 'Assessed value' : "Assessor's market value",
        <span data-assessment={basis}>
          {usd(total)} {parts && <small>{parts}</small>}
        </span>,
      ] as const,
    ];
  });
  return facts.length > 0 && <Facts of={facts} />;
}
