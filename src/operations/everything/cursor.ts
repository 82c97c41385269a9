/** The page cursor of $everything. */
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'

/** Empty on the first page. */
export interface EverythingCursor {
  /** The current patient or encounter, which was itself returned on an earlier page. */
  readonly id?: string
  /** The store's cursor within its compartment; absent at its beginning. */
  readonly members?: string
  /** The store's cursor for the next patient; absent after the last one. */
  readonly list?: string
}

/** The opaque text of a cursor. */
export const writeEverythingCursor = (cursor: EverythingCursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** @throws FhirError 400 when it is not a cursor of $everything */
export function readEverythingCursor(text: string | undefined): EverythingCursor {
  if (text === undefined) return {}
  const { id, members, list } = parsed(text)
  if (![id, members, list].every((part) => part === undefined || typeof part === 'string')) throw invalidCursor()
  if (id === undefined && list === undefined) throw invalidCursor()
  return { ...textAs('id', id), ...textAs('members', members), ...textAs('list', list) }
}

const textAs = (name: keyof EverythingCursor, value: unknown): EverythingCursor =>
  typeof value === 'string' ? { [name]: value } : {}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Reported below.
  }
  throw invalidCursor()
}

const invalidCursor = (): FhirError =>
  badRequest('The page cursor is not one of $everything; follow the next link as given, or start again', {
    expression: '_cursor',
  })
