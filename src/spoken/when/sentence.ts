/** A sentence about times as alternatives: "Monday or Wednesday morning" is the morning of both days. */
import { type DaySpec, type Weekday, week } from './calendar.ts'
import { count, dayRange, nth, sameMonth, weekdayName, weekdayPlural } from './days.ts'
import { either, literal, longest, one, phrase, type Reader } from './phrase.ts'
import { type TimeOfDay, timesOfDay } from './times-of-day.ts'
import type { Token } from './tokens.ts'

/** Recurring days of the week; the days of a weekend depend on the region. */
export type DaysOfWeek = readonly Weekday[] | 'weekend' | 'working-days'

/** Selects one of two moments with the same wall-clock time when clocks are set back. */
export type Turn = 'before' | 'after'

/** Restrictions of one alternative, which apply together. */
export interface Alternative {
  readonly days: readonly DaySpec[]
  readonly daysOfWeek: readonly DaysOfWeek[]
  readonly times: readonly TimeOfDay[]
  readonly instants: readonly Instant[]
  readonly turn?: Turn
}

/** An ISO instant, or minutes from now. */
export type Instant = { readonly iso: string } | { readonly minutes: number }

export interface Sentence {
  readonly alternatives: readonly Alternative[]
  /** Excluded days of the week. */
  readonly except: readonly DaysOfWeek[]
}

type Item =
  | { readonly kind: 'day'; readonly day: DaySpec }
  | { readonly kind: 'time'; readonly time: TimeOfDay }
  | { readonly kind: 'days-of-week' | 'except'; readonly days: DaysOfWeek }
  | { readonly kind: 'instant'; readonly instant: Instant }
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'any' }
  | { readonly kind: 'or' }

const ANY: Item = { kind: 'any' }
const OR: Item = { kind: 'or' }

const TODAY: DaySpec = {
  kind: 'span',
  read: ({ today }) => [{ from: today, until: today.plus({ days: 1 }) }],
}

const weekdayOf = (weekday: Weekday): DaySpec => ({ kind: 'weekday', weekday, which: 'bare', weeks: 0 })
const WEEK_AFTER_NEXT: DaySpec = { kind: 'span', read: (calendar) => week(2, calendar) }

/** Phrases for any time, preferably the earliest. */
const ANY_TIME = [
  'as soon as possible',
  'as soon as you can',
  'as early as possible',
  'asap',
  'a s a p',
  'right away',
  'straight away',
  'immediately',
  '[right] now',
  'urgent|urgently',
  'soon|soonest|whenever|anytime|earliest|whatever',
  'soonest|earliest|first|next possible|available|opening|appointment|slot|time|free|one|you',
  'next|first|soonest|earliest available|free|open|possible appointment|slot|opening|time|one|date|visit',
  'any time|day|date',
  'every day',
  'when|whenever you|i can',
  '[does|doesnt] not matter',
  "[it] doesn't|dont|don't matter|care|mind",
  'no preference|preferences',
  'flexible',
]

/** Words around a time that carry no meaning. */
const FILLERS = new Set(
  `i i'd i'm we we'd i'll would like love want wanted need prefer can could may might do does is are it it's its that that's
  there you your my me us for to a an see get have has got give offer find make take book schedule come in be work works
  good best better great fine suits suit free available any some anything something open opening openings slot slots
  appointment appointments visit visits doctor dr time times day date some let let's with at
  hi hello hey please so think guess well then say would'd sure right sounds going go only`.split(/\s+/),
)

/** Words that may retract what was said before. */
const CORRECTIONS = new Set(
  `no nope actually wait sorry rather instead mean meant oops scratch correction`.split(/\s+/),
)

/**
 * Words after which a "no" is a reply; before any other word and without a pause it may exclude what follows: "no
 * Monday".
 */
const AFTER_NO = new Set([undefined, ...`i i'd i'm we we'd it's its that's let's can could my`.split(' ')])

const isAnswer = (tokens: readonly Token[], at: number): boolean =>
  CORRECTIONS.has(tokens[at]?.text ?? '') &&
  (!['no', 'nope'].includes(tokens[at]?.text ?? '') || AFTER_NO.has(tokens[at + 1]?.text))

/** Words that end only incomplete sentences: "at ten to". */
const BEFORE_MORE = new Set(['to', 'at'])

