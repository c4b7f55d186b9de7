import { day } from '../../../shared/model/figures.ts';
import type { Detail } from '../parts/read-detail.ts';
import type { Photo } from './read-parcel.ts';

/** One picture of the parcel: an aerial photo, or else a map with the lengths of its sides. */
export function Overview({ detail, photo }: { detail: Detail; photo: Photo | undefined }) {
  const land = `/data/drawing/${detail.property_id}.svg`;
  return (
    <section id="overview" aria-label="Overview">
      {detail.shape ? (
        <figure class="photo">
          {photo ? (
            <a href={photo.path}>
              <img
                src={photo.path}
                alt="Aerial view of the parcel, outlined in blue"
                width="1024"
                height="768"
              />
            </a>
          ) : (
            <a href={land}>
              <img
                src={land.replace('.svg', '-map.svg')}
                alt="Map of the parcel with the lengths of its sides"
                width="400"
                height="320"
              />
            </a>
          )}
          <figcaption>
            {photo
              ? `Imagery: ${photo.attribution}${photo.captured ? `, ${day(photo.captured)}` : ''}`
              : "Measured on the county's parcel map. Not a survey."}{' '}
            <a href={land}>Open land map</a>
          </figcaption>
        </figure>
      ) : (
        <p>No boundary on file.</p>
      )}
    </section>
  );
}
