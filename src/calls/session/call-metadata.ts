/**
 * Metadata with which a request identifies its call: the id and the phone numbers at both ends, as platforms write them
 * (E.164, national, or a word for "withheld"); and the refusal of values that its platform has not filled in.
 */
import { type DialedNumber, dialedNumber, dialedNumbers } from '../../clinics/settings.ts'
import { MAX_CALL_ID_LENGTH } from '../../core/call-session.ts'
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import { parsePhone, phoneSpellings } from '../../matching/phones.ts'
import type { Repository } from '../../repository/repository.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'

/** Words sent by networks in place of a withheld number. */
const WITHHELD_WORDS = ['anonymous', 'blocked', 'private', 'restricted', 'unavailable', 'unknown'] as const

/** Keypad digits for these words, which networks also send. */
const WITHHELD: ReadonlySet<string> = new Set(WITHHELD_WORDS.map(keyed))

/** Turns `private` into 7748283, by the letters on telephone keys (ITU-T E.161). */
function keyed(word: string): string {
  return word.replace(/[a-z]/g, (letter) => '22233344455566677778889999'.charAt(letter.charCodeAt(0) - 97))
}

/**
 * The number of a caller in E.164. As patients are looked up by it, it is undefined for anything but one person's
 * number: words, SIP names, numbers too short or too long for their country, withheld numbers, and a single repeated
 * digit.
 * @param region ISO 3166 code of the clinic's country, for numbers without a country code
 */
export function readCallerNumber(text: string, region: string | undefined): string | undefined {
  const read = spokenPhone(text, region)
  if (!read.ok || WITHHELD.has(text.replace(/\D/g, ''))) return undefined
  const parsed = parsePhone(read.value)
  if (parsed === undefined || !parsed.isPossible() || /^(\d)\1*$/.test(parsed.nationalNumber)) return undefined
  return parsed.number
}

/**
 * Most numbers of clinics that are compared; beyond that, a dialled number without a country code identifies no clinic.
 */
const MAX_NUMBERS = 10_000

/**
 * The dialled number, and its clinic. A national form counts if it fits exactly one of all numbers.
 * @param most numbers that a national form is compared with
 */
export async function findDialedNumber(
  repository: Repository,
  text: string,
  most = MAX_NUMBERS,
): Promise<DialedNumber | undefined> {
  const read = spokenPhone(text, undefined)
  if (!read.ok) return undefined
  if (read.value.startsWith('+')) return await dialedNumber(repository, read.value)
  const all = await dialedNumbers(repository, most + 1)
  const matching = all.filter(({ number }) => phoneSpellings(number).includes(read.value))
  return matching.length === 1 && all.length <= most ? matching[0] : undefined
}

/** Whether `text` is a spelling of the dialled number of a call. */
export function isSpellingOf(text: string, number: string): boolean {
  const read = spokenPhone(text, undefined)
  return read.ok && phoneSpellings(number).includes(read.value)
}

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

/**
 * Whether a call id was sent by a platform that has not filled in its template: the template itself, or an absent value
 * as text. It identifies nobody, so two callers with the same value must not share a call. Includes all zeros and the words for a withheld number, as many
 * calls would have such an id.
 */
export function isUnfilledId(text: string): boolean {
  const bare = bareText(text)
  return isUnfilled(bare) || NOT_SHOWN.has(compact(bare)) || /^[0-]*$/.test(bare)
}

/** The same for a phone number. Excludes a blank text and the words for a withheld number: the caller then has no number. */
export function isUnfilledNumber(text: string): boolean {
  const bare = bareText(text)
  return text.trim() !== '' && isUnfilled(bare) && !NOT_SHOWN.has(compact(bare))
}

const isUnfilled = (bare: string): boolean =>
  isTemplate(bare) || !/[\p{L}\p{N}]/u.test(bare) || NOTHING.has(compact(bare)) || isFieldName(bare)

/** The text without percent-encoding and quotes; truncated to the maximum length of an id. */
const bareText = (text: string): string =>
  decoded(text.slice(0, MAX_CALL_ID_LENGTH)).replace(/^[\s"'`“”‘’\\]+|[\s"'`“”‘’\\]+$/g, '')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // An id may contain a percent sign that encodes nothing.
    return text
  }
}

/** Reads `N/A`, `n.a.` and `na` as the same word. */
const compact = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * The beginning of a template of any engine, at any position: {{ ${ #{ %{ @{ {% <% <? [[ &lt; %(name)s *| and Go's %!s(
 */
const BEGINNING = /\{\{|[$#%@]\{|\{%|<[%?]|\[\[|&lt;|%\(\w+\)s|\*\||%!\w?\(/

/** Names within the brackets or signs of a template. Braces may have text around them: call-{id}. */
const ENCLOSED = [
  /\{([^{}]*)\}/,
  /^<([^<>]*)>$/,
  /^\[([^[\]]*)\]$/,
  /^%+([a-z_].*?)%+$/i,
  /^#+([a-z_].*?)#+$/i,
  /^__(\w+?)__$/,
  /^\$\(?([a-z_][\w.]*|\d)\)?$/i,
  /^[:@]([a-z_][\w.]*)$/i,
] as const

const isTemplate = (bare: string): boolean =>
  BEGINNING.test(bare) || ENCLOSED.some((form) => isName(form.exec(bare)?.[1]))

/** A name has few digits and no @, unlike ids that platforms put in brackets: {UUID}, <id@host>. */
const isName = (text: string | undefined): boolean =>
  text !== undefined && /^[\w\s.,$|'"()/-]*$/.test(text) && text.replace(/\D/g, '').length < 4

/** Absent values as text, in the languages that platforms and their tools are written in. */
const ABSENT: ReadonlySet<string> = new Set(['undefined', 'undef', 'null', 'none', 'nil', 'nan'])

/** Compact words for nothing, and placeholders from forms and examples. */
const NOTHING: ReadonlySet<string> = new Set([
  ...ABSENT,
  ...['na', 'nothing', 'novalue', 'notset', 'notapplicable', 'unset', 'void', 'empty', 'blank', 'missing', 'dbnull'],
  ...['nonetype', 'optionalempty', 'objectobject', 'objectpromise', 'true', 'false', 'string', 'placeholder'],
  ...['changeme', 'todo', 'tbd'],
])

/** Compact words for a number that is not shown. */
const NOT_SHOWN: ReadonlySet<string> = new Set([...WITHHELD_WORDS, 'hidden', 'notavailable', 'withheld'])

/** Words in the names of fields: callId, YOUR_CALL_ID, x-call-from, message.call.id, system__caller_id. */
const OF_NAMES: ReadonlySet<string> = new Set([
  ...['x', 'your', 'my', 'the', 'insert', 'enter', 'call', 'caller', 'called', 'callee', 'dialed', 'dialled', 'phone'],
  ...['customer', 'conversation', 'session', 'system', 'message', 'control', 'leg', 'contact', 'interaction', 'sip'],
])
const ENDS_OF_NAMES: ReadonlySet<string> = new Set(['id', 'sid', 'uuid', 'guid', 'number', 'from', 'to'])

/** Includes a name with a word for nothing, as produced by a prefix before a template: call-undefined. */
function isFieldName(bare: string): boolean {
  return [bare, bare.replace(/([a-z])([A-Z])/g, '$1 $2')].some((text) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const isKnown = words.every((word) => OF_NAMES.has(word) || ENDS_OF_NAMES.has(word) || ABSENT.has(word))
    return isKnown && (words.some((word) => ABSENT.has(word)) || ENDS_OF_NAMES.has(words.at(-1) ?? ''))
  })
}
