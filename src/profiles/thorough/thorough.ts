/**
 * Further checks of $validate: rules of R4 that are stated in its text but not as a constraint, and probable mistakes; URIs
 * that must be absolute, UUIDs and OIDs (https://hl7.org/fhir/R4/datatypes.html#uri,
 * https://hl7.org/fhir/R4/references.html#canonical). No write is refused for them.
 */

import { elementsByName } from '../../fhir/definitions.ts'
import { isAbsolute } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { PRIMITIVES } from '../../fhir/validate/primitives.ts'
import { shortened } from '../../fhir/validate/report.ts'
import { Meter } from '../../isolation/budget.ts'
import type { Membership } from '../../terminology/member.ts'
import { displayMismatch } from '../../terminology/validate-code.ts'
import type { Findings } from '../findings.ts'
import type { KnownDefinitions } from '../known-definitions.ts'
import type { TypedElement } from '../typed-element.ts'
import { checkBinding, extensibleMessage } from '../values.ts'
import { checkDocument, checkFullUrl, checkReference, checkReferenceType } from './bundle.ts'

/** Checks one element, without its children. @throws BudgetError */
export function checkThoroughly(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  checkExtensible(item, definitions, findings)
  switch (item.type) {
    case 'string':
    case 'markdown':
      checkMarkup(item, findings)
      break
    case 'uri':
    case 'url':
    case 'canonical':
      checkUri(item, findings)
      break
    case 'Identifier':
      checkIdentifier(item, findings)
      break
    case 'Period':
      checkPeriod(item, findings)
      break
    case 'Coding':
      checkCoding(item, definitions, findings)
      break
    case 'Reference':
      checkReference(item, findings)
      checkReferenceType(item, findings)
      break
    case 'Bundle':
      checkDocument(item, findings)
      break
    case 'Bundle.entry':
      checkFullUrl(item, findings)
  }
}

/**
 * Warns where per-1, "start SHALL have a lower value than end", cannot be decided, as start and end have different precision:
 * https://hl7.org/fhir/R4/datatypes.html#Period.
 */
function checkPeriod({ value, path }: TypedElement, findings: Findings): void {
  const { start, end } = isObject(value) ? value : {}
  if (typeof start !== 'string' || typeof end !== 'string' || !isUndecided(start, end)) return
  const message = `begins with ${start} and ends with ${end}: as their precision differs, it cannot be told whether it ends before it begins (per-1); give both with the same precision`
  findings.add({ code: 'value', path, message, severity: 'warning' })
}

/** Whether the dates are equal in their common precision; times always have seconds, so that two can be compared. */
function isUndecided(start: string, end: string): boolean {
  if (start.length === end.length || (start.includes('T') && end.includes('T'))) return false
  return start.startsWith(end) || end.startsWith(start)
}