const namedDay = either<readonly Weekday[]>(
  phrase`[a|any|every|each] ${weekdayName}`((name) => [name]),
  phrase`[any] ${weekdayPlural}`((name) => [name]),
)
const dayList: Reader<DaysOfWeek> = either<DaysOfWeek>(
  namedDay,
  phrase`${namedDay} or|and|nor ${namedDay}`((a, b) => [...a, ...b]),
  phrase`${namedDay} ${namedDay} or|and|nor ${namedDay}`((a, b, c) => [...a, ...b, ...c]),
  literal('[a|any|every] weekend|weekends')(() => 'weekend'),
  literal('[a|any|every] weekday|weekdays')(() => 'working-days'),
)

const thisPart: Reader<readonly TimeOfDay[]> = (tokens, at) => {
  const parts = ['morning', 'afternoon', 'evening']
  return parts.includes(tokens[at]?.text ?? '') ? timesOfDay(tokens, at) : []
}
/** "tonight" means "today at night". */
const NIGHT: readonly Token[] = [{ kind: 'word', text: 'night' }]
const night: Reader<readonly TimeOfDay[]> = (_tokens, at) =>
  timesOfDay(NIGHT, 0).map(({ value }) => ({ value, end: at }))

/** Ignores a word if one of these follows it; elsewhere it may exclude or move what was said. */
const before =
  (word: string, ...followers: readonly string[]): Reader<readonly Item[]> =>
  (tokens, at) =>
    tokens[at]?.text === word && followers.includes(tokens[at + 1]?.text ?? '') ? [{ value: [], end: at + 1 }] : []

const timeItem = (time: TimeOfDay): Item => ({ kind: 'time', time })
const dayItem = (of: DaySpec): Item => ({ kind: 'day', day: of })

const items: Reader<readonly Item[]> = either<readonly Item[]>(
  phrase`${dayRange}`((days) => [dayItem(days)]),
  phrase`${timesOfDay}`((times) =>
    times.flatMap((time, index) => (index === 0 ? [timeItem(time)] : [OR, timeItem(time)])),
  ),
  phrase`${weekdayName} week after next`((name) => [dayItem(weekdayOf(name)), dayItem(WEEK_AFTER_NEXT)]),
  phrase`this ${thisPart}`((times) => [dayItem(TODAY), ...times.map(timeItem)]),
  phrase`tonight ${night}`((times) => [dayItem(TODAY), ...times.map(timeItem)]),
  phrase`any|every|each|some|a ${weekdayName}`((name) => [{ kind: 'days-of-week', days: [name] }]),
  phrase`[any] ${weekdayPlural}`((name) => [{ kind: 'days-of-week', days: [name] }]),
  literal('[any|at] weekends')(() => [{ kind: 'days-of-week', days: 'weekend' }]),
  literal('any|a|some|every weekend')(() => [{ kind: 'days-of-week', days: 'weekend' }]),
  literal('[any|a|every|during] weekday|weekdays')(() => [{ kind: 'days-of-week', days: 'working-days' }]),
  literal('[any|a|every] business|working|work day|days')(() => [{ kind: 'days-of-week', days: 'working-days' }]),
  phrase`[but] not|except|excluding [for|free|available] ${dayList} [but]`((days) => [{ kind: 'except', days }]),
  phrase`any|every day|time|thing but|except|besides ${dayList} [but]`((days) => [{ kind: 'except', days }]),
  phrase`anything|anytime but|except|besides ${dayList} [but]`((days) => [{ kind: 'except', days }]),
  phrase`no ${weekdayPlural}`((name) => [{ kind: 'except', days: [name] }]),
  phrase`no weekends`(() => [{ kind: 'except', days: 'weekend' }]),
  phrase`[but] [i] can't|cannot|cant|won't [do|make|come] ${dayList} [but]`((days) => [{ kind: 'except', days }]),
  phrase`in ${count} minutes|minute|mins [time]`((minutes) => [{ kind: 'instant', instant: { minutes } }]),
  phrase`in ${count} hours|hour [time]`((hours) => [{ kind: 'instant', instant: { minutes: hours * 60 } }]),
  phrase`in half an hour`(() => [{ kind: 'instant', instant: { minutes: 30 } }]),
  phrase`${one((token) => (token.kind === 'instant' ? token.iso : undefined))}`((iso) => [
    { kind: 'instant', instant: { iso } },
  ]),
  phrase`before clocks go back`(() => [{ kind: 'turn', turn: 'before' }]),
  phrase`after clocks go back`(() => [{ kind: 'turn', turn: 'after' }]),
  before('but', 'not', 'no', 'only', 'after', 'before', "can't", 'cannot'),
  before('later', 'today', 'this', 'next', 'in'),
  literal('if possible')(() => []),
  literal('if i|we|you|there can|could|have|is|are')(() => []),
  literal('what|how about')(() => []),
  before('how', 'soon'),
  before('what', 'times', 'time', 'day', 'days', 'do', 'is', 'are', 'have', 'you', 'slots', 'appointments', 'openings'),
  literal('may i|we')(() => []),
  literal('a second')(() => []),
  // "my first visit" does not mean the first of the month.
  phrase`${nth} appointment|visit|slot|opening|time|one|try`(() => []),
  literal('or|and')(() => [OR]),
  ...ANY_TIME.map((words) => literal(words)(() => [ANY])),
  one((token) => (FILLERS.has(token.text) ? [] : undefined)),
)

