import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { Notice } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';

type LoadProps = { visit: Visit; fips: number; coverage: string };

export const WhoLoads = ({ visit, fips, coverage }: LoadProps) =>
  visit.session?.user.operator ? (
    <a href={`/admin/counties?q=${fiveDigits(fips)}`}>Load them</a>
  ) : (
    <>
      An operator can load them. <a href={coverage}>What is loaded</a>
    </>
  );

/** Of counties that nothing is known of. */
export const NoParcels = ({ visit, counties }: { visit: Visit; counties: readonly number[] }) => (
  <Notice kind="warn">
    <b>No parcels are loaded for {counties.map(countyText).join('; ')}.</b>{' '}
    <WhoLoads visit={visit} fips={counties[0]!} coverage="/coverage" />
  </Notice>
);

/** Of a county whose parcels have no boundaries. @param isPlaced points say where they are */
export const NoBoundaries = ({
  visit,
  fips,
  isPlaced,
}: Omit<LoadProps, 'coverage'> & { isPlaced: boolean }) => (
  <Notice kind="warn">
    <b>No boundaries are loaded for {countyText(fips)}.</b>{' '}
    {isPlaced
      ? 'The map shows its parcels as dots.'
      : "The map can't show its parcels, but the list has them."}{' '}
    {visit.session?.user.operator ? (
      <a href="/admin/files">Add a file with their shapes</a>
    ) : (
      <>
        An operator can load them. <a href={`/coverage/${fiveDigits(fips)}`}>What is loaded</a>
      </>
    )}
  </Notice>
);
