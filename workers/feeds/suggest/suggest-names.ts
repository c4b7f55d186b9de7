import type { ParcelTarget } from '../parcel-targets.ts';
import { completions, matchVocabulary, type NameParts, vocabularyOf } from './name-words.ts';

/**
 * The meaning of column names. Counties run words and abbreviations together (PROPADDRESSCITY, LNDTXVAL,
 * OWN_ADDR1), so a name is split into known words. Each word represents an idea, and a field is recognized by
 * its ideas.
 */
const IDEAS: Record<string, string> = {
  parcel: 'parcel parcels prcl parc par pcl tparcel account acct acctid accountno maptax mapblk blklot',
  pin: 'mbl bbl sbl parmbl taxparmbl blocklot blklot lotblock mapparcel upc tmk span tlid tlno ortaxlot taxlotid maplot mapblocklot mapblolot taxmap maplotunit pin pins apn ppin gpin upin pid pidn ain strap folio tms pams pcn ppn pnum taxpin maptaxlot taxlot parno parid mblu printkey taxkey',
  id: 'id key identifier',
  form: 'char chr txt dash dashes dashed nodash nodashes fmt formatted unformatted dsp 10 14 short abb abbr',
  number: 'no num numb number nbr nb nmbr',
  own: 'owner owners own ownr owns deedholder titleholder',
  payer: 'taxpayer taxpr payer bill billing billto tax',
  name: 'name nam nm names',
  co: 'coowner coown jointowner',
  second: '2 two second joint more care careof secondary',
  first: '1 one first primary current cur curr full display formatted combined comb complete whole',
  mail: 'mail mailing ml pstl maddr mailadd mailaddr mailaddress',
  addr: 'address addr addrs addrss add adr ad adrs addres addresses',
  line: 'line l ln',
  third: '3 4 5 6 third',
  city: 'city cityname cty',
  town: 'town township municipality muni municipal village twp',
  state: 'state stat st2 statecode',
  street: 'street stree str st road rd streetname',
  house: 'house hse houseno housenum stno streetno strno locnumb stnum hnum',
  zip: 'zip zipcode zipcd zip5 szip szip5 postal postcode postalcode zipcod',
  situs: 'situs site prop property phy phys physical loc location locn premise premises parceladdress sit s',
  acre: 'acre acres acreage ac acr acrg',
  area: 'area size lotsize',
  legal: 'legal lgl legdec',
  stated: 'deeded stated assessedacres tax assessor cama roll',
  measured:
    'gis calc calculated calcd poly polygon map shape computed comp measured starea perimeter len length digitized geo graphic new post recalc',
  sqft: 'sqft sf sqfoot squarefeet squarefoot sqfeet footage sft',
  lot: 'lot lots',
  land: 'land lnd',
  bldg: 'bldg bldgs bld bldng building buildings buildng buldng imp impr imprv improv improve improvement improvements imprvmt imps structure structures struct dwelling dwl',
  other: 'other feat feature features misc xfob xf ag agricultural yard outbuilding personal',
  total: 'total tot ttl totl gross sum',
  value: 'val value valu values vl worth amt amount',
  assessed: 'assd cntassd assessed assess assessment asmt asd asmnt av sev ass as tx taxed assed aval',
  market: 'market mkt mk fair fmv emv appr appraised apr aprsd just jv full true fcv fullcash rmv',
  taxable: 'taxable txbl net exempt exmt exemption exempted tv taxval capped',
  living: 'living lvg liv livable heated finished fin finsqft floor flr res gla',
  year: 'year yr',
  built: 'built blt built1 const constructed construction',
  effective: 'eff effective remodel remod renovated adj adjusted actual',
  actual: 'act actual actyr',
  sale: 'sale sales sl sold lastsale ls',
  last: 'last latest recent most recnt',
  date: 'date dt dte dates',
  month: 'month mo mon',
  price: 'price prc pri consideration prce',
  record:
    'rec recd record recorded recording transfer trans transaction conveyance deed deeds doc document instr instrument inst',
  type: 'type typ kind',
  seller: 'seller grantor grntr grnt grantr sellers salegrnt',
  buyer: 'buyer grantee grnte purchaser',
  qualified: 'qual quality qualified qualification valid validity vld validation verified armslength',
  use: 'uc use usecode usecd uses landuse luc lu lucode usedesc propuse dor dorcode',
  class: 'class cls classification classcode propclass pcc',
  code: 'code cd cde codes',
  desc: 'desc description dsc descr descrip definition text label',
  zone: 'zone zoning zng zonecode zoned',
  sub: 'subdivision subdiv subd subdv sub subdivname subname plat addition development',
  abstract: 'abs abst abstract',
  school: 'school sch schl schools sdname unifiedschool unified census',
  district: 'district dist dst distr',
  count: 'count cnt units unit num_of nbrof',
  homestead: 'homestead hmstd hstead homestd hx owneroccupied owneroccupancy',
  occupied: 'occupied occ occupancy occup',
  vacant: 'vacant vacancy',
  flag: 'flag flg indicator ind yn tf',
  delinquent: 'delinquent delinq delq delinquency',
  mortgage: 'mortgage mtg mort loan',
  fips: 'fips geoid stcofips cntyfips countyfips fipscode cofips',
  county: 'county cnty co',
  lat: 'lat latitude ycoord y',
  lon: 'lon long lng longitude xcoord x',
  point: 'point centroid coord coordinate wgs84 decimal intpt gps',
  not: 'old prior prev previous former alt alternate temp tmp dup neighbor next hist history link image photo url guid global globalid objectid oid fid gdb edit edited editor created modify modified update updated updt user percent pct rate ratio flood tif book page comment comments note notes remark status stage label angle phone email parent child',
};

