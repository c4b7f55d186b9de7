import {
  type AddFilePayload,
  type AddFileResult,
  type ColumnGuess,
  FEED_NAME,
  type FileChoice,
  MAX_COLUMN_CHARS,
  MAX_JOINED,
  type ReadSettings,
  ROW_FIELDS,
  type RowField,
  UPLOAD_FORMATS,
  type UploadFormat,
} from '../../../shared/feeds/file-feeds.ts';
import { PARCEL_FIELDS, type ParcelField } from '../../../shared/model/parcel-fields.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { searchCounties } from '../../../shared/regions/search-counties.ts';
import { Field, Select, Submit } from '../frame/layout.tsx';
import { AlreadyLoaded } from './file-overlap.tsx';
import { ReadingFields } from './reading-fields.tsx';
import { meaningsIn, ValueList, withSent } from './value-list.tsx';

/** Prefix for the name of a column's select element. The field's name follows it. */
const COLUMN = 'column.';

type Changes = Pick<AddFilePayload, 'reading' | 'write'> &
  Partial<Pick<AddFilePayload, 'name' | 'county' | 'choices'>>;

/** The changes that the form requests. @throws PlatError `validation_error` */
export function fileChanges(form: URLSearchParams): Changes {
  const text = (name: string) => (form.get(name) ?? '').trim();
  const reading: ReadSettings = {};
  const format = text('format');
  if (format !== '') reading.format = formatNamed(format);
  for (const name of ['member', 'layer', 'crs'] as const)
    if (text(name) !== '') reading[name] = text(name).slice(0, 200);
  const name = text('name');
  if (name !== '' && !FEED_NAME.test(name))
    throw refused(
      'Enter a feed name of up to 63 lowercase letters, digits, and hyphens. It must start with a letter or digit.',
    );
  const county = countyOf(text('county'));
  const columns: Record<string, string[]> = {};
  for (const [name, value] of form) {
    const field = name.startsWith(COLUMN) ? name.slice(COLUMN.length) : '';
    if (field === '') continue;
    if (!Object.hasOwn(ROW_FIELDS, field) && !Object.hasOwn(PARCEL_FIELDS, field))
      throw refused(`Parcels have no field “${field.slice(0, 60)}”.`);
    columns[field] = columnsOf(value);
  }
  return {
    reading,
    write: text('do') === 'write',
    name: name === '' ? undefined : name,
    county,
    choices: form.has('key')
      ? { key: columnsOf(form.get('key')!)[0] ?? null, columns, meanings: meaningsIn(form) }
      : undefined,
  };
}

const refused = (message: string): PlatError => new PlatError('validation_error', message);

function formatNamed(text: string): UploadFormat {
  if (Object.hasOwn(UPLOAD_FORMATS, text)) return text as UploadFormat;
  throw refused(`“${text.slice(0, 60)}” isn't a supported format. Choose one from the list.`);
}

function countyOf(text: string): number | undefined {
  if (text === '') return undefined;
  const { counties, near } = searchCounties(text);
  const [only, ...others] = counties;
  if (only !== undefined && others.length === 0) return only.fips;
  const matches = (counties.length > 0 ? counties : near)
    .slice(0, 5)
    .map(each => `${each.name}, ${each.state}`)
    .join('; ');
  if (others.length > 0) throw refused(`“${text}” could be ${matches}. Add the state.`);
  throw refused(
    matches === ''
      ? `No county is named “${text}”. Check the spelling.`
      : `No county is named “${text}”. Did you mean ${matches}?`,
  );
}

/** An option's value: the columns as JSON, or empty for a field that is not in the file. */
const optionOf = (columns: readonly string[]): string =>
  columns.length === 0 ? '' : JSON.stringify(columns);

const isColumnName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= MAX_COLUMN_CHARS;

function columnsOf(value: string): string[] {
  if (value === '') return [];
  try {
    const columns: unknown = JSON.parse(value);
    if (Array.isArray(columns) && columns.length <= MAX_JOINED && columns.every(isColumnName)) return columns;
  } catch {
    // Rejected below.
  }
  throw refused("We couldn't read the form. Reload the page and try again.");
}

