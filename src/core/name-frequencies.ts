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
  const [patients, family, given] = await Promise.all([
    countPatients(unit),
    countsOf(unit, 'family', families),
    countsOf(unit, 'given', givens),
  ])
  const counts = { family, given }
  return {
    patients,
    of: (field, name) => {
      const count = counts[field].get(name)
      return count === undefined ? undefined : smoothed(field, count, patients)
    },
  }
}

/** By the text of the name. */
async function countsOf(
  unit: UnitOfWork,
  param: 'family' | 'given',
  names: readonly NamePart[],
): Promise<ReadonlyMap<string, number>> {
  const named = new Map(names.flatMap(({ text, written }) => (text === '' ? [] : [[text, written] as const])))
  const counts = [...named].slice(0, MAX_NAMES).map(async ([text, value]) => {
    return [text, await countPatients(unit, { kind: 'string', param, match: 'equal', value })] as const
  })
  return new Map(await Promise.all(counts))
}

const PLACEHOLDERS: Condition = { kind: 'token', param: '_tag', ...PLACEHOLDER_TAG }

/** Without placeholders: a caller who hangs up ten times makes no name frequent. Counts may be some minutes old. */
async function countPatients(unit: UnitOfWork, named?: Condition): Promise<number> {
  const count = await unit.recentCount('Patient', named)
  const placeholders = count === 0 ? 0 : await unit.recentCount('Patient', PLACEHOLDERS)
  if (named === undefined || placeholders === 0) return Math.max(0, count - placeholders)
  return Math.max(0, count - (await unit.recentCount('Patient', { kind: 'all', of: [PLACEHOLDERS, named] })))
}
