/**
 * XML to the JSON form of a resource: https://hl7.org/fhir/R4/xml.html. What the tree says about names, order, places
 * and the kind of a value is checked here, everything else when the resource is validated.
 */
import { FhirError, type Issue } from '../outcome.ts'
import { parseXml, placesOf } from './parse.ts'
import { type JsonObject, type XmlProblem, XmlReader } from './reader.ts'
import type { XmlElement } from './tree.ts'

export interface ReadResult {
  readonly resource: JsonObject
  /** At most 50; with any, the resource is incomplete. */
  readonly problems: readonly XmlProblem[]
}

/**
 * The resource of an XML document, decimals with the digits they came with.
 * @throws FhirError 400 with an issue for each problem, naming line, column and element
 */
export function readXml(text: string): JsonObject {
  const { resource, problems } = resourceOf(parseXml(text), { ordered: true })
  if (problems.length === 0) return resource
  const places = placesOf(
    text,
    problems.map(({ element }) => element.start),
  )
  const issues = problems.map(
    ({ path, said, element }): Issue => ({
      code: 'structure',
      diagnostics: `${path} ${said} (${places.get(element.start)})`,
      expression: path,
    }),
  )
  throw new FhirError(400, issues)
}

/** @param ordered elements must stand in the order of their definition; else only repeats must stand together */
export function resourceOf(root: XmlElement, { ordered }: { readonly ordered: boolean }): ReadResult {
  const reader = new XmlReader(ordered)
  return { resource: reader.root(root), problems: reader.problems }
}
