/**
 * URIs that must be absolute, UUIDs and OIDs: https://hl7.org/fhir/R4/datatypes.html#uri,
 * https://hl7.org/fhir/R4/references.html#canonical.
 */
import { isObject } from '../../fhir/resource.ts'
import { PRIMITIVES } from '../../fhir/validate/primitives.ts'
import { shortened } from '../../fhir/validate/report.ts'
import type { Findings } from '../findings.ts'
import type { TypedElement } from '../typed-element.ts'

/** With a scheme: https://www.rfc-editor.org/rfc/rfc3986#section-3.1. */
export const isAbsolute = (uri: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(uri)

/** The types whose `system` names a code system or a namespace. */
const SYSTEM_HOLDERS: ReadonlySet<string> = new Set(['Coding', 'Identifier', 'Quantity'])

export function checkUri(item: TypedElement, findings: Findings): void {
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
export function checkIdentifier({ value: identifier, path }: TypedElement, findings: Findings): void {
  const { system, value } = isObject(identifier) ? identifier : {}
  if (system !== URI_SYSTEM || typeof value !== 'string' || isAbsolute(value)) return
  const message = `is ${shortened(value)}; with the system ${URI_SYSTEM} it must be an absolute URI, e.g. "urn:oid:1.2.3"`
  findings.add({ code: 'value', path: `${path}.value`, message })
}
