"""Writes codes.csv, and check points of every definition: see README.md. Usage: python3 make-codes.py codes.csv points.csv"""
import re
import sqlite3
import sys

from osgeo import gdal, osr

osr.UseExceptions()
db = sqlite3.connect('file:/usr/share/proj/proj.db?mode=ro', uri=True)

# NAD83 and its realisations: (1986), (HARN), (NSRS2007), (2011), (CORS96), (FBN), (HARN Corrected), (PA11), (MA11), (PACP00), (MARP00).
NAD83 = '4269 4152 4759 6318 6783 8860 8545 6322 6325 9075 9072'.split()
NAD27 = ['4267']
PLACES = re.compile('United States|USA|Puerto Rico|Guam|American Samoa|Northern Mariana|Virgin Islands')


def projected(bases):
    marks = ','.join('?' * len(bases))
    return db.execute(f"""
        select p.auth_name, cast(p.code as int), p.name, group_concat(e.name || e.description, '|'), p.deprecated,
               avg(e.west_lon), avg(e.east_lon), avg(e.south_lat), avg(e.north_lat)
        from projected_crs p
        join usage u on u.object_table_name = 'projected_crs' and u.object_auth_name = p.auth_name and u.object_code = p.code
        join extent e on e.auth_name = u.extent_auth_name and e.code = u.extent_code
        where p.auth_name in ('EPSG', 'ESRI') and p.geodetic_crs_auth_name = 'EPSG' and p.geodetic_crs_code in ({marks})
        group by 1, 2 order by 1, 2""", bases).fetchall()


def crs(code, replace='NO'):
    gdal.SetConfigOption('OSR_USE_NON_DEPRECATED', replace)
    system = osr.SpatialReference()
    system.SetFromUserInput(code)
    system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return system


def definition(system):
    return re.sub(r' \+(ellps=GRS80|towgs84=\S+|no_defs|type=crs|datum=NAD83)(?= |$)', '', system.ExportToProj4().strip())


found = {}
for authority, number, name, places, deprecated, west, east, south, north in projected(NAD83):
    code = f'{authority}:{number}'
    if not PLACES.search(places):
        continue
    # What a file means by a code that was withdrawn for an error, nobody can tell.
    if deprecated and definition(crs(code)) != definition(crs(code, 'YES')):
        continue
    system = crs(code)
    plain = re.sub(r'^NAD83\S*( \(\S+\))? / ', '', name)
    entry = found.setdefault(definition(system), {'name': plain, 'codes': []})
    entry['codes'].append(code)
    if 'point' not in entry:
        # Of an area over the 180th meridian the middle is nowhere near, its east is.
        lon = round((west + east) / 2 if west < east else east - 1, 5)
        lat = round((south + north) / 2, 5)
        geographic = system.CloneGeogCS()
        geographic.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        x, y, _ = osr.CoordinateTransformation(geographic, system).TransformPoint(lon, lat)
        entry['point'] = (lon, lat, x, y)

with open(sys.argv[1], 'w') as file:
    file.write('name;codes;definition\n')
    for text, entry in found.items():
        file.write(f"{entry['name']};{' '.join(entry['codes'])};{text}\n")
    for authority, number, name, *_ in projected(NAD27):
        file.write(f'{name};{authority}:{number};\n')

with open(sys.argv[2], 'w') as file:
    file.write('code,lon,lat,x,y\n')
    for entry in found.values():
        lon, lat, x, y = entry['point']
        file.write(f"{entry['codes'][0]},{lon:.5f},{lat:.5f},{x:.4f},{y:.4f}\n")
