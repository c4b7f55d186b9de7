import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingNames } from '../../../shared/platform/config.ts';
import { METRICS } from '../../../shared/platform/declared-metrics.ts';
import { rootDir } from '../../../shared/platform/root.ts';
import { allJobs } from '../../../workers/all-jobs.ts';

const read = (path: string) => readFileSync(join(rootDir, path), 'utf8');

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<string, string>;
};
const alertsFile = parse(read('ops/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
const alerts = alertsFile.groups.flatMap(({ rules }) => rules);

type Panel = { title: string; type: string; targets?: { expr: string }[] };
type Dashboard = { schemaVersion: number; panels: Panel[]; templating: { list: { type: string }[] } };
const dashboard = JSON.parse(read('ops/grafana/plat.json')) as Dashboard;
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Of Prometheus itself and of node_exporter. */
const FOREIGN = ['up', 'node_filesystem_avail_bytes', 'node_filesystem_size_bytes'];

/** What an API or a worker can show: histograms by their parts, and the runtime's by both prefixes. */
function knownNames(): Set<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const runtime = registry.getMetricsAsArray().map(({ name }) => name);
  const own = Object.entries(METRICS).flatMap(([name, { type }]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...own, ...runtime, ...runtime.map(name => `plat_worker_${name}`), ...FOREIGN]);
}

/** Names of metrics in an expression: words that are no label, no text, and no function. */
function metricsIn(expr: string): string[] {
  const plain = expr
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\b(?:by|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return [...plain.matchAll(/(?<![\w:])([a-z_][a-z0-9_]*)(?![\w(]|\s+\()/g)]
    .map(([, name]) => name!)
    .filter(name => !/^(?:and|or|unless|offset|by|on|group_left|bool)$/.test(name));
}

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('metrics', () => {
  test('names are read from an expression', () => {
    expect(
      metricsIn(
        'sum by (a) (rate(b_total{c="d"}[5m])) / on (e) group_left(f) max(g offset 1h) > 1 or vector(0)',
      ),
    ).toEqual(['b_total', 'g']);
  });

  test('every metric in the alerts and on the dashboard exists', () => {
    const known = knownNames();
    const used = [...alerts.map(({ expr }) => expr), ...shown].flatMap(metricsIn);
    expect(used.length).toBeGreaterThan(60);
    expect([...new Set(used)].filter(name => !known.has(name))).toEqual([]);
  });

  test('every metric is used by an alert or a panel', () => {
    const text = [...alerts.map(({ expr }) => expr), ...shown].join(' ');
    expect(Object.keys(METRICS).filter(name => !text.includes(name))).toEqual([]);
  });
});

describe('alerts', () => {
  test('each has a severity, a summary, and existing instructions', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect(['critical', 'warning'], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toBeTruthy();
      const [page, anchor] = annotations.runbook!.split('#');
      expect(anchorsOf(read(page!)), alert).toContain(anchor);
      expect(read(page!).includes(`\`${alert}\``), alert).toBe(true);
    }
  });

  test('jobs that they name exist', () => {
    const named = alerts.flatMap(({ expr }) =>
      [...expr.matchAll(/"name", "([^"]+)"|name=~?"([^"]+)"/g)].flatMap(([, one, list]) =>
        (one ?? list)!.replaceAll('[.]', '.').split('|'),
      ),
    );
    expect(named).toContain('market.daily');
    expect(named.filter(name => !allJobs.has(name))).toEqual([]);
  });

  test('each is tested', () => {
    const tests = read('ops/prometheus/alerts.test.yml');
    expect(alerts.map(({ alert }) => alert).filter(name => !tests.includes(`alertname: ${name}\n`))).toEqual(
      [],
    );
  });
});

test('the dashboard has a selectable data source, and no panel without a title', () => {
  expect(dashboard.templating.list.map(({ type }) => type)).toEqual(['datasource']);
  const ids = new Set(JSON.stringify(dashboard).match(/(?<="uid":")[^"]*/g));
  expect(ids).toEqual(new Set([`$\{datasource}`, 'plat']));
  for (const { title, type, targets = [] } of dashboard.panels) {
    expect(title).toBeTruthy();
    expect(targets.length > 0, title).toBe(type !== 'row');
  }
});

test('links in the README resolve, and its settings exist', () => {
  const page = read('ops/README.md');
  for (const [, link] of page.matchAll(/\]\(([^)]+)\)/g)) {
    const [path, anchor] = link!.split('#');
    const file = join('ops', path!);
    expect(existsSync(join(rootDir, file)), link).toBe(true);
    if (anchor) expect(anchorsOf(read(file)), link).toContain(anchor);
  }
  for (const [, setting] of page.matchAll(/^ +([A-Z_]+)=/gm)) expect(settingNames).toContain(setting);
});

test('units run what the release layout has, as an unprivileged user', () => {
  for (const name of ['api', 'worker', 'migrate']) {
    const unit = read(`ops/systemd/plat-${name}@.service`);
    const folder = name === 'migrate' ? '/srv/plat/releases/%i' : '/srv/plat/current';
    expect(unit).toContain(`ExecStart=/usr/bin/node ${folder}/bin/plat.mjs ${name}\n`);
    expect(read('docs/operating.md')).toContain(dirname(folder.replace('%i', '2026-11-29/x')));
    for (const line of ['User=plat', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet='])
      expect(unit).toContain(`${line}\n`);
  }
});
