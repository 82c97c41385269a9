CREATE TABLE name (
  id INTEGER PRIMARY KEY,
  parent INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- Of a parameter: the widest range ever written (high - low), and whether a resource ever had two entries.
  span REAL NOT NULL DEFAULT 0,
  repeated INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE resource (
  row INTEGER PRIMARY KEY,
  type INTEGER NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER,
  version INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  live INTEGER NOT NULL
) STRICT;
CREATE TABLE version (
  seq INTEGER PRIMARY KEY,
  clinic INTEGER NOT NULL,
  type INTEGER NOT NULL,
  row INTEGER NOT NULL,
  version INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  method TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE string_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, folded TEXT NOT NULL, exact TEXT NOT NULL,
  PRIMARY KEY (row, param, folded, exact)
) STRICT, WITHOUT ROWID;
CREATE TABLE token_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, code TEXT NOT NULL, system INTEGER NOT NULL,
  PRIMARY KEY (row, param, code, system)
) STRICT, WITHOUT ROWID;
CREATE TABLE reference_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, target INTEGER NOT NULL, version TEXT NOT NULL,
  PRIMARY KEY (row, param, target, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE uri_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (row, param, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE range_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
  system INTEGER NOT NULL, code TEXT NOT NULL,
  PRIMARY KEY (row, param, low, high, system, code)
) STRICT, WITHOUT ROWID;
CREATE TABLE position_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
  PRIMARY KEY (row, param, latitude, longitude)
) STRICT, WITHOUT ROWID;
CREATE TABLE composite_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, repetition INTEGER NOT NULL, part INTEGER NOT NULL,
  text TEXT NOT NULL, system INTEGER NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
  PRIMARY KEY (row, param, repetition, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE combined_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, first ANY NOT NULL, second ANY NOT NULL,
  low REAL NOT NULL, high REAL NOT NULL,
  PRIMARY KEY (param, first, second, low, row, high)
) STRICT, WITHOUT ROWID;
CREATE TABLE combined (type TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (type, text)) STRICT, WITHOUT ROWID;
CREATE TABLE record (
  number INTEGER PRIMARY KEY,
  clinic TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  value TEXT NOT NULL,
  due INTEGER
) STRICT;
CREATE UNIQUE INDEX name_by_text ON name (parent, text);
CREATE UNIQUE INDEX resource_by_id ON resource (type, id);
CREATE INDEX resource_by_row ON resource (type) WHERE live = 1;
CREATE INDEX resource_by_updated ON resource (type, updated) WHERE live = 1;
CREATE UNIQUE INDEX version_by_resource ON version (row, version);
CREATE INDEX version_by_type ON version (type, updated);
CREATE INDEX version_by_clinic ON version (clinic, updated);
CREATE INDEX string_by_value ON string_index (param, folded, row);
CREATE INDEX token_by_value ON token_index (param, code, row);
CREATE INDEX reference_by_target ON reference_index (target, param, row);
CREATE INDEX uri_by_value ON uri_index (param, value, row);
CREATE INDEX range_by_low ON range_index (param, low, row);
CREATE INDEX range_by_high ON range_index (param, high, row);
CREATE INDEX position_by_value ON position_index (param, latitude, longitude, row);
CREATE INDEX composite_by_value ON composite_index (param, part, text, low, row);
CREATE UNIQUE INDEX record_by_key ON record (kind, clinic, key);
CREATE INDEX record_by_due ON record (kind, due, clinic, key) WHERE due IS NOT NULL;
INSERT INTO name VALUES (1, 0, 'north', 0.0, 0);
INSERT INTO name VALUES (2, 1, 'Patient', 0.0, 0);
INSERT INTO name VALUES (3, 2, 'date', 0.0, 0);
INSERT INTO name VALUES (4, 3, 'birthdate', 31535999999.0, 0);
INSERT INTO name VALUES (5, 2, 'token', 0.0, 0);
INSERT INTO name VALUES (6, 5, 'deceased', 0.0, 0);
INSERT INTO name VALUES (7, 2, 'string', 0.0, 0);
INSERT INTO name VALUES (8, 7, 'family', 0.0, 0);
INSERT INTO name VALUES (9, 7, 'given', 0.0, 0);
INSERT INTO name VALUES (10, 7, 'name', 0.0, 1);
INSERT INTO name VALUES (11, 1, 'Schedule', 0.0, 0);
INSERT INTO name VALUES (12, 11, 'reference', 0.0, 0);
INSERT INTO name VALUES (13, 12, 'actor', 0.0, 0);
INSERT INTO name VALUES (14, 1, 'Practitioner', 0.0, 0);
INSERT INTO name VALUES (15, 1, 'Slot', 0.0, 0);
INSERT INTO name VALUES (16, 15, 'reference', 0.0, 0);
INSERT INTO name VALUES (17, 16, 'schedule', 0.0, 0);
INSERT INTO name VALUES (18, 15, 'date', 0.0, 0);
INSERT INTO name VALUES (19, 18, 'start', 0.0, 0);
INSERT INTO name VALUES (20, 15, 'token', 0.0, 0);
INSERT INTO name VALUES (21, 20, 'status', 0.0, 0);
INSERT INTO name VALUES (22, 21, 'http://hl7.org/fhir/slotstatus', 0.0, 0);
INSERT INTO name VALUES (23, 15, 'combined', 0.0, 0);
INSERT INTO name VALUES (24, 23, 'schedule status start', 0.0, 0);
INSERT INTO name VALUES (25, 0, 'south', 0.0, 0);
INSERT INTO name VALUES (26, 25, 'Patient', 0.0, 0);
INSERT INTO name VALUES (27, 26, 'date', 0.0, 0);
INSERT INTO name VALUES (28, 27, 'birthdate', 31535999999.0, 0);
INSERT INTO name VALUES (29, 26, 'token', 0.0, 0);
INSERT INTO name VALUES (30, 29, 'deceased', 0.0, 0);
INSERT INTO name VALUES (31, 26, 'string', 0.0, 0);
INSERT INTO name VALUES (32, 31, 'family', 0.0, 0);
INSERT INTO name VALUES (33, 31, 'given', 0.0, 0);
INSERT INTO name VALUES (34, 31, 'name', 0.0, 1);
INSERT INTO name VALUES (35, 25, 'Schedule', 0.0, 0);
INSERT INTO name VALUES (36, 35, 'reference', 0.0, 0);
INSERT INTO name VALUES (37, 36, 'actor', 0.0, 0);
INSERT INTO name VALUES (38, 25, 'Practitioner', 0.0, 0);
INSERT INTO name VALUES (39, 25, 'Slot', 0.0, 0);
INSERT INTO name VALUES (40, 39, 'reference', 0.0, 0);
INSERT INTO name VALUES (41, 40, 'schedule', 0.0, 0);
INSERT INTO name VALUES (42, 39, 'date', 0.0, 0);
INSERT INTO name VALUES (43, 42, 'start', 0.0, 0);
INSERT INTO name VALUES (44, 39, 'token', 0.0, 0);
INSERT INTO name VALUES (45, 44, 'status', 0.0, 0);
INSERT INTO name VALUES (46, 45, 'http://hl7.org/fhir/slotstatus', 0.0, 0);
INSERT INTO name VALUES (47, 39, 'combined', 0.0, 0);
INSERT INTO name VALUES (48, 47, 'schedule status start', 0.0, 0);
INSERT INTO resource VALUES (1, 2, 'anna', 8, 2, 1767225608000, 1);
INSERT INTO resource VALUES (2, 2, 'emil', 2, 1, 1767225602000, 1);
INSERT INTO resource VALUES (3, 2, 'gone', 9, 2, 1767225609000, 0);
INSERT INTO resource VALUES (4, 11, 'berg', 4, 1, 1767225604000, 1);
INSERT INTO resource VALUES (5, 14, '1', NULL, 0, 0, 0);
INSERT INTO resource VALUES (6, 15, 'at-8', 5, 1, 1767225605000, 1);
INSERT INTO resource VALUES (7, 15, 'at-9', 6, 1, 1767225606000, 1);
INSERT INTO resource VALUES (8, 15, 'at-10', 7, 1, 1767225607000, 1);
INSERT INTO resource VALUES (9, 26, 'anna', 17, 2, 1767225619000, 1);
INSERT INTO resource VALUES (10, 26, 'emil', 11, 1, 1767225613000, 1);
INSERT INTO resource VALUES (11, 26, 'gone', 18, 2, 1767225620000, 0);
INSERT INTO resource VALUES (12, 35, 'berg', 13, 1, 1767225615000, 1);
INSERT INTO resource VALUES (13, 38, '1', NULL, 0, 0, 0);
INSERT INTO resource VALUES (14, 39, 'at-8', 14, 1, 1767225616000, 1);
INSERT INTO resource VALUES (15, 39, 'at-9', 15, 1, 1767225617000, 1);
INSERT INTO resource VALUES (16, 39, 'at-10', 16, 1, 1767225618000, 1);
INSERT INTO version VALUES (1, 1, 2, 1, 1, 1767225601000, 'PUT', '{"resourceType":"Patient","id":"anna","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:01.000Z"},"name":[{"family":"Berg","given":["Anna"]}],"birthDate":"1980-02-29"}');
INSERT INTO version VALUES (2, 1, 2, 2, 1, 1767225602000, 'PUT', '{"resourceType":"Patient","id":"emil","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:02.000Z"},"name":[{"family":"Berg"}],"birthDate":"1990"}');
INSERT INTO version VALUES (3, 1, 2, 3, 1, 1767225603000, 'PUT', '{"resourceType":"Patient","id":"gone","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:03.000Z"},"name":[{"family":"Berg"}]}');
INSERT INTO version VALUES (4, 1, 11, 4, 1, 1767225604000, 'PUT', '{"resourceType":"Schedule","id":"berg","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:04.000Z"},"actor":[{"reference":"Practitioner/1"}]}');
INSERT INTO version VALUES (5, 1, 15, 6, 1, 1767225605000, 'PUT', '{"resourceType":"Slot","id":"at-8","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:05.000Z"},"schedule":{"reference":"Schedule/berg"},"status":"free","start":"2026-02-01T08:00:00Z","end":"2026-02-01T08:30:00Z"}');
INSERT INTO version VALUES (6, 1, 15, 7, 1, 1767225606000, 'PUT', '{"resourceType":"Slot","id":"at-9","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:06.000Z"},"schedule":{"reference":"Schedule/berg"},"status":"busy","start":"2026-02-01T09:00:00Z","end":"2026-02-01T09:30:00Z"}');
INSERT INTO version VALUES (7, 1, 15, 8, 1, 1767225607000, 'PUT', '{"resourceType":"Slot","id":"at-10","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:07.000Z"},"schedule":{"reference":"Schedule/berg"},"status":"free","start":"2026-02-01T10:00:00Z","end":"2026-02-01T10:30:00Z"}');
INSERT INTO version VALUES (8, 1, 2, 1, 2, 1767225608000, 'PUT', '{"resourceType":"Patient","id":"anna","meta":{"versionId":"2","lastUpdated":"2026-01-01T00:00:08.000Z"},"name":[{"family":"Sommer","given":["Anna"]}],"birthDate":"1980-02-29"}');
INSERT INTO version VALUES (9, 1, 2, 3, 2, 1767225609000, 'DELETE', '');
INSERT INTO version VALUES (10, 25, 26, 9, 1, 1767225612000, 'PUT', '{"resourceType":"Patient","id":"anna","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:12.000Z"},"name":[{"family":"Berg","given":["Anna"]}],"birthDate":"1980-02-29"}');
INSERT INTO version VALUES (11, 25, 26, 10, 1, 1767225613000, 'PUT', '{"resourceType":"Patient","id":"emil","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:13.000Z"},"name":[{"family":"Tal"}],"birthDate":"1990"}');
INSERT INTO version VALUES (12, 25, 26, 11, 1, 1767225614000, 'PUT', '{"resourceType":"Patient","id":"gone","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:14.000Z"},"name":[{"family":"Berg"}]}');
INSERT INTO version VALUES (13, 25, 35, 12, 1, 1767225615000, 'PUT', '{"resourceType":"Schedule","id":"berg","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:15.000Z"},"actor":[{"reference":"Practitioner/1"}]}');
INSERT INTO version VALUES (14, 25, 39, 14, 1, 1767225616000, 'PUT', '{"resourceType":"Slot","id":"at-8","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:16.000Z"},"schedule":{"reference":"Schedule/berg"},"status":"free","start":"2026-02-01T08:00:00Z","end":"2026-02-01T08:30:00Z"}');
INSERT INTO version VALUES (15, 25, 39, 15, 1, 1767225617000, 'PUT', '{"resourceType":"Slot","id":"at-9","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:17.000Z"},"schedule":{"reference":"Schedule/berg"},"status":"busy","start":"2026-02-01T09:00:00Z","end":"2026-02-01T09:30:00Z"}');
INSERT INTO version VALUES (16, 25, 39, 16, 1, 1767225618000, 'PUT', '{"resourceType":"Slot","id":"at-10","meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:18.000Z"},"schedule":{"reference":"Schedule/berg"},"status":"free","start":"2026-02-01T10:00:00Z","end":"2026-02-01T10:30:00Z"}');
INSERT INTO version VALUES (17, 25, 26, 9, 2, 1767225619000, 'PUT', '{"resourceType":"Patient","id":"anna","meta":{"versionId":"2","lastUpdated":"2026-01-01T00:00:19.000Z"},"name":[{"family":"Sommer","given":["Anna"]}],"birthDate":"1980-02-29"}');
INSERT INTO version VALUES (18, 25, 26, 11, 2, 1767225620000, 'DELETE', '');
INSERT INTO string_index VALUES (2, 8, 'berg', 'Berg');
INSERT INTO string_index VALUES (1, 8, 'sommer', 'Sommer');
INSERT INTO string_index VALUES (1, 9, 'anna', 'Anna');
INSERT INTO string_index VALUES (1, 10, 'anna', 'Anna');
INSERT INTO string_index VALUES (2, 10, 'berg', 'Berg');
INSERT INTO string_index VALUES (1, 10, 'sommer', 'Sommer');
INSERT INTO string_index VALUES (9, 32, 'sommer', 'Sommer');
INSERT INTO string_index VALUES (10, 32, 'tal', 'Tal');
INSERT INTO string_index VALUES (9, 33, 'anna', 'Anna');
INSERT INTO string_index VALUES (9, 34, 'anna', 'Anna');
INSERT INTO string_index VALUES (9, 34, 'sommer', 'Sommer');
INSERT INTO string_index VALUES (10, 34, 'tal', 'Tal');
INSERT INTO token_index VALUES (1, 6, 'false', 0);
INSERT INTO token_index VALUES (2, 6, 'false', 0);
INSERT INTO token_index VALUES (7, 21, 'busy', 22);
INSERT INTO token_index VALUES (6, 21, 'free', 22);
INSERT INTO token_index VALUES (8, 21, 'free', 22);
INSERT INTO token_index VALUES (9, 30, 'false', 0);
INSERT INTO token_index VALUES (10, 30, 'false', 0);
INSERT INTO token_index VALUES (15, 45, 'busy', 46);
INSERT INTO token_index VALUES (14, 45, 'free', 46);
INSERT INTO token_index VALUES (16, 45, 'free', 46);
INSERT INTO reference_index VALUES (6, 17, 4, '');
INSERT INTO reference_index VALUES (7, 17, 4, '');
INSERT INTO reference_index VALUES (8, 17, 4, '');
INSERT INTO reference_index VALUES (4, 13, 5, '');
INSERT INTO reference_index VALUES (14, 41, 12, '');
INSERT INTO reference_index VALUES (15, 41, 12, '');
INSERT INTO reference_index VALUES (16, 41, 12, '');
INSERT INTO reference_index VALUES (12, 37, 13, '');
INSERT INTO range_index VALUES (1, 4, 320630400000.0, 320716799999.0, 0, '');
INSERT INTO range_index VALUES (2, 4, 631152000000.0, 662687999999.0, 0, '');
INSERT INTO range_index VALUES (6, 19, 1769932800000.0, 1769932800000.0, 0, '');
INSERT INTO range_index VALUES (7, 19, 1769936400000.0, 1769936400000.0, 0, '');
INSERT INTO range_index VALUES (8, 19, 1769940000000.0, 1769940000000.0, 0, '');
INSERT INTO range_index VALUES (9, 28, 320630400000.0, 320716799999.0, 0, '');
INSERT INTO range_index VALUES (10, 28, 631152000000.0, 662687999999.0, 0, '');
INSERT INTO range_index VALUES (14, 43, 1769932800000.0, 1769932800000.0, 0, '');
INSERT INTO range_index VALUES (15, 43, 1769936400000.0, 1769936400000.0, 0, '');
INSERT INTO range_index VALUES (16, 43, 1769940000000.0, 1769940000000.0, 0, '');
INSERT INTO combined_index VALUES (7, 24, 4.0, 'busy', 1769936400000.0, 1769936400000.0);
INSERT INTO combined_index VALUES (6, 24, 4.0, 'free', 1769932800000.0, 1769932800000.0);
INSERT INTO combined_index VALUES (8, 24, 4.0, 'free', 1769940000000.0, 1769940000000.0);
INSERT INTO combined_index VALUES (15, 48, 12.0, 'busy', 1769936400000.0, 1769936400000.0);
INSERT INTO combined_index VALUES (14, 48, 12.0, 'free', 1769932800000.0, 1769932800000.0);
INSERT INTO combined_index VALUES (16, 48, 12.0, 'free', 1769940000000.0, 1769940000000.0);
INSERT INTO combined VALUES ('Appointment', 'actor status date');
INSERT INTO combined VALUES ('Appointment', 'patient date');
INSERT INTO combined VALUES ('DocumentReference', 'patient date');
INSERT INTO combined VALUES ('Slot', 'schedule status start');
INSERT INTO record VALUES (1, 'north', 'call', '1', 2, '{"from":"north","again":true}', 6);
INSERT INTO record VALUES (2, 'south', 'call', '1', 2, '{"from":"south","again":true}', 6);
INSERT INTO record VALUES (3, '', 'account', 'nora', 1, '{"clinic":"north"}', NULL);
PRAGMA application_id = 1162695251;
PRAGMA user_version = 1;
