/**
 * The tables, and the migration of an older file: the steps it lacks, in one transaction. Work that takes long on a
 * large file is not part of a step: resources are reindexed in the background (reindex.ts).
 *
 * `name` interns texts that would be repeated in every row, as a tree: clinic > resource type > kind of entry > search
 * parameter > token system. So the id of a type or a parameter belongs to one clinic, and index rows of two clinics can
 * never meet.
 *
 * Most index tables are clustered by resource row (a test of one resource reads neighbours, an update finds them), with
 * an index by value that ends in the row (a search that starts there reads rows in order). Values are stored in them
 * rather than interned: measured, that takes a quarter less space and no more time, because most tokens (identifiers,
 * telephone numbers) occur once.
 */

import { StoreOutdated } from '../index/search-index.ts'
import { formUpgrade, type OnUpgrade } from '../index/upgrade.ts'
import { CUSTOM_INDEX } from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import type { Database } from './connection.ts'
import { raw } from './sql.ts'

/** Marks the file as ours ('EMRS'), so that another program's database is not taken for an empty store. */
export const APPLICATION_ID = 0x454d5253

/** A parent of names that is none of them, and a type of resources that is none. */
export const NOTHING = -1

const VERSION_1 = `
CREATE TABLE name (
  id INTEGER PRIMARY KEY,
  parent INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- Of a parameter: the widest range ever written (high - low), and whether a resource ever had two entries.
  span REAL NOT NULL DEFAULT 0,
  repeated INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX name_by_text ON name (parent, text);

-- live = 0: deleted, or (version = 0) only referenced so far.
CREATE TABLE resource (
  row INTEGER PRIMARY KEY,
  type INTEGER NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER,
  version INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  live INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX resource_by_id ON resource (type, id);
CREATE INDEX resource_by_row ON resource (type) WHERE live = 1;
CREATE INDEX resource_by_updated ON resource (type, updated) WHERE live = 1;

-- Every version, the current one included; resource.seq names the current one.
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
CREATE UNIQUE INDEX version_by_resource ON version (row, version);
CREATE INDEX version_by_type ON version (type, updated);
CREATE INDEX version_by_clinic ON version (clinic, updated);

CREATE TABLE string_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, folded TEXT NOT NULL, exact TEXT NOT NULL,
  PRIMARY KEY (row, param, folded, exact)
) STRICT, WITHOUT ROWID;
CREATE INDEX string_by_value ON string_index (param, folded, row);

-- system: a name, 0 for none.
CREATE TABLE token_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, code TEXT NOT NULL, system INTEGER NOT NULL,
  PRIMARY KEY (row, param, code, system)
) STRICT, WITHOUT ROWID;
CREATE INDEX token_by_value ON token_index (param, code, row);

-- target: a resource row, created when it is first referenced. version: '' for none.
CREATE TABLE reference_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, target INTEGER NOT NULL, version TEXT NOT NULL,
  PRIMARY KEY (row, param, target, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX reference_by_target ON reference_index (target, param, row);

CREATE TABLE uri_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (row, param, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX uri_by_value ON uri_index (param, value, row);

-- Dates, numbers and quantities; system and code are a quantity's unit.
CREATE TABLE range_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
  system INTEGER NOT NULL, code TEXT NOT NULL,
  PRIMARY KEY (row, param, low, high, system, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX range_by_low ON range_index (param, low, row);
CREATE INDEX range_by_high ON range_index (param, high, row);

CREATE TABLE position_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
  PRIMARY KEY (row, param, latitude, longitude)
) STRICT, WITHOUT ROWID;
CREATE INDEX position_by_value ON position_index (param, latitude, longitude, row);

-- One row per part; parts of one value share the repetition. A reference keeps its target in low and high.
CREATE TABLE composite_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, repetition INTEGER NOT NULL, part INTEGER NOT NULL,
  text TEXT NOT NULL, system INTEGER NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
  PRIMARY KEY (row, param, repetition, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX composite_by_value ON composite_index (param, part, text, low, row);

-- param: the name of the combination. first, second: code of a token or target of a reference; 0 for no second.
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
CREATE UNIQUE INDEX record_by_key ON record (kind, clinic, key);
CREATE INDEX record_by_due ON record (kind, due, clinic, key) WHERE due IS NOT NULL;
`

