import { describe, expect, test } from 'vitest';
import { readLayerInfo } from '../../../workers/formats/arcgis-layer.ts';
import { quick, read, replay } from '../../support/arcgis.ts';
import { contextFor } from './make.ts';

describe('recorded responses', () => {
  const cases: [string, number, string | null, [number, number], Record<string, unknown>][] = [
    ['us-ca-carson', 6, 'Point', [-118.27, 33.83], { SITENUMBER: '555' }],
    ['us-ca-tuolumne', 4, 'Polygon', [-85.79, 43.29], { owner1: 'MASKED D22078' }],
    ['us-esri-test', 12, null, [0, 0], { facility: 123, observed: '2015-04-07T11:04:35.000Z' }],
    ['us-fl-polk', 4, 'Point', [-81.69, 27.97], { OBJECTID: 3345100 }],
    ['us-il-cook', 2, 'Point', [-87.9, 41.7], { OBJECTID: 2196 }],
    ['us-mi-kent', 15, 'Polygon', [-85.79, 43.29], { PNUM: '41-01-06-100-009' }],
    ['us-ms-madison', 1, 'Polygon', [-90.2, 32.5], { REGION: 'UBL', DEED_DATE: null }],
    ['us-nm-washington', 10, 'Polygon', [-92.9, 44.8], { PIN: '0902721410036' }],
    ['us-ny-orange', 9, 'Point', [-74.19, 41.32], { CityStateZip: 'MONROE NY 10950' }],
    ['us-pa-lancaster', 30, 'Point', [-76.2, 40.2], { MUNI: 'ELIZABETH TOWNSHIP' }],
    ['us-tx-waco', 1, 'Polygon', [-97.1, 31.5], { PROP_ID: 136577, DATE_DOC: '2014-12-15' }],
  ];
  test.each(cases)('%s', async (name, count, type, [lon, lat], values) => {
    const server = await replay(name);
    try {
      const { rows, bad, error } = await read(server.source, {}, { rows: count });
      expect(error).toBeNull();
      expect(bad).toEqual([]);
      expect(rows).toHaveLength(count);
      expect(rows[0]!.values).toMatchObject(values);
      expect(rows[0]!.geometry?.type ?? null).toBe(type);
      if (type === null) return;
      const [x, y] = (rows[0]!.geometry as { coordinates: unknown[] }).coordinates.flat(3) as [
        number,
        number,
      ];
      expect([Math.abs(x - lon) < 0.5, Math.abs(y - lat) < 0.5, x, y]).toEqual([true, true, x, y]);
    } finally {
      await server.close();
    }
  });

  test('a server that returns features for every query is read to its end', async () => {
    const server = await replay('us-il-cook');
    try {
      expect(await read(server.source)).toMatchObject({ error: null, rows: [{ rowNo: 1 }, { rowNo: 2 }] });
    } finally {
      await server.close();
    }
  });

  test('metadata: names, domains, the date of the last edit', async () => {
    const server = await replay('us-pa-lancaster');
    const facilities = await replay('us-esri-test');
    try {
      const info = (source: string) => readLayerInfo({ source }, contextFor('/', { limits: quick }));
      expect(await info(server.source)).toMatchObject({
        name: 'Address Points',
        objectIdField: 'OBJECTID',
        wkid: 2272,
        lastEditDate: 1443712219214,
        pagination: true,
        geojson: false,
        maxRecordCount: 1000,
        geometryType: 'esriGeometryPoint',
      });
      const { fields } = await info(facilities.source);
      expect(fields.find(field => field.name === 'quality')!.domain).toMatchObject({ 0: expect.any(String) });
    } finally {
      await server.close();
      await facilities.close();
    }
  });
});
