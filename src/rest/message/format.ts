/** A body in the format that the client asked for: https://hl7.org/fhir/R4/http.html#mime-type, #pretty. */
import { parseJson } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { writeXml } from '../../fhir/xml/write.ts'
import type { Format } from './media-type.ts'

/** `text` is the JSON of a resource; it is sent as it is where the client did not ask for anything else. */
export function answerText(text: string, format: Format, pretty: boolean): string {
  if (format === 'json' && !pretty) return text
  const resource = parseJson(text)
  if (format === 'json') return JSON.stringify(resource, null, 2)
  if (!isObject(resource)) throw new TypeError('What is answered in XML must be a resource')
  return writeXml(resource, pretty)
}