/**
 * Looks records up by clinic first, like everything else. The progress of the search index is stored for each resource
 * type (search-index.ts); version 1 stored it only for combined indexes, each complete or absent.
 */
const VERSION_2 = `
DROP INDEX record_by_key;
CREATE UNIQUE INDEX record_by_key ON record (clinic, kind, key);

-- One row. epoch: counted up with every change that another process must see. holder, held_until (ms): the process that
-- works in the background.
CREATE TABLE store (epoch INTEGER NOT NULL, extraction INTEGER NOT NULL, holder TEXT NOT NULL, held_until INTEGER NOT NULL) STRICT;
INSERT INTO store VALUES (1, 0, '', 0);

-- wanted, filled: JSON, versions by part. Resources up to reached_row of reached_type are reindexed.
CREATE TABLE type_index (
  type TEXT PRIMARY KEY,
  generation INTEGER NOT NULL,
  wanted TEXT NOT NULL,
  filled TEXT NOT NULL,
  reached_type INTEGER NOT NULL DEFAULT 0,
  reached_row INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO type_index (type, generation, wanted, filled)
  SELECT type, 0, '{}', json_group_object('combined:' || text, '1') FROM combined GROUP BY type;
DROP TABLE combined;
`

/** Composites, which were not searchable before: one row for all parts of a repetition (composite-key.ts). */
const VERSION_3 = `
DROP TABLE composite_index;
-- shape: a name. rest: a JSON array.
CREATE TABLE composite_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, shape INTEGER NOT NULL, text TEXT NOT NULL, more TEXT NOT NULL,
  low REAL NOT NULL, rest TEXT NOT NULL,
  PRIMARY KEY (row, param, shape, text, more, low, rest)
) STRICT, WITHOUT ROWID;
CREATE INDEX composite_by_value ON composite_index (shape, text, more, low, row);
`

/**
 * The words of a resource, one row for each parameter, and lists of the resources that contain a word (index-entries.ts).
 * Existing resources are in no list: they are found by string_index until they are reindexed.
 */
const VERSION_4 = `
-- words: with a space around each.
CREATE TABLE word_index (
  row INTEGER NOT NULL, param INTEGER NOT NULL, words TEXT NOT NULL,
  PRIMARY KEY (row, param)
) STRICT, WITHOUT ROWID;

-- rows: a JSON array of resource rows, of which first is the first.
CREATE TABLE word_list (
  param INTEGER NOT NULL, word TEXT NOT NULL, first INTEGER NOT NULL, rows TEXT NOT NULL,
  PRIMARY KEY (param, word, first)
) STRICT, WITHOUT ROWID;

-- One row: the words of resources up to this one are in lists.
CREATE TABLE word_listed (row INTEGER NOT NULL) STRICT;
INSERT INTO word_listed SELECT coalesce(max(row), 0) FROM resource;
`

/**
 * Counts of resources by block of rows (block-counts.ts). Existing resources are counted a few blocks at a time, with
 * later writes.
 */
const VERSION_5 = `
-- is_known: what its parameters and codes are in is counted too.
CREATE TABLE block_type (
  type INTEGER NOT NULL, block INTEGER NOT NULL, resources INTEGER NOT NULL, is_known INTEGER NOT NULL,
  PRIMARY KEY (type, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE block_param (
  param INTEGER NOT NULL, block INTEGER NOT NULL, resources INTEGER NOT NULL,
  PRIMARY KEY (param, block)
) STRICT, WITHOUT ROWID;

-- Frequent codes that have one system in the block.
CREATE TABLE block_code (
  param INTEGER NOT NULL, code TEXT NOT NULL, block INTEGER NOT NULL, system INTEGER NOT NULL, resources INTEGER NOT NULL,
  PRIMARY KEY (param, code, block)
) STRICT, WITHOUT ROWID;

-- One row: the first block that is not counted yet.
CREATE TABLE block_next (block INTEGER NOT NULL) STRICT;
INSERT INTO block_next VALUES (0);
`

