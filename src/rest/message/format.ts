/** The body of a response in the format that the client accepts: https://hl7.org/fhir/R4/http.html#mime-type, #pretty. */
import { parseJson } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { writeXml } from '../../fhir/xml/write.ts'
import type { Format } from './media-type.ts'

/** @param text the JSON of a resource, which is returned unchanged for plain JSON */
export function formatBody(text: string, format: Format, pretty: boolean): string {
  if (format === 'json' && !pretty) return text
  const resource = parseJson(text)
  if (format === 'json') return JSON.stringify(resource, null, 2)
  if (!isObject(resource)) throw new TypeError('What is answered in XML must be a resource')
  return writeXml(resource, pretty)
}
