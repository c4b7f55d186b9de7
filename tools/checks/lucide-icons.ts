import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootDir } from '../../shared/platform/root.ts';

/** The icons that pages show. The package has 1,700. */
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
  'link',
  'list',
  'list-checks',
  'list-plus',
  'mail',
  'map',
  'map-pin',
  'maximize',
  'moon',
  'mountain',
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

const HEAD = `// Shapes of Lucide (ISC license). Written by \`npm run generate\` from tools/checks/lucide-icons.ts.
`;

const FOOT = `
export type IconName = keyof typeof SHAPES;

/** Use it next to text, or inside an element with a label. */
export function Icon({ name, large }: { name: IconName; large?: boolean }) {
  return (
    <svg viewBox="0 0 24 24" class={large ? 'icon large' : 'icon'} aria-hidden="true">
      {SHAPES[name]()}
    </svg>
  );
}
`;

export function iconsModule(): string {
  const shapes = NAMES.map(name => {
    const svg = readFileSync(join(rootDir, 'node_modules/lucide-static/icons', `${name}.svg`), 'utf8');
    const [, shape] = /<svg[^>]*>(.*)<\/svg>/s.exec(svg)!;
    return `'${name}': () => (<>${shape!.trim()}</>),`;
  });
  const module = `${HEAD}const SHAPES = {\n${shapes.join('\n')}\n};\n${FOOT}`;
  return execFileSync(
    process.execPath,
    [join(rootDir, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--stdin-file-path=icons.tsx'],
    { cwd: rootDir, input: module, encoding: 'utf8' },
  );
}
