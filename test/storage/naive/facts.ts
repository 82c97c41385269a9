/**
 * A table of facts, one row for each value that a holder is found by, and which of its rows a condition selects.
 * Rows are selected as sets; nothing here looks at one resource at a time, as the code under test does.
 */
import type { Condition, IndexEntry, RangeBounds } from '../../../src/search/plan.ts'
import { compareValues } from './values.ts'

export interface Fact<Holder, Entry extends IndexEntry = IndexEntry> {
  readonly holder: Holder
  readonly entry: Entry
}

type Kind = IndexEntry['kind']
type Column<Holder, Of extends Kind> = readonly Fact<Holder, Extract<IndexEntry, { kind: Of }>>[]

/** A condition on the values of one parameter. */
export type ValueCondition = Extract<Condition, { kind: Kind }>
type ConditionOf<Of extends Kind> = Extract<Condition, { kind: Of }>

/** The rows of one parameter. */
export function column<Holder, Of extends Kind>(
  facts: readonly Fact<Holder>[],
  kind: Of,
  param: string,
): Column<Holder, Of> {
  return facts.filter((fact) => fact.entry.kind === kind && fact.entry.param === param) as unknown as Column<Holder, Of>
}

export const holders = <Holder>(facts: Iterable<Fact<Holder>>): ReadonlySet<Holder> =>
  new Set([...facts].map(({ holder }) => holder))

export function selected<Holder>(facts: readonly Fact<Holder>[], condition: ValueCondition): ReadonlySet<Fact<Holder>> {
  const { kind, param } = condition
  switch (kind) {
    case 'string':
      return byText(column(facts, kind, param), condition)
    case 'words':
      return byWord(column(facts, kind, param), condition)
    case 'token':
      return byAnswer(column(facts, kind, param), codingAnswers, codingQuestion(condition))
    case 'reference':
      return byAnswer(column(facts, kind, param), referenceAnswers, referenceQuestion(condition))
    case 'uri':
      return byAddress(column(facts, kind, param), condition)
    case 'date':
      return byRange(column(facts, kind, param), condition.bounds)
    case 'number':
      return byRange(column(facts, kind, param), condition.bounds)
    case 'quantity': {
      const rows = column(facts, kind, param)
      return byRange(rows, condition.bounds).intersection(byAnswer(rows, codingAnswers, codingQuestion(condition)))
    }
    case 'position':
      return byChord(column(facts, kind, param), condition)
    case 'composite':
      return byParts(column(facts, kind, param), condition)
  }
}

// Strings: a text is the list of its runs of code points; order is the place in a sorted list of all texts.

function byText<Holder>(
  rows: Column<Holder, 'string'>,
  { match, value }: ConditionOf<'string'>,
): ReadonlySet<Fact<Holder>> {
  if (match === 'exact') return new Set(rows.filter(({ entry }) => [...entry.exact].join() === [...value].join()))
  const texts = textsBy(match, value, [...new Set(rows.map(({ entry }) => entry.folded))])
  return new Set(rows.filter(({ entry }) => texts.includes(entry.folded)))
}

/** Tokens whose codes begin or end so. */
export function partly<Holder>(
  facts: readonly Fact<Holder>[],
  { param, match, value }: Extract<Condition, { kind: 'token-part' }>,
): ReadonlySet<Fact<Holder>> {
  const rows = column(facts, 'token', param)
  const texts = textsBy(match, value, [...new Set(rows.map(({ entry }) => entry.code))])
  return new Set(rows.filter(({ entry }) => texts.includes(entry.code)))
}

/** Each word is a text of its own. */
function byWord<Holder>(
  rows: Column<Holder, 'words'>,
  { match, value }: ConditionOf<'words'>,
): ReadonlySet<Fact<Holder>> {
  const found = rows.filter(({ entry }) => textsBy(match, value, entry.words.split(' ')).length > 0)
  return new Set<Fact<Holder>>(found)
}

function textsBy(
  match: Exclude<ConditionOf<'string'>['match'], 'exact'>,
  value: string,
  texts: readonly string[],
): readonly string[] {
  const inOrder = [...new Set([...texts, value])].sort(compareValues)
  const place = inOrder.indexOf(value)
  switch (match) {
    case 'prefix':
      return texts.filter((text) => runs(text, value)[0] === value)
    case 'suffix':
      return texts.filter((text) => runs(text, value).at(-1) === value)
    case 'contains':
      return texts.filter((text) => runs(text, value).includes(value))
    case 'equal':
      return texts.filter((text) => runs(text, value).length === 1 && runs(text, value)[0] === value)
    case 'greater':
      return inOrder.slice(place + 1)
    case 'less':
      return inOrder.slice(0, place).filter((text) => text !== '')
  }
}

/** The runs of `text` that are as long as `other`, from first to last. */
function runs(text: string, other: string): readonly string[] {
  const [letters, { length }] = [[...text], [...other]]
  const places = Math.max(0, letters.length - length + 1)
  return Array.from({ length: places }, (_, at) => letters.slice(at, at + length).join(''))
}

// Tokens and references: each value is written out as every condition that it fulfils.

