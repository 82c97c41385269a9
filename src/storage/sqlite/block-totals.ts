/**
 * Totals, and resources that lack a value, by the counts of blocks (block-counts.ts): only the resources of blocks
 * whose counts do not suffice are examined, and those of the last block, which is not counted yet.
 */
import { firstUncounted, ROWS_OF_BLOCK } from './block-counts.ts'
import { countUpTo } from './candidates.ts'
import type { Engine } from './engine.ts'
import { exists } from './exists.ts'
import type { Source } from './source.ts'
import { ALWAYS, and, raw, type Sql, sql, visited } from './sql.ts'
import type { EntryTerm, Scope, Term } from './term.ts'

/** The rows from the first to the last, inclusive. */
type Range = readonly [first: number, last: number]

/** The number of resources of the type that fulfil all of `terms`; undefined where counts do not help. */
export function totalByBlocks(engine: Engine, scope: Scope, terms: readonly Term[]): number | undefined {
  const [term, ...others] = terms
  if (others.length > 0) return undefined
  if (term === undefined) return totalOfType(engine, scope)
  if (term.op !== 'not') return totalOf(engine, scope, term)
  const total = totalOf(engine, scope, term.of)
  return total === undefined ? undefined : totalOfType(engine, scope) - total
}

function totalOf(engine: Engine, scope: Scope, term: Term): number | undefined {
  if (term.op === 'entry' && term.counted?.by === 'codes') return totalOfCodes(engine, scope, term, term.counted)
  const params = presenceOf(term)
  return params && totalWithValue(engine, scope, term, params)
}

/** The parameters of which the term requires any value; undefined for every other kind of term. */
function presenceOf(term: Term): readonly number[] | undefined {
  if (term.op === 'entry') return term.counted?.by === 'presence' ? [term.param] : undefined
  if (term.op !== 'any') return undefined
  const params = term.of.map(presenceOf)
  return params.some((some) => some === undefined) ? undefined : params.flatMap((some) => some ?? [])
}

function totalOfType({ db }: Engine, { type }: Scope): number {
  const counted = db.number(sql`SELECT sum(resources) FROM block_type WHERE type = ${type}`)
  const rest = sql`SELECT count(*) FROM resource INDEXED BY resource_by_row
    WHERE type = ${type} AND live = 1 AND row >= ${firstUncounted(db) * ROWS_OF_BLOCK}`
  return counted + db.number(rest)
}

type Codes = Extract<NonNullable<EntryTerm['counted']>, { by: 'codes' }>

function totalOfCodes(engine: Engine, scope: Scope, { param }: EntryTerm, codes: Codes): number | undefined {
  const each = [...new Set(codes.codes)]
  // A resource may have several of these codes, or the same one in several systems.
  if ((each.length > 1 || codes.system === undefined) && engine.names.factsOf(param).repeated) return undefined
  return each.reduce((sum, code) => sum + totalOfCode(engine, scope, param, code, codes.system), 0)
}

function totalOfCode({ db }: Engine, { type }: Scope, param: number, code: string, system: number | undefined): number {
  const blocks = db.select<[block: number, resources: number | null, system: number | null]>(
    sql`SELECT b.block, c.resources, c.system
      FROM block_type AS b LEFT JOIN block_code AS c ON c.param = ${param} AND c.code = ${code} AND c.block = b.block
      WHERE b.type = ${type} ORDER BY b.block`,
  )
  const ofSystem = blocks.filter(([, , own]) => system === undefined || own === system)
  const counted = ofSystem.reduce((sum, [, resources]) => sum + (resources ?? 0), 0)
  const uncounted = blocks.filter(([, resources]) => resources === null).map(([block]) => block)
  return (
    counted +
    db.number(sql`SELECT count(*)
    FROM ${asRows(rangesOf(db, uncounted))}
      CROSS JOIN token_index AS d INDEXED BY token_by_value ON ${inRange(raw('d.row'))}
    WHERE ${and([
      sql`d.param = ${param} AND d.code = ${code}`,
      system === undefined ? ALWAYS : sql`d.system = ${system}`,
      visited(raw('d.row')),
    ])}`)
  )
}