/**
 * `nothing`: no time was stated; `unclear`: a word was not understood, or was retracted; `two-times`: two times of day
 * without an "or".
 */
export function sentenceOf(tokens: readonly Token[]): Sentence | 'nothing' | 'unclear' | 'two-times' {
  const read: Item[] = []
  for (let at = 0; at < tokens.length; ) {
    const found = longest(items, tokens, at)
    if (found === undefined) {
      if (read.length > 0 || !isAnswer(tokens, at)) return 'unclear'
      at++
      continue
    }
    if (mayBeRuledOut(found.value, read.at(-1), tokens[at - 1])) return 'unclear'
    read.push(...found.value)
    at = found.end
  }
  if (BEFORE_MORE.has(tokens.at(-1)?.text ?? '')) return 'unclear'
  const except = read.flatMap((item) => (item.kind === 'except' ? [item.days] : []))
  const said = alternativesOf(read)
  if (said.some(hasTwoTimes)) return 'two-times'
  const alternatives = shared(said)
  if (alternatives === undefined) return 'unclear'
  if (read.every(({ kind }) => kind === 'or')) return 'nothing'
  return { alternatives: alternatives.length === 0 ? [NONE] : alternatives, except }
}

/** In "not Monday morning" the morning is excluded too; after a "but" it is not. */
const mayBeRuledOut = ([item]: readonly Item[], previous: Item | undefined, word: Token | undefined): boolean =>
  previous?.kind === 'except' && word?.text !== 'but' && item !== undefined && ['day', 'time'].includes(item.kind)

const NONE: Alternative = { days: [], daysOfWeek: [], times: [], instants: [] }

function alternativesOf(read: readonly Item[]): readonly Alternative[] {
  const out: Alternative[] = []
  let current = NONE
  const finish = () => {
    if (current !== NONE) out.push(current)
    current = NONE
  }
  for (const item of read) {
    if (startsAnother(item, current)) finish()
    current = withItem(current, item)
  }
  finish()
  return out
}

/**
 * A second day or time of the same kind starts a new alternative instead of restricting the first: "Monday, Wednesday".
 */
function startsAnother(item: Item, { days, times, daysOfWeek }: Alternative): boolean {
  switch (item.kind) {
    case 'or':
      return true
    case 'day':
      return item.day.kind !== 'span' && days.some(({ kind }) => kind === item.day.kind)
    case 'time':
      return item.time.kind === 'part' && times.some((time) => time.kind === 'part' && !isSamePart(time, item.time))
    case 'days-of-week':
      return daysOfWeek.length > 0
    default:
      return false
  }
}

/** "first thing Monday morning" */
const isSamePart = (one: TimeOfDay, other: TimeOfDay): boolean =>
  one.kind === 'part' && other.kind === 'part' && one.from <= other.from && one.until >= other.until

function withItem(current: Alternative, item: Item): Alternative {
  switch (item.kind) {
    case 'day':
      return { ...current, days: [...current.days, item.day] }
    case 'time':
      return { ...current, times: [...current.times, item.time] }
    case 'days-of-week':
      return { ...current, daysOfWeek: [...current.daysOfWeek, item.days] }
    case 'instant':
      return { ...current, instants: [...current.instants, item.instant] }
    case 'turn':
      return { ...current, turn: item.turn }
    case 'any':
    case 'or':
    case 'except':
      return current
  }
}

