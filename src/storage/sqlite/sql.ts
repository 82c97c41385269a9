/** SQL as a value: text and its parameters travel together, so that fragments compose and no value is ever quoted by hand. */

export type SqlValue = string | number | null

export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Text of our own (table, alias, keyword); never anything a client sent. */
export const raw = (text: string): Sql => ({ text, values: [] })

/** sql`d.param = ${7} AND ${fragment}`: values become parameters, fragments are put in place. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  let text = strings[0] ?? ''
  const values: SqlValue[] = []
  for (const [index, part] of parts.entries()) {
    if (part !== null && typeof part === 'object') {
      text += part.text
      for (const value of part.values) values.push(value)
    } else {
      text += '?'
      values.push(part)
    }
    text += strings[index + 1] ?? ''
  }
  return { text, values }
}

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

export const joined = (parts: readonly Sql[], separator: string): Sql => ({
  text: parts.map((part) => part.text).join(separator),
  values: parts.flatMap((part) => part.values),
})

export const list = (parts: readonly Sql[]): Sql => joined(parts, ', ')

/** One of `values`; the text is the same for any number of them, so that one prepared statement serves all. */
export const isOneOf = (column: Sql, values: readonly SqlValue[]): Sql =>
  values.length === 1
    ? sql`${column} = ${values[0] ?? null}`
    : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`

/**
 * LIMIT, as a sum: for a bare parameter SQLite plans the statement again each time a value is bound, which takes longer
 * than most searches themselves.
 */
export const limitedTo = (rows: number): Sql => sql`LIMIT ${rows} + 0`

/** Halves instead of a chain: SQLite limits the depth of an expression to 1,000. */
function combine(parts: readonly Sql[], operator: 'AND' | 'OR', empty: Sql): Sql {
  const [first] = parts
  if (first === undefined) return empty
  if (parts.length === 1) return first
  const middle = parts.length >> 1
  const left = combine(parts.slice(0, middle), operator, empty)
  const right = combine(parts.slice(middle), operator, empty)
  return sql`(${left} ${raw(operator)} ${right})`
}
