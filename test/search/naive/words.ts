/** `_text` and `_content`: https://hl7.org/fhir/R4/search.html#content. */
import { objectsIn, type Resource, textOf } from './elements.ts'
import { plain } from './text.ts'

/** Elements that are not text: addresses, and the server's own elements. */
const OTHER = new Set(['resourceType', 'id', 'meta', 'text', 'system', 'url', 'reference', 'profile', 'contentType'])

const narrative = (resource: Resource): readonly string[] =>
  objectsIn(resource['text']).map(({ div }) => textOf(div).replace(/<[^>]*>/g, ' '))

/** The texts of all elements but dates; a narrative's `text` is an object, a concept's a string. */
function texts(resource: Resource): readonly string[] {
  const found: string[] = []
  // JSON.stringify visits every element except below those left out here.
  JSON.stringify(resource, (name, value: unknown) => {
    if (OTHER.has(name) && (name !== 'text' || typeof value !== 'string')) return undefined
    if (typeof value === 'string') found.push(value)
    return value
  })
  return found.filter((text) => !/^\d{4}-\d\d/.test(text))
}

const wordsOf = (all: readonly string[]): ReadonlySet<string> => new Set(all.flatMap((text) => plain(text).split(' ')))

/** Words that must all be there, `OR` between them, `NOT` before one, `*` after its beginning. */
export function fitsWords(code: '_text' | '_content', query: string, resource: Resource): boolean {
  const words = wordsOf([...narrative(resource), ...(code === '_content' ? texts(resource) : [])])
  const has = (asked: string) =>
    asked.endsWith('*') ? [...words].some((word) => word.startsWith(plain(asked))) : words.has(plain(asked))
  return query
    .split(' OR ')
    .some((all) => all.split(' AND ').every((one) => (one.startsWith('NOT ') ? !has(one.slice(4)) : has(one))))
}