export function withForm(result: AddFileResult, form: URLSearchParams): AddFileResult {
  const sent = meaningsIn(form);
  return {
    ...result,
    name: form.get('name') ?? result.name,
    key: { ...result.key, chosen: columnsOf(form.get('key') ?? '')[0] ?? null },
    fields: result.fields.map(field => ({
      ...field,
      chosen: columnsOf(form.get(COLUMN + field.field) ?? ''),
      meanings: withSent(field.meanings, sent[field.field]),
    })),
  };
}

type FileFormProps = {
  payload: AddFilePayload;
  result: AddFileResult | null;
  choose?: FileChoice | null;
};

/**
 * The form for a file's name, county, and settings. For an assessor roll, also for the column of each field.
 */
export function FileForm({ payload, result, choose = null }: FileFormProps) {
  const { reading } = payload;
  const county = result?.fips ? Number(result.fips) : payload.county;
  const isPlaced =
    county !== undefined || result?.fields.some(({ field, chosen }) => field === 'fips' && chosen.length > 0);
  const canWrite = result !== null && result.problems.length === 0;
  const isLoaded = canWrite && result.loaded.length > 0 && result.notWritable === null;
  return (
    <form method="post" class="stack file-form">
      {result && <PlaceFields result={result} county={county} isPlaced={isPlaced} />}
      <ReadingFields reading={reading} choose={choose} open={result === null} />
      {result && result.fields.length > 0 && <Mapping result={result} />}
      {result && result.fields.length === 0 && (
        <p>
          {result.preset
            ? `This sales file uses the columns of the preset ${result.preset}, so there is nothing to map.`
            : `This is a ${result.kind} layer, so there is nothing to map.`}
        </p>
      )}
      <div class="buttons">
        {canWrite && !isLoaded && (
          <Submit does="write" label={result.notWritable ? 'Try import again' : 'Import'} />
        )}
        <Submit
          does="check"
          label={result ? 'Check' : choose ? 'Read file' : 'Read file again'}
          kind={canWrite && !isLoaded ? 'second' : ''}
        />
      </div>
      {/* These buttons come after Check, so that Enter presses Check. */}
      {isLoaded && <AlreadyLoaded feeds={result.loaded} rows={result.rows} />}
    </form>
  );
}

type PlaceProps = { result: AddFileResult; county: number | undefined; isPlaced: boolean | undefined };

function PlaceFields({ result, county, isPlaced }: PlaceProps) {
  return (
    <div class="pair">
      <Field
        name="name"
        pattern="[a-z0-9][a-z0-9\-]*"
        label="Feed name"
        value={result.name}
        maxlength={63}
        hint="a-z, 0-9, and hyphens"
      />
      <Field
        name="county"
        label="County"
        value={county ? countyText(county) : ''}
        hint={
          county
            ? `FIPS ${fiveDigits(county)}${result.fipsWhy ? `. County guessed from ZIP codes: ${result.fipsWhy}` : ''}`
            : 'County and state, or FIPS code. Leave empty if a column has it.'
        }
        {...(!isPlaced && {
          error: "We couldn't tell which county this file covers. Enter a county and state, or a FIPS code.",
        })}
      />
    </div>
  );
}

type MappedField = AddFileResult['fields'][number];

const isLikely = ({ chosen, guess, options }: MappedField): boolean =>
  chosen.length > 0 || guess !== null || options.length > 0;

