/** _summary and _elements: parts of a resource, tagged SUBSETTED. https://hl7.org/fhir/R4/search.html#summary */
import { mandatoryElements, structureOf, summaryElements } from '../../fhir/definitions.ts'
import { parseJson } from '../../fhir/json.ts'
import { isObject, SUBSETTED } from '../../fhir/resource.ts'
import { spend } from '../../isolation/budget.ts'
import { propertiesOf, type Subset } from './subset.ts'

/** Characters that are written in a microsecond, once they are parsed. */
const CHARACTERS_PER_STEP = 100

/** The text of the requested part of a resource; the unchanged text, where no part is requested. @throws BudgetError */
export function subsetText(text: string, type: string, { summary, elements }: Subset): string {
  if (summary === undefined && elements === undefined) return text
  const keep = keeper(type, summary, elements)
  if (keep === undefined) return text
  const named = elements === undefined ? [] : propertiesOf(type, elements)
  const isWhole = (name: string): boolean => summary === 'data' || named.includes(name)
  spend(text.length / CHARACTERS_PER_STEP, 'its summaries')
  const resource = parseJson(text)
  if (!isObject(resource)) return text
  const kept = Object.entries(resource).filter(([name]) => keep(name))
  const part = Object.fromEntries(
    kept.map(([name, value]) => [name, isWhole(name) ? value : withoutContents(value, propertyTypes(type).get(name))]),
  )
  return JSON.stringify({ resourceType: type, id: resource.id, ...part, meta: subsetted(resource.meta) })
}

/**
 * An element that is kept because it is part of the summary, or mandatory: without the bytes of its attachments, which
 * are neither, and may be many megabytes.
 */
function withoutContents(value: unknown, type: string | undefined): unknown {
  if (type === undefined || !holdsAttachments(type)) return value
  if (Array.isArray(value)) return value.map((item) => withoutContents(item, type))
  if (!isObject(value)) return value
  const types = propertyTypes(type)
  const kept = Object.entries(value).filter(([name]) => type !== 'Attachment' || (name !== 'data' && name !== '_data'))
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutContents(item, types.get(name))]))
}

const typesOfProperties = new Map<string, ReadonlyMap<string, string>>()

/** The types of the properties of a type in JSON, by their names. */
function propertyTypes(type: string): ReadonlyMap<string, string> {
  const known = typesOfProperties.get(type)
  if (known !== undefined) return known
  const types = new Map((structureOf(type)?.elements ?? []).flatMap(({ properties }) => [...properties]))
  typesOfProperties.set(type, types)
  return types
}

/** Known holders of attachments; attachments in extensions and contained resources are left as they are. */
const attachmentHolders = new Map<string, boolean>([
  ['Attachment', true],
  ['Extension', false],
  ['Resource', false],
])

/** Whether a type holds attachments, at any depth. @param above the enclosing types, as types may hold themselves */
function holdsAttachments(type: string, above: readonly string[] = []): boolean {
  const known = attachmentHolders.get(type)
  if (known !== undefined) return known
  if (above.includes(type)) return false
  const found = [...propertyTypes(type).values()].some((held) => holdsAttachments(held, [...above, type]))
  if (above.length === 0) attachmentHolders.set(type, found)
  return found
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
