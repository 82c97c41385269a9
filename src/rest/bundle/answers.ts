/** The entries of a batch-response or transaction-response: https://hl7.org/fhir/R4/http.html#transaction-response. */
import { STATUS_CODES } from 'node:http'
import { FhirError, toOutcome } from '../../fhir/outcome.ts'
import { etagOf, type InteractionResponse } from '../message/interaction.ts'
import { bodyText } from '../message/response-body.ts'
import type { Entry } from './entry.ts'

type Wanted = 'minimal' | 'representation'

/** Characters that the resources in an answer have together, before it is full. A process can't make a text of any length. */
const MOST_CHARACTERS = 64 * 1024 * 1024

/** In the order of the entries of the request; of each answer only the text is kept. */
export class Answers {
  readonly texts: string[] = []
  readonly #representation: boolean
  #characters = 0

  constructor(representation: boolean) {
    this.#representation = representation
  }

  get full(): boolean {
    return this.#characters > MOST_CHARACTERS
  }

  /** Whoever prefers a representation may get none, if the answer is full. */
  get wanted(): Wanted {
    return this.#representation && !this.full ? 'representation' : 'minimal'
  }

  set(index: number, text: string): void {
    this.#characters += text.length
    this.texts[index] = text
  }
}

export const tooMuch = (): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `What the Bundle reads is longer than ${MOST_CHARACTERS} characters; read the rest with another one`,
  })

/** Bundle.entry for what became of `entry`; a HEAD is answered without the resource. @throws FhirError, see bodyText */
export function responseText(response: InteractionResponse, { request, isHead }: Entry, wanted: Wanted): string {
  const { status, resource, location, outcome } = response
  return entryText(isHead ? undefined : bodyText(response, request, wanted), {
    status: statusText(status),
    ...(location === undefined ? {} : { location }),
    ...(resource === undefined
      ? {}
      : { etag: etagOf(resource.version), lastModified: new Date(resource.lastUpdated).toISOString() }),
    ...(outcome === undefined ? {} : { outcome }),
  })
}

export const failureText = ({ status, issues }: FhirError): string =>
  entryText(undefined, { status: statusText(status), outcome: toOutcome(issues) })

const entryText = (resource: string | undefined, response: object): string =>
  `{${resource === undefined ? '' : `"resource":${resource},`}"response":${JSON.stringify(response)}}`

const statusText = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim()
