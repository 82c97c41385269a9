/** _summary and _elements: parts of a resource, tagged SUBSETTED. https://hl7.org/fhir/R4/search.html#summary */
import { spend } from '../../budget/budget.ts'
import { mandatoryElements, summaryElements } from '../../fhir/definitions.ts'
import { parseJson } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { propertiesOf, type Subset } from '../../search/query/subset.ts'

/** Characters that are written in a microsecond, once they are parsed. */
const CHARACTERS_PER_STEP = 100

const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }

/** The text of the part of a resource that was asked for; the whole text, untouched, when nothing was. @throws BudgetError */
export function subsetText(text: string, type: string, { summary, elements }: Subset): string {
  if (summary === undefined && elements === undefined) return text
  const keep = keeper(type, summary, elements)
  if (keep === undefined) return text
  spend(text.length / CHARACTERS_PER_STEP, 'its summaries')
  const resource = parseJson(text)
  if (!isObject(resource)) return text
  const part = Object.fromEntries(Object.entries(resource).filter(([name]) => keep(name)))
  return JSON.stringify({ resourceType: type, id: resource.id, ...part, meta: subsetted(resource.meta) })
}

function keeper(
  type: string,
  summary: Subset['summary'],
  elements: Subset['elements'],
): ((name: string) => boolean) | undefined {
  const mandatory = () => [...mandatoryElements(type), 'resourceType', 'id', 'meta']
  const among = (names: Iterable<string>) => {
    const kept = new Set(names)
    return (name: string) => kept.has(name.replace(/^_/, ''))
  }
  if (elements !== undefined) return among([...propertiesOf(type, elements), ...mandatory()])
  if (summary === 'true') return among(summaryElements(type))
  if (summary === 'text') return among([...mandatory(), 'text'])
  if (summary === 'data') return (name) => name !== 'text'
  return undefined
}

function subsetted(meta: unknown): Record<string, unknown> {
  const { tag, ...rest } = isObject(meta) ? meta : {}
  return { ...rest, tag: [...(Array.isArray(tag) ? tag : []), SUBSETTED] }
}
