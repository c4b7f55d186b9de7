import type { Overlay } from '../../../shared/model/overlays.ts';
import { overlaysOf } from '../parts/overlay-parameters.ts';
import { Swatch } from '../parts/swatch.tsx';

type Props = { overlays: readonly Overlay[]; params: URLSearchParams };

/** The filters on the overlays that are loaded. */
export function OverlayInputs({ overlays, params }: Props) {
  if (overlays.length === 0) return null;
  const used = overlaysOf(params).length;
  return (
    <details open={used > 0}>
      <summary>Overlays {used > 0 && <b class="count">{used}</b>}</summary>
      <div class="stack">
        {overlays.map(overlay => (
          <OverlayInput overlay={overlay} params={params} />
        ))}
      </div>
    </details>
  );
}

function OverlayInput({ overlay, params }: { overlay: Overlay; params: URLSearchParams }) {
  const { name, label, classes, distance_ft } = overlay;
  const chosen = params.getAll(`overlay.${name}.classes`);
  return (
    <fieldset class="range overlay" data-overlay={name}>
      <legend>
        <span>{label}</span>
      </legend>
      {classes.length > 1 && (
        <div class="classes">
          {classes.map(item => (
            <label class="switch">
              <span>
                <Swatch color={item.color} /> {item.label}
              </span>
              <input
                type="checkbox"
                name={`overlay.${name}.classes`}
                value={item.class}
                checked={chosen.includes(item.class)}
              />
            </label>
          ))}
        </div>
      )}
      {classes.length > 0 && (
        <Bounds of={`overlay.${name}.percent`} words={`Share of ${label}`} unit="%" params={params} />
      )}
      {distance_ft !== null && (
        <Bounds of={`overlay.${name}.distance_ft`} words={`Distance to ${label}`} unit="ft" params={params} />
      )}
    </fieldset>
  );
}

type BoundsProps = { of: string; words: string; unit: string; params: URLSearchParams };

const Bounds = ({ of, words, unit, params }: BoundsProps) => (
  <div>
    {(['min', 'max'] as const).map(bound => (
      <>
        {bound === 'max' && <span aria-hidden="true">to</span>}
        <input
          inputmode="decimal"
          name={`${of}_${bound}`}
          aria-label={`${words} (${bound === 'min' ? 'minimum' : 'maximum'}, ${unit})`}
          placeholder={unit}
          value={params.get(`${of}_${bound}`) ?? ''}
          autocomplete="off"
        />
      </>
    ))}
  </div>
);
