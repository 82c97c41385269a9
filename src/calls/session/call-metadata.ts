/** Metadata with which a request identifies its call, and the refusal of values that its platform has not filled in. */
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import { isUnfilledId, isUnfilledNumber } from './unfilled-values.ts'

/** Values from headers, or from the body if the service trusts it. */
export interface CallMetadata {
  readonly callId?: string
  readonly dialedNumber?: string
  readonly callerNumber?: string
  /** Names of the values from the body; the others are from headers. */
  readonly inBody?: readonly MetadataField[]
}

export const METADATA_FIELDS = ['callId', 'dialedNumber', 'callerNumber'] as const
export type MetadataField = (typeof METADATA_FIELDS)[number]

interface FieldFacts {
  readonly header: string
  readonly inBody: string
  readonly isUnfilled: (text: string) => boolean
  readonly expected: string
}

const FIELDS: Readonly<Record<MetadataField, FieldFacts>> = {
  callId: {
    header: 'x-call-id',
    inBody: 'the call id in the body',
    isUnfilled: isUnfilledId,
    expected: 'it must hold the id of the call',
  },
  dialedNumber: {
    header: 'x-call-to',
    inBody: 'the dialled number in the body',
    isUnfilled: isUnfilledNumber,
    expected: 'it must hold the dialled number',
  },
  callerNumber: {
    header: 'x-call-from',
    inBody: "the caller's number in the body",
    isUnfilled: isUnfilledNumber,
    expected: "it must hold the caller's number, or be left out where there is none",
  },
}

/** @throws FhirError 400 `call-not-identified` naming each header, or body field, with an unfilled template */
export function requireFilledIn({ inBody = [], ...metadata }: CallMetadata): void {
  const issues = METADATA_FIELDS.flatMap((field) => {
    const names = FIELDS[field]
    return unfilledIssues(field, metadata[field], inBody.includes(field) ? names.inBody : names.header)
  })
  if (issues.length > 0) throw new FhirError(400, issues)
}

/**
 * The issue of an unfilled value; none for an absent or filled one. @param where the header or field with the value,
 * for the message
 */
export function unfilledIssues(field: MetadataField, text: unknown, where: string): readonly Issue[] {
  const { isUnfilled, expected } = FIELDS[field]
  if (typeof text !== 'string' || !isUnfilled(text)) return []
  const held =
    text === '' ? 'is empty' : `holds '${text.slice(0, MAX_QUOTED)}', an unfilled template or a word for nothing`
  const diagnostics = `call not identified: ${where} ${held}; ${expected}`
  return [{ code: 'invalid', diagnostics, reason: 'call-not-identified' }]
}

/** Most characters of a value quoted in a message. */
const MAX_QUOTED = 64