/** "twelve fifteen at two": one of the times may be a date, or retracted. */
const hasTwoTimes = ({ times }: Alternative): boolean =>
  times.some(({ kind }) => kind === 'moment') && times.filter(({ kind }) => kind !== 'part').length > 1

const isBare = ({ days: [day, ...others] }: Alternative): boolean =>
  day?.kind === 'weekday' && day.which === 'bare' && others.length === 0

/**
 * "Monday or the last Friday in December": the month may apply to both; "last Friday or Monday in December": "last"
 * need not mean the past one; "the 9th or the following Friday": it follows the other day.
 */
const mayShareAnchor = (all: readonly Alternative[]): boolean =>
  all.length > 1 &&
  ((all.some(({ days }) => days.some((day) => day.kind === 'span' && day.anchored)) && all.some(isBare)) ||
    all.some(({ days }) => days.some((day) => day.kind === 'weekday' && ['last', 'following'].includes(day.which))))

/** Copies parts said once to all alternatives; undefined if it is uncertain to which they apply. */
function shared(alternatives: readonly Alternative[]): readonly Alternative[] | undefined {
  if (mayShareAnchor(alternatives)) return undefined
  const withMonths = shareMonth(alternatives)
  return withMonths && shareDays(withMonths)?.map(shareWeek).map(shareTimes)
}

function shareMonth(alternatives: readonly Alternative[]): readonly Alternative[] | undefined {
  const dates = alternatives.flatMap(({ days }) => days.filter((of) => of.kind === 'date'))
  const months = new Set(dates.flatMap(({ month }) => (month === undefined ? [] : [month])))
  if (months.size > 1 && dates.some(({ month }) => month === undefined)) return undefined
  const said = dates.find(({ month }) => month !== undefined)
  if (said === undefined) return alternatives
  return alternatives.map((one) => ({ ...one, days: sameMonth([...one.days, said]).slice(0, -1) }))
}

const hasDay = ({ days, daysOfWeek, instants }: Alternative) => days.length + daysOfWeek.length + instants.length > 0

/**
 * "Monday at two or at three", "in the morning or evening tomorrow": a time on its own gets the day of its neighbour.
 */
function shareDays(alternatives: readonly Alternative[]): readonly Alternative[] | undefined {
  const first = alternatives.findIndex(hasDay)
  const leader = alternatives[first]
  if (leader === undefined) return alternatives
  if (first > 0 && leader.times.length === 0) return undefined
  let previous = leader
  return alternatives.map((one) => {
    if (!hasDay(one)) return { ...one, days: previous.days, daysOfWeek: previous.daysOfWeek }
    previous = one
    return one
  })
}

/** "Monday or Tuesday next week", "next Monday or Tuesday": the week applies to both. */
function shareWeek(one: Alternative, index: number, all: readonly Alternative[]): Alternative {
  const [only, ...others] = one.days
  const bareDay = only?.kind === 'weekday' && only.which === 'bare' && others.length === 0
  if (!bareDay && !(only === undefined && one.daysOfWeek.length > 0)) return one
  const beside = all.slice(index + 1).find(namesWeek) ?? all.slice(0, index).findLast(namesWeek)
  if (beside !== undefined) return { ...one, days: [...one.days, ...beside.days.filter(({ kind }) => kind === 'span')] }
  const before = all.slice(0, index).findLast(({ days }) => days[0]?.kind === 'weekday')?.days[0]
  if (only?.kind !== 'weekday' || before?.kind !== 'weekday' || before.which === 'bare') return one
  return { ...one, days: [{ ...only, which: before.which }] }
}

const namesWeek = ({ days, daysOfWeek }: Alternative): boolean =>
  days.some(({ kind }) => kind === 'span') && (daysOfWeek.length > 0 || days.some(({ kind }) => kind === 'weekday'))

/** "Monday or Wednesday morning": a day on its own gets the time of the next one that has a time. */
function shareTimes(one: Alternative, index: number, all: readonly Alternative[]): Alternative {
  if (one.times.length > 0 || one.instants.length > 0) return one
  return { ...one, times: all.slice(index + 1).find(({ times }) => times.length > 0)?.times ?? [] }
}