/**
 * Keys (search/plan.ts), which were tokens before. They are neither counted nor searched together with other
 * parameters, so they are ordered by their values only; in addition, one row per resource lists all of them, from which
 * the rows to remove are known.
 */
const VERSION_6 = `
-- codes: a JSON array.
CREATE TABLE key_list (
  row INTEGER NOT NULL, param INTEGER NOT NULL, codes TEXT NOT NULL,
  PRIMARY KEY (row, param)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_index (
  param INTEGER NOT NULL, code TEXT NOT NULL, row INTEGER NOT NULL,
  PRIMARY KEY (param, code, row)
) STRICT, WITHOUT ROWID;
`

/**
 * Forgets how far resources are indexed by a clinic's own search parameters (search/index/custom-declaration.ts), which is
 * stored in another form now: as the record is due, they are indexed by them anew.
 */
const VERSION_7 = `
UPDATE record SET version = version + 1, value = '{"types":{}}', due = 0 WHERE kind = '${CUSTOM_INDEX.kind}';
`

/**
 * A row of each numbered table that stands for nothing. It takes the number after the highest one when a clinic is dropped
 * (drop.ts), so that no number is given twice: other threads and processes have the numbers of names in memory, and
 * counts and lists of words cover rows up to a number.
 */
const VERSION_8 = `
INSERT INTO name (id, parent, text) VALUES (0, ${NOTHING}, '');
INSERT INTO resource (row, type, id, version, updated, live) VALUES (0, ${NOTHING}, '', 0, 0, 0);
INSERT INTO version (seq, clinic, type, row, version, updated, method, text)
  VALUES (0, ${NOTHING}, ${NOTHING}, 0, 0, 0, 'DELETE', '');
`

/** Step n takes a file from version n to n + 1; the last step leads to the version that this program writes. */
const STEPS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
  VERSION_8,
]

/** The version that this program writes. */
export const STORE_VERSION = STEPS.length

/**
 * Creates the tables in a new file, or brings an older one up to date, in one transaction.
 * @param onUpgrade called before the steps that an older file lacks
 * @throws StoreUnavailable when the file was written by a newer version, or is not a store at all
 */
export function migrate(db: Database, onUpgrade?: OnUpgrade): void {
  db.exclusive(() => {
    refuseForeign(db)
    refuseNewer(db)
    const version = storeVersion(db)
    const isOlder = version > 0 && version < STORE_VERSION
    if (isOlder) void onUpgrade?.(formUpgrade(version, STORE_VERSION))
    for (const step of STEPS.slice(version)) db.script(step)
    // Running processes must notice that the tables have changed.
    if (isOlder) db.script('UPDATE store SET epoch = epoch + 1')
    // Set even when unchanged, so that a read-only file fails the start, not the first request.
    db.script(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${STEPS.length}`)
  })
}

const storeVersion = (db: Database): number => db.number(raw('PRAGMA user_version'))

function refuseForeign(db: Database): void {
  const isOurs = db.number(raw('PRAGMA application_id')) === APPLICATION_ID
  if (isOurs || db.number(raw('SELECT count(*) FROM sqlite_schema')) === 0) return
  throw new StoreUnavailable('This SQLite file belongs to another program; name another file, which will be created')
}

/** @throws StoreOutdated when a newer server has changed the tables, before or while this one runs */
export function refuseNewer(db: Database): void {
  const version = storeVersion(db)
  if (version <= STEPS.length) return
  throw new StoreOutdated(
    `This store was written by a newer version of the server (store version ${version}, this server knows ` +
      `${STEPS.length}); start the newer server, or name another file`,
  )
}
