/** Where the next page of $everything goes on. */
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'

/** Empty on the first page. */
export interface EverythingCursor {
  /** The patient or encounter whose data are under way, itself already answered. */
  readonly id?: string
  /** The store's cursor among its data; from the first on where absent. */
  readonly members?: string
  /** The store's cursor among the patients; none come after this one where it is absent. */
  readonly list?: string
}

export const writeCursor = (cursor: EverythingCursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** @throws FhirError 400 */
export function readCursor(text: string | undefined): EverythingCursor {
  if (text === undefined) return {}
  const { id, members, list } = parsed(text)
  if (![id, members, list].every((part) => part === undefined || typeof part === 'string')) throw notOurs()
  if (id === undefined && list === undefined) throw notOurs()
  return { ...textAs('id', id), ...textAs('members', members), ...textAs('list', list) }
}

const textAs = (name: keyof EverythingCursor, value: unknown): EverythingCursor =>
  typeof value === 'string' ? { [name]: value } : {}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw notOurs()
}

const notOurs = (): FhirError =>
  badRequest('The page cursor is none of $everything; follow the next link as given, or ask anew', {
    expression: '_cursor',
  })
