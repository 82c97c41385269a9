/** The visits of a person, with the reason of each: the last three years, and those that are booked. */
import { DAYS_OF_YEAR, daysSince, WORKDAYS_OF_YEAR } from './calendar.ts'
import type { Diary } from './diary.ts'
import type { Person } from './people.ts'
import type { Problem } from './problems.ts'
import type { Random, Range } from './random.ts'
import type { PractitionerKey, VisitKind } from './tables/clinic.ts'

export interface Visit {
  /** From 1, in the order of their times. */
  readonly number: number
  readonly kind: VisitKind
  /** See Calendar.workday. */
  readonly workday: number
  /** Minutes after midnight. */
  readonly minute: number
  readonly status: 'booked' | 'cancelled' | 'fulfilled' | 'noshow'
  readonly practitioner: PractitionerKey
}

type Wish = Pick<Visit, 'kind' | 'workday'>

const YEARS = 3
/** How far ahead visits are booked, in working days. */
const AHEAD = 60
/** Least number of working days between two visits of a person. */
const APART = 8
/** The probabilities that a visit did not take place. */
const NOT_KEPT = { noshow: 0.04, cancelled: 0.05 } as const

/** In the order of their times; they are taken in the diary. */
export function visitsOf(person: Person, problems: readonly Problem[], diary: Diary, random: Random): readonly Visit[] {
  const [first, last] = spanOf(person)
  const wishes = [
    ...followUps(problems, random),
    ...(person.role === 'child' ? childhood(person, random) : checkups(person, random)),
    ...illnesses(person, random),
  ]
  const visits: Visit[] = []
  for (const wish of wishes.sort((one, other) => one.workday - other.workday)) {
    const before = visits.at(-1)?.workday ?? Number.NEGATIVE_INFINITY
    if (wish.workday < Math.max(first, before + APART) || wish.workday > last) continue
    const practitioner = practitionerOf(person, wish.kind, random)
    const time = diary.take(practitioner, wish.workday, random)
    const status = time.workday >= 0 ? 'booked' : keptOrNot(random)
    visits.push({ ...wish, ...time, number: visits.length + 1, status, practitioner })
  }
  return visits
}

/** The first and the last working day: from birth, until death. */
function spanOf({ days, died }: Person): Range {
  const since = (day: number) => Math.floor((-day * WORKDAYS_OF_YEAR) / DAYS_OF_YEAR)
  const first = Math.max(-YEARS * WORKDAYS_OF_YEAR, since(days) + APART * 2)
  return [first, died === undefined ? AHEAD : since(died) - APART * 2]
}

const keptOrNot = (random: Random): Visit['status'] => {
  const chance = random.next()
  if (chance < NOT_KEPT.noshow) return 'noshow'
  return chance < NOT_KEPT.noshow + NOT_KEPT.cancelled ? 'cancelled' : 'fulfilled'
}

function practitionerOf(person: Person, kind: VisitKind, random: Random): PractitionerKey {
  if (person.role === 'child') return 'children'
  if (kind === 'acute' && random.chance(0.5)) return 'nurse'
  return person.household.number % 2 === 0 ? 'first' : 'second'
}

/** One series of visits for all problems, as often as the one asks that asks most; from the beginning of the first. */
function* followUps(problems: readonly Problem[], random: Random): Generator<Wish> {
  const followed = problems.filter(({ condition }) => condition.followUp !== undefined)
  const begins = Math.max(
    -YEARS * WORKDAYS_OF_YEAR,
    ...followed
      .map(beginOf)
      .sort((one, other) => one - other)
      .slice(0, 1),
  )
  const [interval] = followed
    .flatMap(({ condition }) => (condition.followUp === undefined ? [] : [condition.followUp]))
    .sort(([one], [other]) => one - other)
  if (interval === undefined) return
  let workday = begins + random.integer([1, interval[0]])
  for (; workday <= AHEAD; workday += random.integer(interval)) {
    if (workday < 0 || random.chance(0.7)) yield { kind: 'followUp', workday }
  }
}

const beginOf = ({ days }: Problem): number => Math.ceil((-days * WORKDAYS_OF_YEAR) / DAYS_OF_YEAR) + APART

/** Physicals of adults: about one in three years, more for the old. */
function* checkups({ days }: Person, random: Random): Generator<Wish> {
  const share = days > 65 * DAYS_OF_YEAR ? 0.45 : 0.34
  for (let year = YEARS; year > 0; year--) {
    const workday = -year * WORKDAYS_OF_YEAR + random.integer([0, WORKDAYS_OF_YEAR - 1])
    if (random.chance(share)) yield { kind: 'checkup', workday }
  }
  if (random.chance(0.12)) yield { kind: 'checkup', workday: random.integer([0, AHEAD]) }
}

/** Well-child visits: four a year in the first two years of life, then one. */
function* childhood({ days }: Person, random: Random): Generator<Wish> {
  let workday = Math.max(-YEARS * WORKDAYS_OF_YEAR, Math.ceil((-days * WORKDAYS_OF_YEAR) / DAYS_OF_YEAR) + APART * 3)
  while (workday <= AHEAD) {
    if (workday < 0 || random.chance(0.6)) yield { kind: 'wellChild', workday }
    const age = (days - daysSince(workday)) / DAYS_OF_YEAR
    workday += random.integer(age < 2 ? [50, 70] : [240, 380])
  }
}

/** Illnesses: of a child one in three years, of others one in five. */
function* illnesses({ role }: Person, random: Random): Generator<Wish> {
  for (let year = YEARS; year > 0; year--) {
    const workday = -year * WORKDAYS_OF_YEAR + random.integer([0, WORKDAYS_OF_YEAR - 1])
    if (random.chance(role === 'child' ? 0.33 : 0.2)) yield { kind: 'acute', workday }
  }
}
