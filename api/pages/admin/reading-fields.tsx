import { type FileChoice, type ReadSettings, UPLOAD_FORMATS } from '../../../shared/feeds/file-feeds.ts';
import { Field, Select } from '../frame/layout.tsx';

type Props = { reading: ReadSettings; choose: FileChoice | null; open: boolean };

export function ReadingFields({ reading, choose, open }: Props) {
  return (
    <details open={open}>
      <summary>File settings</summary>
      <div class="pair">
        <Field name="format" label="Format">
          <Select
            name="format"
            options={[['', 'Detect from the file name'], ...Object.entries(UPLOAD_FORMATS)]}
            given={reading.format ?? ''}
          />
        </Field>
        <PartField
          name="layer"
          label="Layer, table, or sheet"
          given={reading.layer}
          options={choose?.layer}
          hint="Needed if the file has several (layer)"
        />
        <PartField
          name="member"
          label="File in the zip"
          given={reading.member}
          options={choose?.member}
          hint="Needed if the zip has several files (member)"
        />
        <Field
          name="crs"
          label="Coordinate system"
          value={reading.crs ?? ''}
          hint="Needed if the file doesn't say (crs), such as EPSG:26919"
        />
      </div>
    </details>
  );
}

type PartProps = {
  name: string;
  label: string;
  given: string | undefined;
  options: string[] | undefined;
  hint: string;
};

/** A text field, or a list to choose from once Plat has read the file's contents. */
function PartField({ name, label, given = '', options, hint }: PartProps) {
  if (options === undefined) return <Field name={name} label={label} value={given} hint={hint} />;
  return (
    <Field name={name} label={label}>
      <Select name={name} options={options.map(each => [each, each] as const)} given={given} />
    </Field>
  );
}
