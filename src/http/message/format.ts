/** The body of a response in the format that the client accepts: https://hl7.org/fhir/R4/http.html#mime-type, #pretty. */
import { parseJsonUnpaid } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { writeXml } from '../../fhir/xml/write.ts'
import { spend } from '../../isolation/budget.ts'
import type { Format } from './media-type.ts'

/** Characters of JSON that are parsed and written in a microsecond. */
const JSON_CHARACTERS_PER_STEP = 20
const XML_CHARACTERS_PER_STEP = 8

/** The length of a body that is indented: an array of short values may get thirty times as long by it. */
const MAX_INDENTED = 2_000_000

/**
 * @param text the JSON of a resource, which is returned unchanged for plain JSON
 * @param wantsPretty ignored where the body is long, since indentation is for people who read it
 * @throws BudgetError
 */
export function formatBody(text: string, format: Format, wantsPretty: boolean): string {
  const pretty = wantsPretty && text.length <= MAX_INDENTED
  if (format === 'json' && !pretty) return text
  const charactersPerStep = format === 'json' ? JSON_CHARACTERS_PER_STEP : XML_CHARACTERS_PER_STEP
  spend(text.length / charactersPerStep, 'writing its answer')
  return formatUnpaid(text, format, pretty)
}

/** The same for a short body that must be sent even when the budget of the request has ended, and for what is made once for all. */
export function formatUnpaid(text: string, format: Format, pretty: boolean): string {
  if (format === 'json' && !pretty) return text
  const resource = parseJsonUnpaid(text)
  if (format === 'json') return JSON.stringify(resource, null, 2)
  if (!isObject(resource)) throw new TypeError('What is answered in XML must be a resource')
  return writeXml(resource, pretty)
}
