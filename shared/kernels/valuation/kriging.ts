import { mean } from 'simple-statistics';
import { EARTH_RADIUS_M } from '../../geo/units.ts';
import {
  covariance,
  covariancesOf,
  fitKernel,
  type Kernel,
  newSites,
  SHORE,
  type Sites,
} from './covariance.ts';
import { MIN_ELASTICITY } from './effects.ts';
import { fitProcess } from './gaussian-process.ts';
import { createNearest, type Points, type Steps } from './nearest.ts';
import { medianOf } from './robust.ts';
import { liftAt, liftOf } from './size-lift.ts';
import { logAt, type TimeCurve } from './time-curve.ts';
import { DAYS_PER_YEAR, type Subject } from './valuation-types.ts';

/**
 * The price level of a neighborhood: what all sales around a place say about ln(price per acre), by kriging
 * (N. Cressie, Statistics for Spatial Data, 1993).
 */

/** Sales per neighborhood: the nearest in place and time, whatever their size. */
const NEIGHBORS = 60;
/** Sales more steps away are ignored. `readMarket` loads sales up to 10 steps from a county. */
const MAX_REACH_STEPS = 8;
/** Parcels in a square of this many steps share a neighborhood. */
const CELL_STEPS = 1.5;
/** Fewer sales don't make a neighborhood. */
const MIN_SALES = 3;
/** The kernel of a market with more sales is learned from groups of neighbors. */
const MAX_TOGETHER = 100;
const GROUPS = 4;
const GROUP_SIZE = 40;

export type KrigedSales = Points & {
  county: Int32Array;
  logPpa: Float64Array;
  /** 1 on a shore, 0 elsewhere, NaN if unknown. */
  shore: Float64Array;
};

export type Neighborhood = {
  /** ln(price per acre) of a parcel of the subject's size there; NaN with too few sales. */
  logPpa: number;
  /** What a shore adds to ln(price per acre) there. */
  shore: number;
};

export type Kriging = {
  /**
   * The neighborhood of a subject in the fitted county, at the end of a day.
   * @param exclude a sale to ignore, or -1
   */
  at(subject: Subject, day: number, exclude: number): Neighborhood;
};

/** What to expect of ln(price per acre): a line in ln(acres), and a curve over time. */
export type ExpectedLine = { elasticity: number; time: TimeCurve };

type Place = { lon: number; lat: number; day: number; exclude: number };

/** The sales of a neighborhood, with the factors of their covariances that make a prediction. */
type Solved = { chosen: Int32Array; coefficients: Float64Array; shore: number };

/**
 * @param steps steps of distance and time
 * @returns a function that learns a kernel from the sales until a day
 */
export function prepareKriging(
  sales: KrigedSales,
  county: number,
  asOfDay: number,
  { meters, days }: Steps,
): (line: ExpectedLine, until?: number) => Kriging {
  const scale = scaleOf(sales, county, meters);
  const sites = newSites(sales.count);
  for (let i = 0; i < sales.count; i++) writeSite(scale, siteAt(sales, i), sites, i);
  const nearest = createNearest(sales, NEIGHBORS);
  const steps = { meters, logAcres: Number.POSITIVE_INFINITY, days };
  const around = ({ lon, lat, day, exclude }: Place) => {
    const place = { lon, lat, logAcres: 0, day };
    return nearest.index.slice(0, nearest.find(place, steps, NEIGHBORS, MAX_REACH_STEPS, exclude));
  };
  let first: Kernel | undefined;
  return (line, until = asOfDay) => {
    const { values, level } = centered(sales, county, line);
    const known: Known = { sales, county, asOfDay, line, scale, sites, values, level, around };
    const kernel = fitKernel(sites, values, groupsOf(known, until), first);
    first ??= kernel;
    return { at: createNeighborhoods(known, kernel) };
  };
}

type Known = {
  sales: KrigedSales;
  county: number;
  asOfDay: number;
  line: ExpectedLine;
  scale: Scale;
  sites: Sites;
  /** How far the sales are above the expected line and this level. */
  values: Float64Array;
  level: number;
  /** The sales of the neighborhood of a place. */
  around(place: Place): Int32Array;
};

