import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootDir } from '../../shared/platform/root.ts';

/** The icons that pages show. The package has 1,700 of them. */
const NAMES = [
  'arrow-down',
  'arrow-up',
  'bookmark',
  'building',
  'chart-no-axes-column',
  'chevron-right',
  'circle',
  'circle-check',
  'code',
  'coins',
  'copy',
  'download',
  'droplets',
  'ellipsis',
  'gavel',
  'handshake',
  'house',
  'image-down',
  'info',
  'land-plot',
  'layers',
  'list',
  'list-checks',
  'list-plus',
  'mail',
  'map',
  'map-pin',
  'maximize',
  'moon',
  'mountain',
  'pentagon',
  'phone',
  'plane',
  'play',
  'plus',
  'printer',
  'route',
  'ruler',
  'scale',
  'search',
  'search-x',
  'share-2',
  'sliders-horizontal',
  'sun',
  'table',
  'tag',
  'trees',
  'triangle-alert',
  'user',
  'waves',
  'x',
];

/** The shapes of these icons: `{ name: [[element, attributes], ...] }`. */
export function iconShapes(): string {
  const shapes = NAMES.map(name => {
    const svg = readFileSync(join(rootDir, 'node_modules/lucide-static/icons', `${name}.svg`), 'utf8');
    const elements = [...svg.matchAll(/<(\w+)([^<>]*)\/>/g)].map(([, tag, attributes]) => [
      tag,
      Object.fromEntries([...attributes!.matchAll(/(\S+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
    ]);
    return `${JSON.stringify(name)}: ${JSON.stringify(elements)}`;
  });
  return `{\n${shapes.join(',\n')}\n}\n`;
}
