/** Checks a plan as it is loaded: what is wrong is said with the step and the word that it is in. docs/plans.md */
import { Duration } from 'luxon'
import { didYouMean } from '../../fhir/closest-name.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { compileUserExpression } from '../../fhir/fhirpath/fhirpath.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { INTERACTIONS } from '../faults/matching.ts'
import { parseRule } from '../faults/rules.ts'
import type { Plan } from './plan.ts'

/**
 * A check of a value. @returns where it is wrong: the path within the value, `.name` for a member and `[0]` for an item, and
 * then what must be there: ` must be a text of 1 to 500 characters`
 */
type Check = (value: unknown) => string | undefined
type Members = Readonly<Record<string, Check>>

/** `times`: as many exchanges as the journal keeps of a run. */
const MOST = { steps: 60, list: 20, text: 500, description: 2_000, names: 50, times: 200_000 }

const matching =
  (pattern: RegExp, said: string): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : ` must be ${said}`

const text =
  (most: number): Check =>
  (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= most
      ? undefined
      : ` must be a text of 1 to ${most} characters`

/** The same, of a value within another one. */
const within = (path: string, wrong: string | undefined): string | undefined => wrong && `${path}${wrong}`

const firstOf = (all: readonly (string | undefined)[]): string | undefined => all.find((wrong) => wrong !== undefined)

/** A sentence: `The plan: steps must be …`, `Plan tried, step 'look' must have 'title'`. */
const said = (what: string, wrong: string): string =>
  wrong.startsWith('.') ? `${what}: ${wrong.slice(1)}` : `${what}${wrong}`

const LINE = text(MOST.text)
/** Any value is meant by an empty one. */
const VALUE: Check = (value) => (value === '' ? undefined : LINE(value))
/** The name of a plan is the id of its TestScript. */
const NAME = matching(
  /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/,
  'lower-case words joined by hyphens, 64 characters at most',
)

/** The text of a value that is one, or a number; '' for others, which may not even become a text. */
const written = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '')

const oneOf =
  (known: readonly string[]): Check =>
  (value) =>
    known.includes(written(value)) || isPlaceholder(written(value))
      ? undefined
      : ` must be one of ${known.length > MOST.list ? 'those known' : known.join(', ')}; ${didYouMean(written(value), known, 'it is none')}`

const isPlaceholder = (value: string): boolean => /^\{\{[\w-]+\}\}$/.test(value)

/** One value, or a list of alternatives. */
const orList =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return check(value)
    if (value.length === 0 || value.length > MOST.list) return ` must have 1 to ${MOST.list} items`
    return firstOf(value.map((one, index) => within(`[${index}]`, check(one))))
  }

const record =
  (check: Check): Check =>
  (value) => {
    if (!isObject(value) || Object.keys(value).length > MOST.names)
      return ` must be an object with at most ${MOST.names} members`
    return firstOf(Object.entries(value).map(([name, one]) => within(`.${name}`, check(one))))
  }

const duration: Check = (value) => {
  const read = typeof value === 'string' ? Duration.fromISO(value) : undefined
  return read?.isValid && read.toMillis() > 0 ? undefined : ' must be an ISO 8601 duration such as PT30S or PT2M'
}

const expression: Check = (value) => {
  if (LINE(value) !== undefined) return LINE(value)
  try {
    compileUserExpression(String(value))
    return undefined
  } catch (error) {
    return ` must be FHIRPath: ${error instanceof Error ? error.message : 'it cannot be read'}`
  }
}

const whole: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST.times
    ? undefined
    : ` must be a whole number from 0 to ${MOST.times}`

const times: Check = (value) => {
  if (typeof value === 'number') return whole(value)
  if (!isObject(value) || Object.keys(value).length === 0) return ' must be a number, or an object with least or most'
  const wrong = members({ least: whole, most: whole })(value)
  if (wrong !== undefined) return wrong
  return Number(value.least) > Number(value.most) ? '.least must not be above most' : undefined
}

const status: Check = (value) =>
  /^([1-5]\d\d|[1-5]xx|0)$/.test(written(value)) ? undefined : ' must be a status such as 409, or a class such as 4xx'

function wrongMember(known: Members, name: string, value: unknown): string | undefined {
  const check = Object.hasOwn(known, name) ? known[name] : undefined
  if (check !== undefined) return within(`.${name}`, check(value))
  const names = Object.keys(known)
  return ` has '${name.slice(0, 40)}', which is not known; ${didYouMean(name, names, `known are ${names.join(', ')}`)}`
}

/** An object that has only these members. */
const members =
  (known: Members, required: readonly string[] = []): Check =>
  (value) => {
    if (!isObject(value))
      return ` must be an object with ${required.length > 0 ? required.join(', ') : Object.keys(known).join(', ')}`
    const missing = required.find((name) => value[name] === undefined)
    if (missing !== undefined) return ` must have '${missing}'`
    return firstOf(Object.entries(value).map(([name, one]) => wrongMember(known, name, one)))
  }

