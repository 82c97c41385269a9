/** _summary and _elements: parts of a resource, tagged SUBSETTED. https://hl7.org/fhir/R4/search.html#summary */
import { mandatoryElements, summaryElements } from '../fhir/definitions.ts'
import { parseJson } from '../fhir/json.ts'
import { badRequest } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'

export interface Subset {
  readonly summary?: 'true' | 'text' | 'data' | 'count' | 'false' | undefined
  readonly elements?: readonly string[] | undefined
}

const SUMMARIES = ['true', 'text', 'data', 'count', 'false'] as const
const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }

/** The _summary and _elements of a read. @throws FhirError 400 */
export function subsetOf(query: URLSearchParams): Subset {
  const asked = query.get('_summary')
  const summary = SUMMARIES.find((value) => value === asked)
  if (asked && summary === undefined) throw badRequest(`_summary=${asked} is none of ${SUMMARIES.join(', ')}`)
  const elements = query
    .get('_elements')
    ?.split(',')
    .map((element) => element.trim())
    .filter(Boolean)
  return { summary, elements }
}

/** The text of the part of a resource that was asked for; the whole text, untouched, when nothing was. */
export function subsetText(text: string, type: string, { summary, elements }: Subset): string {
  const keep = keeper(type, summary, elements)
  if (keep === undefined) return text
  const resource = parseJson(text)
  if (!isObject(resource)) return text
  const part = Object.fromEntries(Object.entries(resource).filter(([name]) => keep(name)))
  return JSON.stringify({ resourceType: type, id: resource.id, ...part, meta: subsetted(resource.meta) })
}

function keeper(
  type: string,
  summary: Subset['summary'],
  elements: readonly string[] | undefined,
): ((name: string) => boolean) | undefined {
  const mandatory = mandatoryElements(type)
  const among = (names: ReadonlySet<string>) => (name: string) => names.has(name.replace(/^_/, ''))
  if (elements !== undefined && elements.length > 0)
    return among(
      new Set([
        ...elements.map((element) => element.replace(`${type}.`, '').split('.')[0] ?? ''),
        ...mandatory,
        'resourceType',
        'id',
        'meta',
      ]),
    )
  if (summary === 'true') return among(summaryElements(type))
  if (summary === 'text') return among(new Set([...mandatory, 'resourceType', 'id', 'meta', 'text']))
  if (summary === 'data') return (name) => name !== 'text'
  return undefined
}

function subsetted(meta: unknown): Record<string, unknown> {
  const { tag, ...rest } = isObject(meta) ? meta : {}
  return { ...rest, tag: [...(Array.isArray(tag) ? tag : []), SUBSETTED] }
}
