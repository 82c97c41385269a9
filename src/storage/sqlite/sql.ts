/**
 * SQL as a value: text and its parameters travel together, so that fragments compose and no value is ever quoted by
 * hand.
 */

export type SqlValue = string | number | null

export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
  /** The sets to which the text refers by name; `withSets` defines them. */
  readonly sets?: readonly RowSet[]
}

/** Resource rows that a statement evaluates once, however often it looks into them. */
export interface RowSet {
  readonly name: string
  /** A SELECT of one column. */
  readonly rows: Sql
}

/** SQL text written by the program (table, alias, keyword); never anything that a client sent. */
export const raw = (text: string): Sql => ({ text, values: [] })

/** sql`d.param = ${7} AND ${fragment}`: values become parameters, fragments are put in place. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  let text = strings[0] ?? ''
  const values: SqlValue[] = []
  let sets: Sql['sets']
  // A loop, since searches are composed of hundreds of fragments.
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? null
    if (part !== null && typeof part === 'object') {
      text += part.text
      for (const value of part.values) values.push(value)
      sets = union(sets, part.sets)
    } else {
      text += '?'
      values.push(part)
    }
    text += strings[index + 1] ?? ''
  }
  return naming(sets, text, values)
}

const naming = (sets: readonly RowSet[] | undefined, text: string, values: readonly SqlValue[]): Sql =>
  sets === undefined ? { text, values } : { text, values, sets }

function union(sets: Sql['sets'], others: Sql['sets']): Sql['sets'] {
  if (sets === undefined || others === undefined) return sets ?? others
  return [...new Set([...sets, ...others])]
}

const setsOf = (parts: readonly Sql[]): Sql['sets'] =>
  parts.reduce<Sql['sets']>((sets, part) => union(sets, part.sets), undefined)

export const ALWAYS = raw('1')
export const NEVER = raw('0')

export function and(parts: readonly Sql[]): Sql {
  if (parts.includes(NEVER)) return NEVER
  return combine(
    parts.filter((part) => part !== ALWAYS),
    'AND',
    ALWAYS,
  )
}

export function or(parts: readonly Sql[]): Sql {
  if (parts.includes(ALWAYS)) return ALWAYS
  return combine(
    parts.filter((part) => part !== NEVER),
    'OR',
    NEVER,
  )
}

export function not(part: Sql): Sql {
  if (part === ALWAYS) return NEVER
  return part === NEVER ? ALWAYS : sql`NOT ${part}`
}

export function joined(parts: readonly Sql[], separator: string): Sql {
  const text = parts.map((part) => part.text).join(separator)
  const values = parts.flatMap((part) => part.values)
  return naming(setsOf(parts), text, values)
}

export const list = (parts: readonly Sql[]): Sql => joined(parts, ', ')

/**
 * A test for one of `values`; the text is the same for any number of them, so that one prepared statement serves all.
 */
export const isOneOf = (column: Sql, values: readonly SqlValue[]): Sql =>
  values.length === 1
    ? sql`${column} = ${values[0] ?? null}`
    : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`

/** A test for membership of a set. The plus keeps SQLite from reading an index once for each member. */
export const isIn = (column: Sql, set: RowSet): Sql => ({
  text: `+${column.text} IN (SELECT row FROM ${set.name})`,
  values: column.values,
  sets: [...(column.sets ?? []), set],
})

/** The rows of a set, as alias d, in a FROM clause. */
export const rowsIn = (set: RowSet): Sql => ({ text: `${set.name} AS d`, values: [], sets: [set] })

/** The whole statement: each set that `query` refers to is defined before it, after those that it refers to itself. */
export function withSets(query: Sql): Sql {
  if (query.sets === undefined) return query
  const { text, values } = query
  const defined = new Map<string, Sql>()
  for (const set of query.sets) define(set, defined)
  const definitions = [...defined].map(([name, rows]) => sql`${raw(name)}(row) AS MATERIALIZED (${plain(rows)})`)
  return sql`WITH ${list(definitions)} ${{ text, values }}`
}

function define({ name, rows }: RowSet, defined: Map<string, Sql>): void {
  if (defined.has(name)) return
  for (const set of rows.sets ?? []) define(set, defined)
  defined.set(name, rows)
}

const plain = ({ text, values }: Sql): Sql => ({ text, values })

/**
 * A test that is true for every row. It counts the row that `column` belongs to, and ends the statement when its time
 * is up (VisitedRows): every loop that may be long has it among its first tests. It needs a column, since SQLite
 * evaluates a test without one once, before the loop.
 */
export const visited = (column: Sql): Sql => sql`within_time(${column})`

/**
 * A LIMIT, as a sum: for a bare parameter SQLite plans the statement again each time a value is bound, which takes
 * longer than most searches themselves.
 */
export const limitedTo = (rows: number): Sql => sql`LIMIT ${rows} + 0`

/** Combines by halves rather than in a chain: SQLite limits the depth of an expression to 1,000. */
function combine(parts: readonly Sql[], operator: 'AND' | 'OR', empty: Sql): Sql {
  const [first] = parts
  if (first === undefined) return empty
  if (parts.length === 1) return first
  const middle = parts.length >> 1
  const left = combine(parts.slice(0, middle), operator, empty)
  const right = combine(parts.slice(middle), operator, empty)
  return sql`(${left} ${raw(operator)} ${right})`
}