const MATCHER = members({
  interaction: orList(oneOf([...INTERACTIONS, 'capabilities', 'tool'])),
  type: orList(oneOf(resourceTypes)),
  operation: orList(LINE),
  tool: orList(LINE),
  method: orList(oneOf(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  path: orList(matching(/^\/\S*$/, 'a path that begins with /')),
  query: record(orList(VALUE)),
  status: orList(status),
  headers: record(orList(VALUE)),
  request: orList(expression),
  response: orList(expression),
  arguments: record(() => undefined),
  result: record(() => undefined),
  same: orList(oneOf(['address', 'body', 'call', 'tool-call-id', 'arguments'])),
  soonerThan: (value) => (value === 'retry-after' ? undefined : duration(value)?.concat(", or 'retry-after'")),
})

const provoked: Check = (value) => {
  if (!isObject(value)) return ' must be an object with the fault that is met'
  if (isObject(value.when) && value.when.run !== undefined)
    return ".when.run must be absent, as it is for the run's own requests"
  const unknown = Object.keys(value).find((name) => !['fault', 'when', 'on', 'with'].includes(name))
  if (unknown !== undefined)
    return ` has '${unknown.slice(0, 40)}', which is not known; known are fault, when, on, with`
  try {
    parseRule('step', value)
    return undefined
  } catch (error) {
    return ` must be right: ${error instanceof Error ? error.message : ''}`
  }
}

/** Search result parameters that return fewer resources than match. */
const SHORTENING = ['_count', '_summary']

const search: Check = (value) => {
  const [, type = '', criteria] = /^([A-Za-z]+)\?(.*)$/s.exec(written(value)) ?? []
  if (!resourceTypes.includes(type) || LINE(value) !== undefined)
    return ' must be a search such as Appointment?status=booked, by a type that exists'
  const shorter = SHORTENING.find((name) => new URLSearchParams(criteria).has(name))
  return shorter === undefined ? undefined : ` must not have ${shorter}, as all matches are counted`
}

const STEP: Members = {
  id: NAME,
  title: LINE,
  source: LINE,
  optional: (value) => (value === true ? undefined : ' must be true, or absent'),
  do: provoked,
  expect: MATCHER,
  times,
  after: orList(MATCHER),
  within: duration,
  never: orList(MATCHER),
  state: orList(members({ query: search, count: times }, ['query', 'count'])),
  attest: LINE,
}

const PLAN: Members = {
  plan: NAME,
  title: LINE,
  version: matching(/^\d+\.\d+\.\d+$/, 'a semantic version such as 1.0.0'),
  description: text(MOST.description),
  scenario: NAME,
  names: record(LINE),
  steps: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= MOST.steps
      ? undefined
      : ` must be a list of 1 to ${MOST.steps} steps`,
}

const REQUIRED = ['plan', 'title', 'version', 'description', 'steps']

/** @throws FhirError 400 that names the step and what is wrong in it */
export function parsePlan(value: unknown): Plan {
  const wrong = members(PLAN, REQUIRED)(value)
  if (wrong !== undefined) throw badRequest(said('The plan', wrong))
  const plan = value as Plan
  requireSteps(plan)
  requireNames(plan)
  // A name may be wrong where it stands: one with a quote ends a text of FHIRPath.
  requireSteps(withNames(plan))
  return plan
}

function requireSteps(plan: Plan): void {
  const seen = new Set<string>()
  for (const [index, step] of plan.steps.entries()) {
    const named = `step ${isObject(step) && typeof step.id === 'string' ? `'${step.id.slice(0, 64)}'` : index + 1}`
    const inStep = members(STEP, ['id', 'title', 'source'])(step) ?? objectionTo(step)
    if (inStep !== undefined) throw badRequest(said(`Plan ${plan.plan}, ${named}`, inStep))
    if (seen.has(step.id))
      throw badRequest(`Plan ${plan.plan}: there are two steps '${step.id}'; each needs its own id`)
    seen.add(step.id)
  }
}

/** A combination of words that says nothing. */
function objectionTo(step: Plan['steps'][number]): string | undefined {
  const { do: provokes, expect, times: often, after, within: limit, never, state, attest } = step
  const hasExchange = provokes !== undefined || expect !== undefined
  if ([provokes, expect, after, never, state, attest].every((word) => word === undefined))
    return ' says nothing to judge by; give it do, expect, after, never, state or attest'
  if (limit !== undefined && after === undefined) return ".within needs 'after', whose time it limits"
  if (often !== undefined && expect === undefined) return ".times needs 'expect', whose matches it counts"
  const relative = [after ?? [], never ?? []]
    .flat()
    .some(({ same, soonerThan }) => same !== undefined || soonerThan !== undefined)
  if (relative && !hasExchange)
    return " must have 'expect' or 'do', as 'same' and 'soonerThan' compare with its exchange"
  return undefined
}

function requireNames({ plan, names = {}, steps }: Plan): void {
  for (const step of steps) {
    for (const [, name = ''] of JSON.stringify(step).matchAll(PLACEHOLDER)) {
      if (Object.hasOwn(names, name)) continue
      const hint = didYouMean(name, Object.keys(names), `known are ${Object.keys(names).join(', ') || 'none'}`)
      throw badRequest(
        `Plan ${plan}, step '${step.id}': the name {{${name}}} is not among the names of the plan; ${hint}`,
      )
    }
  }
}

const PLACEHOLDER = /\{\{([\w-]+)\}\}/g

/** The plan with its names put in. */
export function withNames(plan: Plan): Plan {
  const { names = {} } = plan
  const put = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(PLACEHOLDER, (whole, name) => names[name] ?? whole)
    if (Array.isArray(value)) return value.map(put)
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, put(one)])) : value
  }
  return { ...plan, steps: put(plan.steps) as Plan['steps'] }
}

/** @throws Error naming the file, where it is one, and what is wrong */
export function checkedPlan(file: string, value: unknown): Plan {
  try {
    return parsePlan(value)
  } catch (error) {
    throw error instanceof FhirError ? new Error(`${file}: ${error.message}`) : error
  }
}
