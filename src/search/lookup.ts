/**
 * What has to be looked up before a search is a plan: the codes of a value set, what is above or below a code or a
 * resource. The parser asks, and reads on as if nothing were found; when it has been answered, it parses again.
 */
import { FhirError } from '../fhir/outcome.ts'
import type { Condition } from './plan.ts'

export type Direction = 'above' | 'below'

/** `name` is the parameter with its value, as the client wrote them; the answer is a condition on `param`. */
export type Question = { readonly name: string; readonly param: string } & (
  | {
      readonly kind: 'value-set'
      /** `url`, `url|version` or `ValueSet/id`. */
      readonly valueSet: string
    }
  | { readonly kind: 'code'; readonly direction: Direction; readonly system: string; readonly code: string }
  | {
      readonly kind: 'resource'
      readonly direction: Direction
      readonly type: string
      readonly id: string
      /** The reference parameter of `type` that leads upwards: `partof` of Location. */
      readonly parent: string
    }
  /** The media types that occur and are of this kind: `image`, or `text/xml` whatever its parameters. */
  | { readonly kind: 'media-type'; readonly types: readonly string[]; readonly mediaType: string }
)

export type Ask = (question: Question) => Condition

/** In one search: each takes some reads. */
const MOST_QUESTIONS = 20

const NOTHING: Condition = { kind: 'any', of: [] }

/**
 * What `parse` makes of it with every question answered.
 * @throws FhirError 400 when there are too many
 */
export async function answered<Parsed>(
  parse: (ask: Ask) => Parsed,
  answer: (question: Question) => Promise<Condition>,
): Promise<Parsed> {
  const known = new Map<string, Condition>()
  for (;;) {
    const open = new Map<string, Question>()
    const parsed = parse((question) => {
      const key = JSON.stringify(question)
      const found = known.get(key)
      if (found === undefined) open.set(key, question)
      return found ?? NOTHING
    })
    if (open.size === 0) return parsed
    if (known.size + open.size > MOST_QUESTIONS) throw tooMany()
    for (const [key, question] of open) known.set(key, await answer(question))
  }
}

const tooMany = (): FhirError =>
  new FhirError(400, {
    code: 'too-costly',
    diagnostics: `The search names more than ${MOST_QUESTIONS} value sets and hierarchies; search in parts`,
  })
