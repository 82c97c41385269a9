/** Bundle.entry.fullUrl: https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.fullUrl. */
import { restfulUrl } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import type { Findings } from '../findings.ts'
import type { TypedElement } from '../typed-element.ts'
import { hasInteractions } from './bundle-index.ts'
import { isAbsolute } from './uris.ts'

/** That it is unique is bdl-7, that it names no version bdl-8. */
export function checkFullUrl({ value: entry, parent, path }: TypedElement, findings: Findings): void {
  if (!isObject(entry)) return
  const { fullUrl, resource } = entry
  const where = `${path}.fullUrl`
  if (typeof fullUrl === 'string') {
    const message = isAbsolute(fullUrl) ? disagreement(fullUrl, resource) : relative(fullUrl)
    if (message !== undefined) findings.add({ code: 'value', path: where, message })
  } else if (isObject(resource) && needsFullUrl(parent?.value, resource)) {
    const message = `is missing; it is the absolute URL of the resource, or urn:uuid: and a UUID where it has none`
    findings.add({ code: 'required', path: where, message })
  }
}

const relative = (fullUrl: string): string =>
  `is ${shortened(fullUrl)}, but must be absolute, e.g. "http://example.org/fhir/Patient/1" or urn:uuid: and a UUID`

/**
 * "The fullUrl element SHALL have a value except that … Results from operations might involve resources that are not
 * identified."
 */
function needsFullUrl(bundle: unknown, { id }: Record<string, unknown>): boolean {
  if (hasInteractions(bundle)) return false
  const type = isObject(bundle) ? bundle['type'] : undefined
  return type === 'document' || type === 'message' || id !== undefined
}

/**
 * "If the fullUrl does look like a RESTful server URL (e.g. meets the regex), then the 'id' portion of the fullUrl SHALL
 * end with the Resource.id."
 */
function disagreement(fullUrl: string, resource: unknown): string | undefined {
  const url = restfulUrl(fullUrl)
  if (url === undefined || !isObject(resource)) return undefined
  const { resourceType, id } = resource
  if (resourceType !== url.type) return `is that of a ${url.type}, but the resource is a ${String(resourceType)}`
  if (id === undefined || id === url.id) return undefined
  return `ends with the id ${url.id}, but the id of the resource is ${String(id)}; they must be equal`
}
