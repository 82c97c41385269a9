/** The checks of rules: whether each holds for a request, and what is wrong where it does not. */
import { compileFhirPath, isSatisfied } from '../../fhir/fhirpath/fhirpath.ts'
import type { Check, JudgedRequest, Media } from './profile.ts'

type Name = Exclude<keyof Check, 'unless'>

/** The words for what is wrong with a request; undefined where the check holds. */
type Problem = (value: never, request: JudgedRequest) => string | undefined

const CHECKS: { readonly [N in Name]: (value: NonNullable<Check[N]>, request: JudgedRequest) => string | undefined } = {
  offered: (_never, { title }) => `${title} is not offered`,
  parameters: (allowed, { query }) => {
    const other = namesIn(query).find((name) => !allowed.includes(name) && !GENERAL.has(name))
    return other === undefined ? undefined : `the search parameter ${other} is not one of ${allowed.join(', ')}`
  },
  query: (expression, { query }) =>
    isSatisfied(compileFhirPath(expression), { parameter: parametersIn(query) })
      ? undefined
      : `the search has ${query.size === 0 ? 'no parameters' : `the parameters ${[...query.keys()].join(', ')}`}`,
  body: (expression, { body }) =>
    isSatisfied(compileFhirPath(expression), Array.isArray(body) ? { operation: body } : body)
      ? undefined
      : 'the body is not so',
  header: (_name, { ifMatch }) => (ifMatch === undefined ? 'the header If-Match is missing' : undefined),
  formats: (allowed, { media }) => {
    const other = formatsOf(media).find((one) => !allowed.some((format) => format === one))
    return other === undefined ? undefined : `${other} is not one of the formats ${allowed.join(', ')}`
  },
  contentTypes: (allowed, { media: { sent } }) =>
    sent === undefined || allowed.includes(sent) ? undefined : `the Content-Type is ${sent}`,
}

/** The words for what is wrong with a request by a check; undefined where it holds. */
export function problemOf(check: Check, request: JudgedRequest): string | undefined {
  const [name, value] = Object.entries(check)[0] ?? []
  const problem: Problem | undefined = CHECKS[name as Name]
  return problem?.(value as never, request)
}

/** The formats of resources in the body and in the answer. */
const formatsOf = ({ sent, answered }: Media): readonly string[] => [
  ...(sent?.includes('xml') ? ['xml'] : []),
  ...(answered === undefined ? [] : [answered]),
]

/** Parameters of every request, and that of this server's links to further pages: https://hl7.org/fhir/R4/http.html#parameters. */
const GENERAL: ReadonlySet<string> = new Set(['_format', '_pretty', '_cursor'])

/** Without modifiers and chains: `patient` for `patient:Patient` and `patient.name`. */
const nameOf = (parameter: string): string => parameter.split(/[:.]/, 1)[0] ?? ''

const namesIn = (query: URLSearchParams): readonly string[] => [...query.keys()].map(nameOf)

const parametersIn = (query: URLSearchParams): readonly object[] =>
  [...query].flatMap(([parameter, value]) => {
    const name = nameOf(parameter)
    return GENERAL.has(name) ? [] : [{ name, modifier: parameter.slice(name.length), value }]
  })
