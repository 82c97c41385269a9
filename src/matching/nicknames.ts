/** Which given names are used for one another: William, Bill and Billy. From resources/matching/nicknames.csv. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '../../resources/matching/nicknames.csv')

interface Table {
  /** By folded name, the names that it is a nickname of, and itself where it has nicknames. */
  readonly formalNamesOf: ReadonlyMap<string, readonly string[]>
  /** By folded name, what may be said in its place. */
  readonly nicknamesOf: ReadonlyMap<string, readonly string[]>
}

let table: Table | undefined

/** One of them is a nickname of the other, or both are of the same name. Folded names. */
export function areNicknames(one: string, other: string): boolean {
  const formal = formalNames(one)
  return formal.length > 0 && formalNames(other).some((name) => formal.includes(name))
}

/** The names that `name` may stand for, and that may stand for it; folded, without itself. */
export function otherNamesFor(name: string): readonly string[] {
  table ??= readTable()
  const { nicknamesOf } = table
  const all = formalNames(name).flatMap((formal) => [formal, ...(nicknamesOf.get(formal) ?? [])])
  return [...new Set(all)].filter((other) => other !== name)
}

function formalNames(name: string): readonly string[] {
  table ??= readTable()
  return table.formalNamesOf.get(name) ?? []
}

/** A line has a name and its nicknames; lines that begin with # are about the table. */
function readTable(): Table {
  const formalNamesOf = new Map<string, string[]>()
  const nicknamesOf = new Map<string, readonly string[]>()
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    const [name = '', ...nicknames] = line.split(',')
    if (name === '' || name.startsWith('#')) continue
    nicknamesOf.set(name, nicknames)
    for (const one of [name, ...nicknames]) {
      const formal = formalNamesOf.get(one)
      if (formal === undefined) formalNamesOf.set(one, [name])
      else formal.push(name)
    }
  }
  return { formalNamesOf, nicknamesOf }
}
