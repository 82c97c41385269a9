/** References of a client that knows this server below /as/{profile}. */
import { isObject } from '../../fhir/resource.ts'
import { REFERENCES_AND_LINKS, referencesIn, rewriteLinks } from './rewrite-references.ts'

/**
 * A body with the references below `base` made relative, as the data has no profile; of a Bundle those of its entries.
 * @param base the address of this server below which the request came
 * @throws BudgetError
 */
export function withOwnReferences(body: unknown, base: string): unknown {
  if (isObject(body) && body.resourceType === 'Bundle' && Array.isArray(body.entry))
    return { ...body, entry: body.entry.map((entry) => withResource(entry, base)) }
  const own = referencesIn(body, REFERENCES_AND_LINKS).filter((reference) => reference.startsWith(`${base}/`))
  if (own.length === 0) return body
  const links = new Map(own.map((reference) => [reference, reference.slice(base.length + 1)]))
  return rewriteLinks(body, { conditional: new Map(), links, placeholders: new Map() })
}

const withResource = (entry: unknown, base: string): unknown =>
  isObject(entry) && isObject(entry.resource) ? { ...entry, resource: withOwnReferences(entry.resource, base) } : entry