function Mapping({ result }: { result: AddFileResult }) {
  const { fields, key } = result;
  const likely = fields.filter(isLikely);
  const others = fields.filter(field => !isLikely(field));
  const used = new Set([key.chosen, ...fields.flatMap(({ chosen }) => chosen)]);
  const unused = result.columns.filter(({ name, filled }) => filled > 0 && !used.has(name));
  return (
    <>
      <h2>Column mapping</h2>
      <MappingTable result={result} rows={likely} withKey />
      {unused.length > 0 && (
        <details>
          <summary>{unused.length} unused columns</summary>
          <ul class="columns-left">
            {unused.map(({ name, samples }) => (
              <li>
                <b>{name}</b> <small>{samples.join(' · ')}</small>
              </li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>{others.length} fields without a matching column</summary>
        <MappingTable result={result} rows={others} />
      </details>
    </>
  );
}

type TableProps = { result: AddFileResult; rows: readonly MappedField[]; withKey?: boolean };

function MappingTable({ result, rows, withKey }: TableProps) {
  const { columns, key } = result;
  const plain = columns.map(({ name }) => [optionOf([name]), name] as const);
  const filled = new Map(result.parts[0]?.fields.map(field => [field.field, field]));
  return (
    <table class="mapping">
      <thead>
        <tr>
          <th>Field</th>
          <th>Column in the file</th>
          <th>Sample values</th>
          <th>Reason</th>
        </tr>
      </thead>
      <tbody>
        {withKey && (
          <tr>
            <th scope="row">Parcel identifier</th>
            <td>
              <Select
                name="key"
                aria-label="Column for Parcel identifier"
                options={[['', '– choose a column –'], ...plain]}
                given={optionOf(key.chosen === null ? [] : [key.chosen])}
              />
            </td>
            <td>{samplesOf(result, key.chosen === null ? [] : [key.chosen])}</td>
            <td>{key.guess ? guessWords(key.guess) : 'no clear match'}</td>
          </tr>
        )}
        {rows.map(({ field, chosen, guess, options, meanings }) => {
          const composed = [guess, ...options].filter(each => each !== null).map(each => each.columns);
          const several = [...composed, chosen].filter(each => each.length > 1);
          const distinct = new Map(several.map(each => [optionOf(each), each.join(' + ')]));
          return (
            <tr>
              <th scope="row">{labelOf(field)}</th>
              <td>
                <Select
                  name={COLUMN + field}
                  aria-label={`Column for ${labelOf(field)}`}
                  options={[['', '– not in the file –'], ...distinct, ...plain]}
                  given={optionOf(chosen)}
                />
              </td>
              <td>
                {readValues(filled.get(field)) ?? samplesOf(result, chosen)}
                {meanings && <ValueList field={field} label={labelOf(field)} of={meanings} />}
              </td>
              <td>{whyOf(chosen, guess, options)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export const labelOf = (field: string): string =>
  ROW_FIELDS[field as RowField] ?? PARCEL_FIELDS[field as ParcelField]?.label ?? field;

/** Values as Plat reads them, next to the raw values if they differ. */
function readValues(field: AddFileResult['parts'][number]['fields'][number] | undefined) {
  if (field === undefined || field.samples.length === 0) return null;
  return (
    <ul class="values">
      {field.samples.map(({ in: raw, out }) => (
        <li>
          {raw === out ? (
            raw
          ) : (
            <>
              {raw} <small>→ {out}</small>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function samplesOf({ columns }: AddFileResult, names: readonly string[]) {
  const some = names.flatMap(name => columns.find(each => each.name === name) ?? []);
  const [only, ...others] = some;
  const samples =
    only !== undefined && others.length === 0
      ? only.samples
      : some.map(({ name, samples: [first] }) => `${name}: ${first ?? '–'}`);
  if (samples.length === 0) return <small>–</small>;
  return (
    <ul class="values">
      {samples.map(sample => (
        <li>{sample}</li>
      ))}
    </ul>
  );
}

const guessWords = ({ confidence, why }: ColumnGuess): string =>
  `${Math.floor(100 * confidence)}% sure: ${why}`;

function whyOf(
  chosen: readonly string[],
  guess: ColumnGuess | null,
  options: readonly ColumnGuess[],
): string {
  const same = [guess, ...options].find(each => each?.columns.join('\0') === chosen.join('\0'));
  if (same) return guessWords(same);
  if (chosen.length > 0) return 'chosen manually';
  const [best] = [guess, ...options].filter(each => each !== null);
  return best ? `possibly ${best.columns.join(' + ')}, ${guessWords(best)}` : '';
}
