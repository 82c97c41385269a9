/** The words of a step as sentences. docs/plans.md */
import type { FaultSetting } from '../../api/faults.ts'
import { isRecord } from '../../api/problem.ts'
import type { PlanStep } from '../../api/rehearsal-answers.ts'
import { ruleText } from '../../parts/rule-text.ts'

type Sentence = readonly [word: string, text: string]

/** Each word of the step that it has, in the order in which they are judged. */
export function wordsOf(step: PlanStep): readonly Sentence[] {
  return Object.entries(WORDS).flatMap(([word, textOf]): readonly Sentence[] =>
    step[word] === undefined ? [] : [[TITLES[word] ?? word, textOf(step[word])]],
  )
}

const TITLES: Readonly<Record<string, string>> = {
  do: 'Provokes',
  expect: 'Expects',
  times: 'How often',
  after: 'Then',
  within: 'Within',
  never: 'Never',
  state: 'At the end',
  attest: 'To attest',
}

const WORDS: Readonly<Record<string, (value: unknown) => string>> = {
  do: (value) => faultText(value as FaultSetting),
  expect: matcherText,
  times: timesText,
  after: (value) => [value].flat().map(matcherText).join('; then '),
  within: String,
  never: (value) => [value].flat().map(matcherText).join('; nor '),
  state: (value) => [value].flat().map(stateText).join('; '),
  attest: String,
}

function faultText(rule: FaultSetting): string {
  const { on = [1] } = rule
  return `${rule.fault}: ${ruleText({ ...rule, on }, 'requests of the run')}`
}

function stateText(state: unknown): string {
  const { query, count } = isRecord(state) ? state : {}
  return `${query} finds ${timesText(count)}`
}

function timesText(times: unknown): string {
  if (!isRecord(times)) return String(times)
  const { least, most } = times
  if (least === undefined) return `at most ${most}`
  return most === undefined ? `at least ${least}` : `${least} to ${most}`
}

/** Members of which the value alone says enough. */
const PLAIN = ['tool', 'method', 'interaction', 'type', 'operation', 'path']

/** Words before the value of other members. */
const SAID: Readonly<Record<string, string>> = {
  query: 'with',
  headers: 'with the headers',
  arguments: 'with the arguments',
  status: 'with the status',
  result: 'with the result',
  request: 'whose request has',
  response: 'whose response has',
  same: 'with the same',
  soonerThan: 'sooner than',
}

/** `search-type Slot with status free, start ge* or gt*` */
function matcherText(matcher: unknown): string {
  if (!isRecord(matcher)) return String(matcher)
  const plain = PLAIN.flatMap((name) => (matcher[name] === undefined ? [] : [valueText(matcher[name])]))
  const others = Object.entries(SAID).flatMap(([name, said]) =>
    matcher[name] === undefined ? [] : [`${said} ${valueText(matcher[name])}`],
  )
  return [plain.join(' ') || 'a request', ...others].join(', ')
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' or ')
  if (!isRecord(value)) return String(value)
  return Object.entries(value)
    .map(([name, one]) => (one === '' ? name : `${name} ${valueText(one)}`))
    .join(', ')
}
