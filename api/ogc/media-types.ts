export const GEOJSON = 'application/geo+json';
export const JSON_SCHEMA = 'application/schema+json';
export const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0';
