/**
 * Lists of the resources that contain a word: a row of `word_list` holds many of them. A list is written for several
 * hundred resources at once, since a row per word and resource would cost a commit as many pages as all other values
 * together: the newest resources are in no list yet, and a search examines each of them (word-terms.ts).
 *
 * A list may name a resource that no longer has the word; its current words are in `word_index`, which every search
 * checks.
 */
import type { Database } from './connection.ts'
import { raw, type SqlValue } from './sql.ts'

/** Most resources that are in no list; a search for a word reads the words of all of them that are of its type. */
const MOST_UNLISTED = 256
/** Most resources of a list, so that a search that needs a few of them does not read many. */
const LONGEST_LIST = 1_000
/** Lists that one statement writes. */
const AT_ONCE = 16

/** A parameter, and its words with a space around each. */
type WordRow = readonly [param: number, words: string]
type List = readonly [param: number, word: string, first: number, rows: string]

/** Lists the words of the newest resources, where these are many. Called after change sets have been written. */
export function listNewWords(db: Database): void {
  const listed = lastListed(db)
  const last = db.number(raw('SELECT max(row) FROM resource'))
  if (last - listed < MOST_UNLISTED) return
  for (let from = listed; from < last; from += LONGEST_LIST) {
    insert(db, listsOf(db, from, Math.min(from + LONGEST_LIST, last)))
  }
  db.run('UPDATE word_listed SET row = ?', last)
}

/** Lists the added words of the resource of `row`, if its lists have been written already. */
export function listAddedWords(
  db: Database,
  row: number,
  before: readonly (readonly SqlValue[])[],
  added: readonly (readonly SqlValue[])[],
): void {
  if (added.length === 0 || row > lastListed(db)) return
  const known = new Map(before.map(([param, words]) => [param, new Set(wordsOf(String(words)))]))
  const lists = added.flatMap(([param, words]) =>
    wordsOf(String(words))
      .filter((word) => !known.get(param ?? null)?.has(word))
      .map((word): List => [Number(param), word, row, `[${row}]`]),
  )
  insert(db, lists)
}

const lastListed = (db: Database): number => db.number(raw('SELECT row FROM word_listed'))

/** The lists of all words of the resources above `from` and up to `to`, roughly in the order of their key. */
function listsOf(db: Database, from: number, to: number): readonly List[] {
  const byParam = new Map<number, Map<string, number[]>>()
  const found = db.all<[row: number, ...WordRow]>(
    'SELECT row, param, words FROM word_index WHERE row > ? AND row <= ?',
    ...[from, to],
  )
  for (const [row, param, words] of found) {
    const byWord = byParam.get(param) ?? new Map<string, number[]>()
    byParam.set(param, byWord)
    for (const word of wordsOf(words)) {
      const rows = byWord.get(word)
      if (rows === undefined) byWord.set(word, [row])
      else rows.push(row)
    }
  }
  return [...byParam].flatMap(([param, byWord]) =>
    [...byWord]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([word, rows]): List => [param, word, rows[0] ?? 0, `[${rows.join()}]`]),
  )
}

const wordsOf = (words: string): readonly string[] => words.slice(1, -1).split(' ')

/** Inserts lists; a resource that regains a word may still be in an earlier list. */
function insert(db: Database, lists: readonly List[]): void {
  const many = lists.length - (lists.length % AT_ONCE)
  for (let start = 0; start < many; start += AT_ONCE) {
    db.run(INSERT_MANY, ...lists.slice(start, start + AT_ONCE).flat())
  }
  for (const list of lists.slice(many)) db.run(INSERT_ONE, ...list)
}

const statement = (places: readonly string[]): string =>
  `INSERT OR FAIL INTO word_list (param, word, first, rows) VALUES ${places.join(', ')} ON CONFLICT DO NOTHING`
const INSERT_ONE = statement(['(?, ?, ?, ?)'])
const INSERT_MANY = statement(Array.from({ length: AT_ONCE }, () => '(?, ?, ?, ?)'))
