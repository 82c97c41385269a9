/** How frequent names are in a clinic, from its search index. */
import type { Demographics } from '../matching/demographics.ts'
import type { NamePart } from '../matching/name-forms.ts'
import { PLACEHOLDER_TAG } from '../matching/placeholder.ts'
import { type Frequencies, smoothed } from '../matching/score.ts'
import type { UnitOfWork } from '../repository/repository.ts'
import type { Condition } from '../search/plan.ts'

/** Names of one person that are counted, of each kind; others count as usual. */
const MAX_NAMES = 4

export async function nameFrequencies(unit: UnitOfWork, { names }: Demographics): Promise<Frequencies> {
  const families = names.map(({ family }) => family)
  const givens = names.flatMap(({ given }) => given.slice(0, 1))
  const all = await unit.recentCount('Patient')
  const placeholders = all === 0 ? 0 : await unit.recentCount('Patient', PLACEHOLDERS)
  const patients = Math.max(0, all - placeholders)
  const count: Count = (named) => countNamed(unit, named, placeholders > 0)
  const [family, given] = await Promise.all([countsOf(count, 'family', families), countsOf(count, 'given', givens)])
  const counts = { family, given }
  return {
    patients,
    of: (field, name) => {
      const count = counts[field].get(name)
      return count === undefined ? undefined : smoothed(field, count, patients)
    },
  }
}

type Count = (named: Condition) => Promise<number>

/** By the text of the name. */
async function countsOf(
  count: Count,
  param: 'family' | 'given',
  names: readonly NamePart[],
): Promise<ReadonlyMap<string, number>> {
  const named = new Map(names.flatMap(({ text, written }) => (text === '' ? [] : [[text, written] as const])))
  const counts = [...named].slice(0, MAX_NAMES).map(async ([text, value]) => {
    return [text, await count({ kind: 'string', param, match: 'equal', value })] as const
  })
  return new Map(await Promise.all(counts))
}

const PLACEHOLDERS: Condition = { kind: 'token', param: '_tag', ...PLACEHOLDER_TAG }

/** Leaves out placeholders: ten abandoned calls of one caller make no name frequent. Counts may be some minutes old. */
async function countNamed(unit: UnitOfWork, named: Condition, hasPlaceholders: boolean): Promise<number> {
  const count = await unit.recentCount('Patient', named)
  if (count === 0 || !hasPlaceholders) return count
  return Math.max(0, count - (await unit.recentCount('Patient', { kind: 'all', of: [PLACEHOLDERS, named] })))
}
