/**
 * Converts a resource from XML to JSON: https://hl7.org/fhir/R4/xml.html. Checks element names, order, namespaces and
 * the JSON types of values; everything else is checked when the resource is validated.
 */
import { FhirError, type Issue } from '../outcome.ts'
import type { JsonObject } from '../resource.ts'
import { linePositions, parseXml } from './parse.ts'
import { type XmlProblem, XmlReader } from './reader.ts'
import type { XmlElement } from './tree.ts'

export interface ReadResult {
  readonly resource: JsonObject
  /** At most 50; when there are any, the resource is incomplete. */
  readonly problems: readonly XmlProblem[]
}

/**
 * The resource of an XML document; decimals keep their digits.
 * @throws FhirError 400 with an issue for each problem, naming line, column and element, 413 when it is too large
 */
export function readXml(text: string): JsonObject {
  const { resource, problems } = resourceOf(parseXml(text), { ordered: true })
  if (problems.length === 0) return resource
  const places = linePositions(
    text,
    problems.map(({ element }) => element.start),
  )
  const issues = problems.map(
    ({ path, message, element }): Issue => ({
      code: 'structure',
      diagnostics: `${path} ${message} (${places.get(element.start)})`,
      expression: path,
    }),
  )
  throw new FhirError(400, issues)
}

/** @param ordered require elements in the order of their definition */
export function resourceOf(root: XmlElement, { ordered }: { readonly ordered: boolean }): ReadResult {
  const reader = new XmlReader(ordered)
  return { resource: reader.root(root), problems: reader.problems }
}
