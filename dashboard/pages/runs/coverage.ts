/** The coverage of a CapabilityStatement: of each type, the part of it that a client was seen to use. */
import type { CapabilityStatement } from 'fhir/r4'
import type { Observed, ObservedType } from '../../api/rehearsal-answers.ts'

export const KINDS = ['interactions', 'searchParameters', 'operations'] as const
export type Kind = (typeof KINDS)[number]

export interface Covered {
  readonly used: readonly string[]
  /** How many the statement has. */
  readonly offered: number
}

export interface TypeCoverage extends Readonly<Record<Kind, Covered>> {
  readonly type: string
  /** Used, but not in the statement. */
  readonly others: readonly string[]
}

export interface Coverage {
  /** The types that were used, by name. */
  readonly types: readonly TypeCoverage[]
  /** How many types the statement has. */
  readonly offered: number
  readonly totals: Readonly<Record<Kind, Covered>>
}

type Names = Readonly<Record<Kind, ReadonlySet<string>>>

export function coverageOf(statement: CapabilityStatement, { types }: Observed): Coverage {
  const [rest] = statement.rest ?? []
  const common = (rest?.searchParam ?? []).map(({ name }) => name)
  const offered = new Map(
    (rest?.resource ?? []).map(({ type = '', interaction, searchParam, operation }): [string, Names] => [
      type,
      {
        interactions: namesOf((interaction ?? []).map(({ code }) => code)),
        searchParameters: namesOf([...common, ...(searchParam ?? []).map(({ name }) => name)]),
        operations: namesOf((operation ?? []).map(({ name }) => name?.replace(/^\$/, ''))),
      },
    ]),
  )
  const rows = Object.entries(types).map(([type, observed]) => typeCoverage(type, observed, offered.get(type) ?? NONE))
  const total = (kind: Kind): Covered => ({
    used: rows.flatMap((row) => row[kind].used),
    offered: [...offered.values()].reduce((sum, names) => sum + names[kind].size, 0),
  })
  return { types: rows, offered: offered.size, totals: byKind(total) }
}

const NONE: Names = { interactions: new Set(), searchParameters: new Set(), operations: new Set() }

const namesOf = (names: readonly (string | undefined)[]): ReadonlySet<string> =>
  new Set(names.filter((name) => name !== undefined))

const byKind = (of: (kind: Kind) => Covered): Readonly<Record<Kind, Covered>> => ({
  interactions: of('interactions'),
  searchParameters: of('searchParameters'),
  operations: of('operations'),
})

function typeCoverage(type: string, observed: ObservedType, offered: Names): TypeCoverage {
  const covered = (kind: Kind): Covered => ({
    used: observed[kind].filter((name) => offered[kind].has(name)),
    offered: offered[kind].size,
  })
  const others = KINDS.flatMap((kind) => observed[kind].filter((name) => !offered[kind].has(name)))
  return { type, ...byKind(covered), others }
}
