/**
 * The format of responses: https://hl7.org/fhir/R4/http.html#mime-type,
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1.
 */
import { describe, expect, test } from '@jest/globals'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { negotiate, preferences } from '../../../src/http/message/format.ts'

/** The Content-Type without its charset, or the status of the refusal. */
function answered(accept: string, format: string | null = null): string | number {
  try {
    const { format: kind, contentType } = negotiate(accept, format)
    expect(contentType).toContain('; charset=utf-8')
    expect(contentType).toContain(kind)
    return contentType.replace('; charset=utf-8', '')
  } catch (error) {
    if (error instanceof FhirError) return error.status
    throw error
  }
}

const JSON_TYPE = 'application/fhir+json'
const XML_TYPE = 'application/fhir+xml'

describe('Accept', () => {
  test.each<[string, string | number]>([
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['text/*', 'text/json'],
    ['application/fhir+json', JSON_TYPE],
    ['application/fhir+xml', XML_TYPE],
    ['APPLICATION/FHIR+XML', XML_TYPE],
    // "the server SHOULD respond with the requested mime type"
    ['application/json', 'application/json'],
    ['text/json', 'text/json'],
    ['application/xml', 'application/xml'],
    ['text/xml', 'text/xml'],
    // The names before STU3.
    ['application/json+fhir', JSON_TYPE],
    ['application/xml+fhir', XML_TYPE],
    ['text/html', 406],
    ['text/turtle', 406],
    ['application/fhir+turtle', 406],
    ['image/png, application/pdf', 406],
    ['nonsense', 406],
    [',', 406],
  ])('%s', (accept, expected) => {
    expect(answered(accept)).toBe(expected)
  })

  test.each<[string, string | number]>([
    ['application/fhir+xml, application/fhir+json', XML_TYPE],
    ['application/fhir+json, application/fhir+xml', JSON_TYPE],
    ['application/fhir+xml;q=0.8, application/fhir+json;q=0.9', JSON_TYPE],
    ['application/fhir+json;q=0.1, application/fhir+xml ; q=0.5', XML_TYPE],
    ['*/*;q=0.1, application/fhir+xml;q=0.5', XML_TYPE],
    ['*/*, application/fhir+xml', XML_TYPE],
    ['application/*, application/fhir+xml;q=0.5', JSON_TYPE],
    ['text/html, application/xml;q=0.9, */*;q=0.8', 'application/xml'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'application/xml'],
    ['application/fhir+json;q=0, */*', 'application/json'],
    ['application/fhir+json;q=0.0, application/json;q=0, text/json;q=0.000, */*', XML_TYPE],
    ['application/fhir+json;q=0', 406],
    ['*/*;q=0', 406],
    ['application/fhir+xml;q=5, application/fhir+json', XML_TYPE],
    ['application/fhir+xml;q=often', XML_TYPE],
    ['application/fhir+xml;profile="a,b;q=0", text/html', XML_TYPE],
  ])('of several is the most welcome: %s', (accept, expected) => {
    expect(answered(accept)).toBe(expected)
  })

  test.each<[string, string | number]>([
    ['application/fhir+json; fhirVersion=4.0', `${JSON_TYPE}; fhirVersion=4.0`],
    ['application/fhir+xml;FHIRVERSION="4.0"', `${XML_TYPE}; fhirVersion=4.0`],
    ['application/fhir+json; fhirVersion=4.0.1', `${JSON_TYPE}; fhirVersion=4.0`],
    ['application/fhir+json; fhirVersion=3.0', 406],
    ['application/fhir+json; fhirVersion=4.3', 406],
    ['application/fhir+xml; fhirVersion=5.0, application/fhir+json; fhirVersion=4.0', `${JSON_TYPE}; fhirVersion=4.0`],
    ['application/fhir+json; fhirVersion=5.0, */*;q=0.1', JSON_TYPE],
    ['application/fhir+xml; charset=utf-8', XML_TYPE],
    ['application/fhir+xml; charset="UTF-8"', XML_TYPE],
    ['application/fhir+xml; charset=iso-8859-1', 406],
  ])('asks for R4 and UTF-8 or gets nothing: %s', (accept, expected) => {
    expect(answered(accept)).toBe(expected)
  })
})

describe('_format wins over Accept', () => {
  test.each<[string, string | number]>([
    ['json', JSON_TYPE],
    ['application/json', 'application/json'],
    ['application/fhir+json', JSON_TYPE],
    ['application/fhir json', JSON_TYPE],
    ['text/json', 'text/json'],
    ['application/json+fhir', JSON_TYPE],
    ['xml', XML_TYPE],
    ['XML', XML_TYPE],
    ['text/xml', 'text/xml'],
    ['application/xml', 'application/xml'],
    ['application/fhir+xml', XML_TYPE],
    ['application/fhir xml', XML_TYPE],
    ['application/xml+fhir', XML_TYPE],
    ['application/fhir+xml; fhirVersion=4.0', `${XML_TYPE}; fhirVersion=4.0`],
    ['application/fhir+xml; fhirVersion=3.0', 406],
    ['html', 406],
    ['text/html', 406],
    ['ttl', 406],
    ['text/turtle', 406],
    ['*/*', 406],
    ['xml,json', 406],
  ])('%s', (format, expected) => {
    for (const accept of ['', 'application/fhir+json', 'application/fhir+xml', 'text/html'])
      expect(answered(accept, format)).toBe(expected)
  })

  test('but says nothing when it is empty', () => {
    expect(answered('application/fhir+xml', '')).toBe(XML_TYPE)
  })
})

test('a refusal says what there is, and repeats no monster', () => {
  expect(() => negotiate('text/html', null)).toThrow(
    /'text\/html' cannot be served.*application\/fhir\+json and application\/fhir\+xml/,
  )
  expect(() => negotiate(`text/${'x'.repeat(10_000)}`, null)).toThrow(/^.{0,400}$/)
})

describe('Prefer', () => {
  test.each([
    ['respond-async', true],
    ['return=minimal, respond-async', true],
    ['Respond-Async; wait=10', true],
    ['return=representation', false],
    ['x-respond-async-later', false],
  ])('%s: the answer may come later: %s', (header, isAsync) => {
    expect(preferences(header).isAsync).toBe(isAsync)
  })
})
