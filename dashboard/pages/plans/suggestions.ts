/** The words and names that may stand at a place of a plan. docs/plans.md */
import type { Fault } from '../../api/faults.ts'
import { NAME, type Place } from '../../parts/json-editor/json-place.ts'
import { matching, type Suggestion } from '../../parts/json-editor/suggestion.ts'

/** Names that the server has. */
export interface Known {
  readonly faults: readonly Fault[]
  readonly scenarios: readonly Suggestion[]
  readonly tools: readonly Suggestion[]
  readonly types: readonly string[]
  /** With `$`. */
  readonly operations: readonly string[]
  /** References of magic people: `Patient/magic-certain`. */
  readonly people: readonly Suggestion[]
}

type Words = Readonly<Record<string, string>>

const MATCHER: Words = {
  interaction: 'as the journal shows it',
  type: 'of the resource',
  operation: 'with its $',
  tool: 'of live calls',
  method: 'of HTTP',
  path: 'below the base; a final * is its beginning',
  query: 'parameters of the search',
  status: '409, or a class: "4xx"',
  headers: 'of the request, in lower case',
  request: 'FHIRPath over its body that is true',
  response: 'FHIRPath over its body that is true',
  arguments: 'of the tool call',
  result: 'of the tool call',
  same: "as in the step's exchange",
  soonerThan: "after the step's exchange",
}
const TIMES: Words = { least: 'at least so often', most: 'at most so often' }

/** The members of objects, by the member that they are the value of. */
const MEMBERS: Readonly<Record<string, Words>> = {
  '': {
    plan: 'its name: lower-case words joined by hyphens',
    title: 'what it is called',
    version: 'a semantic version',
    description: 'what it is for',
    scenario: 'the scenario that it is made for',
    names: 'texts that steps use as {{name}}',
    steps: '1 to 60',
  },
  steps: {
    id: 'lower-case words joined by hyphens',
    title: 'what the client should do',
    source: 'where it is said that it should',
    optional: 'true where it need not be seen',
    do: 'a fault that requests of the run meet',
    expect: "the step's exchange",
    times: 'how many exchanges match expect',
    after: "comes later than the step's",
    within: 'the time to the last of after',
    never: 'must not come later',
    state: 'searches when the run is finished',
    attest: 'a sentence that a person says is true or not',
  },
  do: { fault: 'its name', when: 'requests that meet it', on: 'which of them, from 1', with: 'its parameters' },
  expect: MATCHER,
  after: MATCHER,
  never: MATCHER,
  state: { query: 'a search', count: 'of its matches' },
  times: TIMES,
  count: TIMES,
}

const INTERACTIONS = [
  ...['read', 'vread', 'search-type', 'search-system', 'search-compartment', 'create', 'update', 'patch', 'delete'],
  ...[
    'history-instance',
    'history-type',
    'history-system',
    'operation',
    'batch',
    'transaction',
    'capabilities',
    'tool',
  ],
]
/** Conditions of the requests that meet a fault, but for the run, which they are of anyway. */
const CONDITIONS = ['interaction', 'type', 'path', 'query', 'call', 'tool']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const SAME = ['address', 'body', 'call', 'tool-call-id', 'arguments']

/** @param names of the plan */
export const suggestionsAt = (place: Place, known: Known, names: readonly string[]): readonly Suggestion[] =>
  matching(place.isName ? membersAt(place, known) : valuesAt(place, known, names), place.word)

const plain = (texts: readonly string[]): readonly Suggestion[] => texts.map((text) => ({ text }))

function membersAt({ path }: Place, { faults }: Known): readonly Suggestion[] {
  const last = path.at(-1) ?? ''
  if (path.includes('do') && last === 'when') return plain(CONDITIONS)
  if (path.includes('do') && last === 'with')
    return faults.flatMap(({ name, parameters }) =>
      Object.keys(parameters).map((text) => ({ text, hint: `of ${name}` })),
    )
  return Object.entries(MEMBERS[last] ?? {}).map(([text, hint]) => ({ text, hint }))
}

function valuesAt({ path, word }: Place, known: Known, names: readonly string[]): readonly Suggestion[] {
  if (word.startsWith(NAME)) return names.map((name) => ({ text: `{{${name}}}` }))
  switch (path.at(-1)) {
    case 'fault':
      return known.faults.map(({ name, title }) => ({ text: name, hint: title }))
    case 'interaction':
      return plain(INTERACTIONS)
    case 'type':
      return plain(known.types)
    case 'operation':
      return plain(known.operations)
    case 'tool':
      return known.tools
    case 'method':
      return plain(METHODS)
    case 'same':
      return plain(SAME)
    case 'soonerThan':
      return plain(['retry-after', 'PT5S'])
    case 'within':
      return plain(['PT30S', 'PT2M'])
    case 'scenario':
      return known.scenarios
    default:
      return path.at(-2) === 'names' ? known.people : []
  }
}

/** The names of a plan, which may not be readable as JSON yet. */
export function namesIn(text: string): readonly string[] {
  const [, members = ''] = /"names"\s*:\s*\{([^}]*)\}/.exec(text) ?? []
  return [...members.matchAll(/"([\w-]+)"\s*:/g)].flatMap(([, name]) => name ?? [])
}

/** The range of a step in the text, by its id. */
export function rangeOfStep(text: string, id: string): { readonly from: number; readonly to: number } | undefined {
  const found = new RegExp(`"id"\\s*:\\s*"${id.replace(/[^\w-]/g, '')}"`).exec(text)
  return found === null ? undefined : { from: found.index, to: found.index + found[0].length }
}