function byAnswer<Holder, Entry extends IndexEntry>(
  rows: readonly Fact<Holder, Entry>[],
  answers: (entry: Entry) => readonly string[],
  question: string,
): ReadonlySet<Fact<Holder>> {
  const index = new Map<string, Set<Fact<Holder>>>()
  for (const row of rows) {
    for (const answer of answers(row.entry)) index.set(answer, (index.get(answer) ?? new Set()).add(row))
  }
  return index.get(question) ?? new Set()
}

const ANY = null
const pairs = (ones: readonly unknown[], others: readonly unknown[]): readonly string[] =>
  ones.flatMap((one) => others.map((other) => JSON.stringify([one, other])))

interface Coding {
  readonly system?: string
  readonly code?: string
}

const codingAnswers = ({ system, code }: Required<Coding>) => pairs([ANY, system], [ANY, code])
const codingQuestion = ({ system = ANY, code = ANY }: { system?: string | null; code?: string | null }) =>
  JSON.stringify([system, code])

type ReferenceEntry = Extract<IndexEntry, { kind: 'reference' }>

const referenceAnswers = ({ type, id, version }: ReferenceEntry) =>
  pairs(
    [ANY, type],
    [ANY, ...versionAnswers(version)].map((one) => [id, one]),
  )

/** 1.2.3 is itself, and below 1, 1.2 and 1.2.3. */
function versionAnswers(version: string | undefined): readonly string[] {
  const segments = version?.split('.') ?? []
  const below = segments.map((_, at) => `below ${segments.slice(0, at + 1).join('.')}`)
  return version === undefined ? [] : [`is ${version}`, ...below]
}

function referenceQuestion({ type, id, version, versions }: ConditionOf<'reference'>): string {
  const asked = version === undefined ? ANY : `${versions ?? 'is'} ${version}`
  return JSON.stringify([type ?? ANY, [id, asked]])
}

// Addresses: the common part is cut off, and nothing is left of it.

function byAddress<Holder>(
  rows: Column<Holder, 'uri'>,
  { match, value }: ConditionOf<'uri'>,
): ReadonlySet<Fact<Holder>> {
  const same = rows.filter(({ entry }) => entry.value === value)
  switch (match) {
    case 'exact':
      return new Set(same)
    case 'below':
      return new Set([...same, ...rows.filter(({ entry }) => isInside(entry.value, value))])
    case 'above':
      return new Set([
        ...same,
        ...rows.filter(({ entry: { value: above } }) => above.length <= 200 && isInside(value, above)),
      ])
  }
}

const isInside = (address: string, folder: string): boolean => address.slice(0, folder.length) === folder

// Ranges: rows in the order of one end, cut off before and after the bounds.

type Ranged = IndexEntry & { readonly low: number; readonly high: number }

const byRange = <Holder>(
  rows: readonly Fact<Holder, Ranged>[],
  { lowMin, lowMax, highMin, highMax }: RangeBounds,
): ReadonlySet<Fact<Holder>> =>
  between(rows, ({ entry }) => entry.low, lowMin, lowMax).intersection(
    between(rows, ({ entry }) => entry.high, highMin, highMax),
  )

export function between<Row>(
  rows: readonly Row[],
  numberOf: (row: Row) => number,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): ReadonlySet<Row> {
  const inOrder = rows.toSorted((one, other) => compareValues(numberOf(one), numberOf(other)))
  const values = inOrder.map(numberOf)
  const before = values.filter((value) => value < min).length
  const behind = values.filter((value) => value > max).length
  return new Set(inOrder.slice(before, Math.max(before, inOrder.length - behind)))
}

// Places: points in space, compared by the straight line through the Earth.

function byChord<Holder>(
  rows: Column<Holder, 'position'>,
  { distance, ...center }: ConditionOf<'position'>,
): ReadonlySet<Fact<Holder>> {
  const angle = distance / EARTH
  if (angle >= Math.PI) return new Set(rows)
  const chord = 2 * Math.sin(angle / 2)
  const from = pointOf(center)
  const lengthTo = (to: readonly number[]) => Math.hypot(...to.map((value, axis) => value - (from[axis] ?? 0)))
  return between(rows, ({ entry }) => lengthTo(pointOf(entry)), 0, chord)
}

/** Mean radius in metres. */
const EARTH = 6_371_008.8

/** On a sphere of radius 1. */
function pointOf({ latitude, longitude }: { latitude: number; longitude: number }): readonly number[] {
  const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)]
}

// Composites: the parts in each place are a table of their own, whose holders are the composite rows.

function byParts<Holder>(
  rows: Column<Holder, 'composite'>,
  { parts }: ConditionOf<'composite'>,
): ReadonlySet<Fact<Holder>> {
  return parts.reduce<ReadonlySet<Fact<Holder>>>((left, part, place) => {
    const table = rows.flatMap((row) =>
      row.entry.parts.slice(place, place + 1).map((entry) => ({ holder: row, entry })),
    )
    return left.intersection(holders(selected<Fact<Holder>>(table, part)))
  }, new Set(rows))
}