interface Block {
  readonly block: number
  readonly resources: number
  /** The resources with a value, where their number is known. */
  readonly withValue: number | undefined
}

/**
 * Values of several kinds are counted separately, and a resource may have several: the number is known only where one
 * kind has all resources of the block, or all counted ones.
 */
function blocksBy({ db }: Engine, { type }: Scope, params: readonly number[]): readonly Block[] {
  const rows = db.select<[block: number, resources: number, isKnown: number, most: number, sum: number]>(
    sql`SELECT b.block, b.resources, b.is_known, coalesce(max(p.resources), 0), coalesce(sum(p.resources), 0)
      FROM block_type AS b
        LEFT JOIN block_param AS p ON p.param IN (SELECT value FROM json_each(${JSON.stringify(params)})) AND p.block = b.block
      WHERE b.type = ${type} GROUP BY b.block ORDER BY b.block`,
  )
  return rows.map(([block, resources, isKnown, most, sum]) => ({
    block,
    resources,
    withValue: isKnown === 1 && (most === resources || most === sum) ? most : undefined,
  }))
}

function totalWithValue(engine: Engine, scope: Scope, term: Term, params: readonly number[]): number {
  const blocks = blocksBy(engine, scope, params)
  const counted = blocks.reduce((sum, { withValue = 0 }) => sum + withValue, 0)
  const unknown = blocks.filter(({ withValue }) => withValue === undefined).map(({ block }) => block)
  const { from, where } = resourcesIn(scope, rangesOf(engine.db, unknown), exists(term, raw('d.row')))
  return counted + engine.db.number(sql`SELECT count(*) FROM ${from} WHERE ${where}`)
}

/**
 * The resources that lack a value which `term` requires to be missing, where they can be in few blocks only.
 * @returns undefined where they can be more than `most`, or for every other kind of term
 */
export function lackingSource(engine: Engine, scope: Scope, term: Term, most: number): Source | undefined {
  const params = term.op === 'not' ? presenceOf(term.of) : undefined
  if (params === undefined) return undefined
  const lacking = blocksBy(engine, scope, params).filter(({ resources, withValue }) => withValue !== resources)
  if (lacking.reduce((sum, { resources }) => sum + resources, 0) >= most) return undefined
  const ranges = rangesOf(
    engine.db,
    lacking.map(({ block }) => block),
  )
  const all = resourcesIn(scope, ranges, ALWAYS)
  if (countUpTo(engine, all, most) >= most) return undefined
  return {
    ...resourcesIn(scope, ranges, exists(term, raw('d.row'))),
    row: raw('d.row'),
    inRowOrder: false,
    distinct: true,
  }
}

const resourcesIn = (scope: Scope, ranges: readonly Range[], test: Sql): Pick<Source, 'from' | 'where'> => ({
  from: sql`${asRows(ranges)} CROSS JOIN resource AS d INDEXED BY resource_by_row ON ${inRange(raw('d.row'))}`,
  where: and([sql`d.type = ${scope.type} AND d.live = 1`, visited(raw('d.row')), test]),
})

const asRows = (ranges: readonly Range[]): Sql => sql`json_each(${JSON.stringify(ranges)}) AS r`
const inRange = (row: Sql): Sql => sql`${row} BETWEEN r.value ->> 0 AND r.value ->> 1`

/** The rows of the blocks, in order, and of all rows not counted yet; adjacent blocks become one range. */
function rangesOf(db: Engine['db'], blocks: readonly number[]): readonly Range[] {
  const ranges: Range[] = []
  for (const block of blocks) {
    const [first, last] = [block * ROWS_OF_BLOCK, (block + 1) * ROWS_OF_BLOCK - 1]
    const [begin, end] = ranges.at(-1) ?? []
    if (begin !== undefined && end === first - 1) ranges[ranges.length - 1] = [begin, last]
    else ranges.push([first, last])
  }
  return [...ranges, [firstUncounted(db) * ROWS_OF_BLOCK, Number.MAX_SAFE_INTEGER]]
}
