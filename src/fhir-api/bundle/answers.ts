/** The entries of a batch-response or transaction-response: https://hl7.org/fhir/R4/http.html#transaction-response. */
import { STATUS_CODES } from 'node:http'
import { FhirError, toOutcome } from '../../fhir/outcome.ts'
import type { BudgetError } from '../../isolation/budget.ts'
import type { Access } from '../../record/audit/event.ts'
import { bodyText, etagOf } from '../message/http.ts'
import type { InteractionResponse } from '../message/interaction.ts'
import type { Entry } from './entry.ts'

type Wanted = 'minimal' | 'representation'

/** Characters of all resources in a response, after which it is full: the length of a string is limited. */
const MAX_CHARACTERS = 64 * 1024 * 1024

/** The response to an entry, and its access. */
export interface EntryAnswer {
  readonly text: string
  readonly access: Access
}

/** The responses as texts, in the order of the entries of the request. */
export class Answers {
  readonly texts: string[] = []
  /** The accesses that the entries performed or attempted. */
  readonly accesses: Access[] = []
  readonly #representation: boolean
  #characters = 0

  constructor(representation: boolean) {
    this.#representation = representation
  }

  get full(): boolean {
    return this.#characters > MAX_CHARACTERS
  }

  /** Without representations once the response is full, even if the client prefers them. */
  get wanted(): Wanted {
    return this.#representation && !this.full ? 'representation' : 'minimal'
  }

  set(index: number, { text, access }: EntryAnswer): void {
    this.#characters += text.length
    this.texts[index] = text
    this.accesses.push(access)
  }

  /** Adds the response to an entry that cannot be read. */
  refuse(index: number, text: string): void {
    this.texts[index] = text
  }
}

export const tooMuch = (): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `What the Bundle reads is longer than ${MAX_CHARACTERS} characters; read the rest with another one`,
  })

/** The error of an entry of a batch after the budget of the request has ended. */
export const notCarriedOut = ({ reason, what }: BudgetError): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics:
      `The batch takes ${reason === 'too late' ? 'longer' : 'more work'} than one request may, and this entry was not ` +
      `carried out. What took most here was ${what}. Send it again in another request, or ask for less at a time`,
  })

/** Bundle.entry for the response to `entry`; without the resource for a HEAD. @throws FhirError, see bodyText */
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