const WORDS = vocabularyOf(IDEAS);

/**
 * A field and the ideas in its name: those it needs, others that are allowed, and the confidence in the name
 * alone.
 */
type Form = [field: ParcelTarget, need: string, may: string, sure: number];

const FORMS: readonly Form[] = [
  ['apn', 'pin', 'parcel id first state county stated situs legal', 0.95],
  ['apn', 'pin measured', 'parcel id', 0.9],
  ['apn', 'parcel id measured', 'first', 0.9],
  ['apn', 'parcel code', '', 0.7],
  ['apn', 'parcel id', 'first state county payer situs', 0.95],
  ['apn', 'parcel', 'payer first', 0.75],
  ['apn', 'situs id', '', 0.75],
  ['apn', 'payer id', 'parcel', 0.75],
  ['apn', 'id', '', 0.45],
  ['acres', 'acre', 'stated land lot total parcel record situs area first effective legal', 0.95],
  ['acres', 'acre measured', 'land parcel', 0.6],
  ['acres', 'land area', 'sqft stated lot total legal', 0.8],
  ['acres', 'land sqft', 'area stated lot total legal', 0.9],
  ['acres', 'lot sqft', 'area land', 0.9],
  ['acres', 'stated area', 'lot', 0.85],
  ['acres', 'legal area', 'lot stated', 0.85],
  ['acres', 'lot area', '', 0.75],
  ['acres', 'area', 'parcel situs', 0.4],
  ['owner_name', 'own name', 'first line last', 0.95],
  ['owner_name', 'own', 'first line', 0.95],
  ['owner_name', 'payer name', 'first', 0.6],
  ['owner_name', 'mail name', 'first', 0.6],
  ['owner_name', 'name', 'first', 0.35],
  ['owner_name', 'buyer', 'name', 0.35],
  ['owner_name_2', 'own second', 'name line', 0.95],
  ['owner_name_2', 'co', 'name first', 0.95],
  ['owner_name_2', 'name second', '', 0.7],
  ['owner_name_2', 'second', '', 0.3],
  ['mail_address', 'mail', 'first line addr own', 0.9],
  ['mail_address', 'mail addr', 'first line own', 0.95],
  ['mail_address', 'mail line first', '', 0.95],
  ['mail_address', 'mail street', 'first addr', 0.9],
  ['mail_address', 'own addr', 'first line street', 0.95],
  ['mail_address', 'own street', 'first', 0.9],
  ['mail_address', 'payer addr', 'first line street', 0.75],
  ['mail_address', 'payer line', 'first', 0.75],
  ['mail_address', 'addr line', 'first second', 0.7],
  ['mail_city', 'mail city', 'own addr name', 0.95],
  ['mail_city', 'own city', 'addr', 0.95],
  ['mail_city', 'payer city', 'addr', 0.75],
  ['mail_state', 'mail state', 'own addr second', 0.95],
  ['mail_state', 'own state', 'addr', 0.95],
  ['mail_state', 'payer state', 'addr', 0.75],
  ['mail_zip', 'mail zip', 'own addr', 0.95],
  ['mail_zip', 'own zip', 'addr', 0.95],
  ['mail_zip', 'payer zip', 'addr', 0.75],
  ['situs_address', 'situs addr', 'first line street stated legal', 0.95],
  ['situs_address', 'situs first', '', 0.85],
  ['situs_address', 'situs', '', 0.8],
  ['situs_address', 'situs line', 'first', 0.9],
  ['situs_address', 'situs street', 'first', 0.6],
  ['situs_address', 'parcel addr', 'first', 0.9],
  ['situs_address', 'first addr', '', 0.5],
  ['situs_address', 'addr', '', 0.5],
  ['situs_city', 'situs city', 'addr name', 0.95],
  ['situs_city', 'situs town', 'addr', 0.9],
  ['situs_city', 'town', 'name', 0.75],
  ['situs_state', 'situs state', 'addr second', 0.95],
  ['situs_zip', 'situs zip', 'addr', 0.95],
  ['subdivision', 'sub', 'abstract first', 0.85],
  ['subdivision', 'sub name', 'abstract', 0.95],
  ['subdivision', 'sub desc', 'abstract', 0.95],
  ['legal_description', 'legal desc', 'parcel situs first', 0.95],
  ['legal_description', 'legal', 'parcel situs first line', 0.75],
  ['zoning_code', 'zone', 'code class first district county', 0.95],
  ['zoning_code', 'zone desc', '', 0.6],
  ['land_use_code', 'use', 'land code class situs desc first state', 0.95],
  ['land_use_code', 'use desc', 'land first', 0.85],
  ['land_use_code', 'situs class', 'code', 0.9],
  ['land_use_code', 'class', 'code parcel payer land', 0.7],
  ['land_use_code', 'situs use', 'code desc', 0.95],
  ['school_district', 'school district', 'name', 0.95],
  ['school_district', 'school', 'name first district', 0.75],
  ['structure_count', 'bldg count', 'id total', 0.9],
  ['structure_count', 'bldg id', '', 0.75],
  ['building_sqft', 'bldg sqft', 'total area living', 0.95],
  ['building_sqft', 'bldg area', 'total living', 0.95],
  ['building_sqft', 'living', 'sqft area total', 0.7],
  ['building_sqft', 'living sqft', 'total area bldg', 0.9],
  ['building_sqft', 'living area', 'total', 0.95],
  ['building_sqft', 'total sqft', 'area', 0.5],
  ['building_sqft', 'sqft', '', 0.4],
  ['year_built', 'year built', 'first actual bldg', 0.95],
  ['year_built', 'built', 'actual', 0.7],
  ['assessed_total_value', 'assessed total', 'value situs', 0.95],
  ['assessed_total_value', 'assessed value', 'situs', 0.85],
  ['assessed_total_value', 'assessed', 'first', 0.5],
  ['assessed_total_value', 'total value', 'situs parcel', 0.75],
  ['assessed_total_value', 'parcel value', '', 0.7],
  ['assessed_land_value', 'assessed land', 'value', 0.95],
  ['assessed_land_value', 'land value', '', 0.65],
  ['assessed_land_value', 'land', '', 0.4],
  ['assessed_improvement_value', 'assessed bldg', 'value', 0.95],
  ['assessed_improvement_value', 'bldg value', '', 0.65],
  ['assessed_improvement_value', 'bldg', '', 0.4],
  ['market_total_value', 'market total', 'value', 0.95],
  ['market_total_value', 'market value', 'total situs first', 0.95],
  ['market_total_value', 'market', '', 0.85],
  ['market_land_value', 'market land', 'value', 0.95],
  ['market_improvement_value', 'market bldg', 'value', 0.95],
  ['last_sale_date', 'sale date', 'last first total', 0.95],
  ['last_sale_date', 'record date', 'last first', 0.8],
  ['last_sale_date', 'date', '', 0.35],
  ['last_sale_price', 'sale price', 'last first total', 0.95],
  ['last_sale_price', 'sale value', 'last first', 0.9],
  ['last_sale_price', 'price', 'last', 0.5],
  ['sale_price_code', 'sale qualified', 'code first last', 0.95],
  ['sale_price_code', 'qualified code', 'first', 0.85],
  ['sale_price_code', 'qualified', '', 0.5],
  ['sale_price_code', 'sale code', 'first last', 0.75],
  ['seller_name', 'seller', 'name sale first last', 0.95],
  ['document_type_code', 'record type', 'code sale first last', 0.9],
  ['document_type_code', 'sale record', 'code type', 0.75],
  ['tax_delinquent', 'delinquent', 'payer flag', 0.9],
  ['mortgage_amount', 'mortgage value', 'first', 0.9],
  ['mortgage_date', 'mortgage date', 'first', 0.9],
  ['owner_occupied', 'homestead', 'flag code', 0.85],
  ['owner_occupied', 'own occupied', 'flag', 0.95],
  ['vacant', 'vacant land', 'flag lot', 0.8],
  ['vacant', 'vacant lot', 'flag', 0.8],
  ['vacant', 'vacant', 'flag', 0.6],
  ['longitude', 'lon', 'point parcel situs measured first', 0.9],
  ['latitude', 'lat', 'point parcel situs measured first', 0.9],
  ['fips', 'fips', 'county code state', 0.95],
];

