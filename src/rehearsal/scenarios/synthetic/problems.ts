/** The lasting conditions and allergies of a person. */
import { DAYS_OF_YEAR } from './calendar.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'
import { ALLERGIES, type Allergy, CHRONIC, type ChronicCondition } from './tables/medicine.ts'

export interface Problem {
  readonly condition: ChronicCondition
  /** Days since it began. */
  readonly days: number
}

/** In the order of the table. */
export function problemsOf(person: Person, random: Random): readonly Problem[] {
  const found: Problem[] = []
  for (const condition of CHRONIC) {
    const { onset, share, likelier, gender = person.gender } = condition
    const isLikelier = found.some((one) => one.condition.id === likelier?.with)
    const hasIt = random.chance(share * (isLikelier ? (likelier?.times ?? 1) : 1))
    const days = person.days - Math.round(random.between(onset) * DAYS_OF_YEAR)
    if (hasIt && gender === person.gender && days > (person.died ?? 0) + DAYS_OF_YEAR / 4)
      found.push({ condition, days })
  }
  return found
}

/** The probability of any allergy, and of a second one. */
const ALLERGIC = [0.24, 0.15] as const

export function allergiesOf(random: Random): readonly Allergy[] {
  const [first, second] = [random.byShare(ALLERGIES), random.byShare(ALLERGIES)]
  if (!random.chance(ALLERGIC[0])) return []
  return random.chance(ALLERGIC[1]) && second.id !== first.id ? [first, second] : [first]
}