function createNeighborhoods(known: Known, kernel: Kernel): Kriging['at'] {
  const { county, asOfDay, line, scale, sites, values, level, around } = known;
  const site = newSites(1);
  const predict = ({ chosen, coefficients }: Solved, at: Site) => {
    writeSite(scale, at, site, 0);
    let sum = level;
    for (let i = 0; i < chosen.length; i++)
      sum += coefficients[i]! * covariance(kernel, sites, chosen[i]!, site, 0);
    return sum + line.elasticity * at.logAcres;
  };
  const solve = (place: Place) => {
    const solved = solveAround(kernel, sites, values, around(place));
    const curve = (logAcres: number) => predict(solved, { ...place, logAcres, county, shore: Number.NaN });
    return { ...solved, lift: liftOf(curve, scale.logAcres, MIN_ELASTICITY) };
  };
  const cells = new Map<number, ReturnType<typeof solve>>();
  function solveCell({ lon, lat }: Subject) {
    const [x, y] = [(lon - scale.lon) * scale.perLon, (lat - scale.lat) * scale.perLat];
    const cell = (at: number) => Math.floor(at / CELL_STEPS);
    const key = cell(x) * 2 ** 26 + cell(y);
    let solved = cells.get(key);
    if (solved === undefined) {
      const middle = (at: number) => (cell(at) + 0.5) * CELL_STEPS;
      const center = { lon: scale.lon + middle(x) / scale.perLon, lat: scale.lat + middle(y) / scale.perLat };
      solved = solve({ ...center, day: asOfDay, exclude: -1 });
      cells.set(key, solved);
    }
    return solved;
  }

  return (subject, day, exclude) => {
    const { lon, lat, acres, shore = Number.NaN } = subject;
    const isCurrent = day === asOfDay && exclude < 0;
    const solved = isCurrent ? solveCell(subject) : solve({ lon, lat, day, exclude });
    if (solved.chosen.length < MIN_SALES) return { logPpa: Number.NaN, shore: solved.shore };
    const logAcres = Math.log(acres);
    const level = predict(solved, { lon, lat, logAcres, day, county, shore });
    return { logPpa: level + liftAt(solved.lift, logAcres) + logAt(line.time, day), shore: solved.shore };
  };
}

const M_PER_DEGREE = (EARTH_RADIUS_M * Math.PI) / 180;

/** Where the sites' columns are 0, and the steps in a degree. */
type Scale = {
  lon: number;
  lat: number;
  perLon: number;
  perLat: number;
  logAcres: number;
  /** The share of sales on a shore. */
  shore: number;
};

function scaleOf(sales: KrigedSales, county: number, meters: number): Scale {
  const own = ofCounty(sales, county);
  const meanOf = (column: Float64Array) => (own.length === 0 ? 0 : mean(own.map(i => column[i]!)));
  const shores = own.map(i => sales.shore[i]!).filter(shore => !Number.isNaN(shore));
  const lat = meanOf(sales.lat);
  const perLat = M_PER_DEGREE / meters;
  return {
    lon: meanOf(sales.lon),
    lat,
    perLon: perLat * Math.cos((lat * Math.PI) / 180),
    perLat,
    logAcres: meanOf(sales.logAcres),
    shore: shores.length === 0 ? 0 : mean(shores),
  };
}

/** The entries of a county's sales, or of all sales if it has none. */
function ofCounty({ count, county }: KrigedSales, wanted: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  const own = all.filter(i => county[i] === wanted);
  return own.length === 0 ? all : own;
}

type Site = Record<'lon' | 'lat' | 'logAcres' | 'day' | 'county' | 'shore', number>;

const siteAt = ({ lon, lat, logAcres, day, county, shore }: KrigedSales, i: number): Site => ({
  lon: lon[i]!,
  lat: lat[i]!,
  logAcres: logAcres[i]!,
  day: day[i]!,
  county: county[i]!,
  shore: shore[i]!,
});

function writeSite(scale: Scale, sale: Site, into: Sites, i: number): void {
  into.x[i] = (sale.lon - scale.lon) * scale.perLon;
  into.y[i] = (sale.lat - scale.lat) * scale.perLat;
  into.size[i] = sale.logAcres - scale.logAcres;
  into.years[i] = sale.day / DAYS_PER_YEAR;
  into.shore[i] = Number.isNaN(sale.shore) ? 0 : sale.shore - scale.shore;
  into.county[i] = sale.county;
}

/** How far each sale is above the expected line, minus the median of the county. */
function centered(sales: KrigedSales, county: number, { elasticity, time }: ExpectedLine) {
  const { logPpa, logAcres, day } = sales;
  const above = logPpa.map((one, i) => one - elasticity * logAcres[i]! - logAt(time, day[i]!));
  const level = medianOf(ofCounty(sales, county).map(i => above[i]!)) ?? 0;
  return { values: above.map(value => value - level), level };
}

/** The sales to learn the kernel from: the county's until a day, or neighborhoods spread over the years. */
function groupsOf({ sales, county, around }: Known, day: number): Int32Array[] {
  const own = ofCounty(sales, county).filter(i => sales.day[i]! <= day);
  if (own.length <= MAX_TOGETHER) return [Int32Array.from(own)];
  return Array.from({ length: GROUPS }, (_, k) => {
    const center = own[Math.floor(((k + 0.5) * own.length) / GROUPS)]!;
    return around({
      lon: sales.lon[center]!,
      lat: sales.lat[center]!,
      day: sales.day[center]!,
      exclude: -1,
    }).subarray(0, GROUP_SIZE);
  });
}

function solveAround(kernel: Kernel, sites: Sites, values: Float64Array, chosen: Int32Array): Solved {
  const own = Float64Array.from(chosen, i => values[i]!);
  const { coefficients } = fitProcess(covariancesOf(kernel, sites, chosen), own, kernel.noise);
  const shore = SHORE * coefficients.reduce((sum, one, i) => sum + one * sites.shore[chosen[i]!]!, 0);
  return { chosen, coefficients, shore };
}