/** Penalty for each idea that doesn't belong, and for each unexplained letter. */
const STRAY = 0.4;

export function matchColumnName(name: string): NameParts {
  const { ideas, known } = matchVocabulary(name, WORDS);
  // A number can belong to a parcel, an owner, or a lot. Next to an address word, it is a house number.
  if (ideas.has('number')) {
    const isHouse = (ideas.has('situs') || ideas.has('addr')) && !ideas.has('pin') && !ideas.has('parcel');
    ideas.delete('number');
    ideas.add(isHouse ? 'house' : 'id');
  }
  // A number's format doesn't show its meaning: PIN_CHAR, APN_DASH.
  ideas.delete('form');
  // GIS software computes these columns: Shape_Area, SHAPE.STArea().
  if (/^shape(?![a-z])/i.test(name)) ideas.add('not');
  return { ideas, known };
}

/** dBASE, and therefore shapefiles, truncate column names to this many characters. */
const DBASE_NAME_LENGTH = 10;
/** Confidence in a name that may be truncated, by the number of letters that are left of its last word. */
const CUT_TRUST = [0, 0.85, 0.95];

/** Whether a name alone says that a column is the parcel number. */
export const isParcelNumber = (name: string): boolean => (fieldsOfName(name).get('apn') ?? 0) >= 0.7;

/** How well a name fits each field, from 0 to 1. Fields without a match are omitted. */
export function fieldsOfName(name: string): Map<ParcelTarget, number> {
  const scores = scoresOf(name);
  if (name.length !== DBASE_NAME_LENGTH) return scores;
  for (const { whole, letters } of completions(name, WORDS))
    for (const [field, score] of scoresOf(whole)) {
      const trusted = score * (CUT_TRUST[letters] ?? 1);
      if (trusted > (scores.get(field) ?? 0)) scores.set(field, trusted);
    }
  return scores;
}

function scoresOf(name: string): Map<ParcelTarget, number> {
  const { ideas, known } = matchColumnName(name);
  const scores = new Map<ParcelTarget, number>();
  for (const [field, need, may, sure] of FORMS) {
    const needed = need.split(' ');
    if (!needed.every(idea => ideas.has(idea))) continue;
    const allowed = new Set([...needed, ...may.split(' ')]);
    const strays = [...ideas].filter(idea => !allowed.has(idea));
    const score = ideas.has('not') ? 0 : sure * STRAY ** strays.length * known ** 2;
    if (score > (scores.get(field) ?? 0)) scores.set(field, score);
  }
  return scores;
}
