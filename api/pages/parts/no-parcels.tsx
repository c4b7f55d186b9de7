import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { Notice } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

type LoadProps = { visit: Visit; fips: number; coverage: string };

export const WhoLoads = ({ visit, fips, coverage }: LoadProps) =>
  visit.session?.user.operator ? (
    <a href={`/admin/counties?q=${fiveDigits(fips)}`}>Load data</a>
  ) : (
    <>
      Ask an operator to load this data. <a href={coverage}>See available data</a>
    </>
  );

/** A notice for counties without any data. */
export const NoParcels = ({ visit, counties }: { visit: Visit; counties: readonly number[] }) => (
  <Notice kind="warn">
    <b>No parcels are loaded for {counties.map(countyText).join('; ')}.</b>{' '}
    <WhoLoads visit={visit} fips={counties[0]!} coverage="/coverage" />
  </Notice>
);

/** A notice for a county whose parcels have no boundaries. @param isPlaced whether they have points */
export const NoBoundaries = ({
  visit,
  fips,
  isPlaced,
}: Omit<LoadProps, 'coverage'> & { isPlaced: boolean }) => (
  <Notice kind="warn">
    <b>No boundaries are loaded for {countyText(fips)}.</b>{' '}
    {isPlaced ? 'The map shows its parcels as dots.' : "The map can't show its parcels, but the list can."}{' '}
    {visit.session?.user.operator ? (
      <a href="/admin/files">Add a file with boundaries</a>
    ) : (
      <>
        Ask an operator to load them. <a href={`/coverage/${fiveDigits(fips)}`}>See available data</a>
      </>
    )}
  </Notice>
);