/** A tag begins with a letter after `<` or `</`, so that `a < b` is none, and ends before another one begins. */
const TAG = /<\/?[a-z][\w-]*(?:[\s/][^<>]*)?>/i
/** Code in Markdown, whose tags are shown as they are. */
const MARKDOWN_CODE = /`+[^`]*`+/g

/** Characters that are searched in a microsecond. */
const CHARACTERS_PER_STEP = 100
const meter = new Meter('the texts of the resource')

/** Warns about a tag in a string or in Markdown. @throws BudgetError */
function checkMarkup({ value, type, path }: TypedElement, findings: Findings): void {
  if (typeof value !== 'string') return
  meter.pay(value.length / CHARACTERS_PER_STEP)
  if (!value.includes('<')) return
  const tag = TAG.exec(type === 'markdown' ? value.replace(MARKDOWN_CODE, '') : value)?.[0]
  if (tag === undefined) return
  const message = `has what looks like an HTML tag, ${shortened(tag)}; a reader that displays the text as HTML without escaping it runs a risk`
  findings.add({ code: 'security', path, message, severity: 'warning' })
}

/**
 * Compares displays and codes with the code systems at hand, those of the clinic and those of the R4 packages:
 * https://hl7.org/fhir/R4/datatypes.html#Coding. Warns, as the system may have another version elsewhere. Unavailable code systems are skipped.
 * @throws BudgetError
 */
function checkCoding(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  const { system, version, code, display } = isObject(item.value) ? item.value : {}
  if (typeof code !== 'string') return
  if (typeof system === 'string') {
    const found = definitions.inSystem({ system, code, ...(typeof version === 'string' ? { version } : {}) })
    const message = messageFor(found, { system, code, display, isBound: isBound(item) })
    if (message !== undefined) warn(item, message, findings)
  } else if (system === undefined) {
    warn(item, `has the code ${shortened(code)} without a system, which alone gives it a meaning`, findings)
  }
}

const warn = ({ path }: TypedElement, message: string, findings: Findings): void =>
  findings.add({ code: 'code-invalid', path, message, severity: 'warning' })

interface RecordedCoding {
  readonly system: string
  readonly code: string
  readonly display: unknown
  readonly isBound: boolean
}

function messageFor(found: Membership | undefined, coding: RecordedCoding): string | undefined {
  const { system, code, display, isBound } = coding
  if (found?.status === 'out' && !isBound)
    return `has the code ${shortened(code)}, which the code system ${system} does not have`
  if (found?.status !== 'in' || typeof display !== 'string') return undefined
  const right = displayMismatch(found.member, display)
  if (right === undefined) return undefined
  return `has the display "${shortened(display)}", which is wrong for ${system}|${code}; its display is "${right}"`
}

/** Whether R4 binds the element, so that a code outside its value set is reported anyway. */
function isBound(item: TypedElement): boolean {
  const { parent } = item
  const concept = parent?.type === 'CodeableConcept' ? parent : item
  const element = concept.parent && elementsByName(concept.parent.type).get(concept.name)
  return element?.binding !== undefined || element?.extensible !== undefined
}

/**
 * Warns about codes outside of the value set of an extensible binding (https://hl7.org/fhir/R4/terminologies.html#extensible).
 * Text without a code is allowed; unavailable value sets are skipped.
 */
function checkExtensible(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  const { parent, name, path } = item
  const valueSet = parent === undefined ? undefined : elementsByName(parent.type).get(name)?.extensible
  if (valueSet === undefined || checkBinding(item, valueSet, definitions)?.kind !== 'out') return
  findings.add({ code: 'code-invalid', path, message: extensibleMessage(item, valueSet), severity: 'warning' })
}

/** The types whose `system` names a code system or a namespace. */
const SYSTEM_HOLDERS: ReadonlySet<string> = new Set(['Coding', 'Identifier', 'Quantity'])

function checkUri(item: TypedElement, findings: Findings): void {
  const { value, type, path } = item
  if (typeof value !== 'string') return
  const malformed = malformedUrn(value)
  if (malformed !== undefined) findings.add({ code: 'value', path, message: malformed })
  if (isAbsolute(value)) return
  if (type === 'canonical' && !value.startsWith('#')) {
    const message = `is ${shortened(value)}; a canonical is the absolute URL of a definition, e.g. "http://example.org/fhir/ValueSet/colours", or #id of a contained one`
    findings.add({ code: 'value', path, message })
  } else if (isUrlOfExtension(item)) {
    const message = `is ${shortened(value)}; the url of an extension is the absolute URL of its definition (only the parts of a complex extension have names instead)`
    findings.add({ code: 'value', path, message })
  } else if (item.name === 'system' && SYSTEM_HOLDERS.has(item.parent?.type ?? '')) {
    const message = `is ${shortened(value)}; a system is identified by an absolute URI, e.g. "http://loinc.org" or "urn:oid:1.2.3"`
    findings.add({ code: 'value', path, message, severity: 'warning' })
  }
}

/** Whether it is the url of an extension that is not part of another one. */
const isUrlOfExtension = ({ name, parent }: TypedElement): boolean =>
  name === 'url' && parent?.type === 'Extension' && parent.parent?.type !== 'Extension'

/** "For UUID (urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7) use all lowercase." */
function malformedUrn(uri: string): string | undefined {
  const kind = /^urn:(uuid|oid):/i.exec(uri)?.[1]?.toLowerCase()
  const primitive = kind === undefined ? undefined : PRIMITIVES.get(kind)
  if (primitive === undefined || primitive.accepts(uri)) return undefined
  return `is ${shortened(uri)}, but must be ${primitive.expected}`
}

const URI_SYSTEM = 'urn:ietf:rfc:3986'

/** "If the identifier value itself is naturally a globally unique URI, then the system SHALL be urn:ietf:rfc:3986." */
function checkIdentifier({ value: identifier, path }: TypedElement, findings: Findings): void {
  const { system, value } = isObject(identifier) ? identifier : {}
  if (system !== URI_SYSTEM || typeof value !== 'string' || isAbsolute(value)) return
  const message = `is ${shortened(value)}; with the system ${URI_SYSTEM} it must be an absolute URI, e.g. "urn:oid:1.2.3"`
  findings.add({ code: 'value', path: `${path}.value`, message })
}
