/** XML that is refused, each with the expected diagnostics: https://hl7.org/fhir/R4/xml.html. */
import { describe, expect, test } from '@jest/globals'
import { FhirError, type Issue } from '../../../src/fhir/outcome.ts'
import { readXml } from '../../../src/fhir/xml/read.ts'

function refusal(xml: string): readonly [status: number, ...issues: readonly Issue[]] {
  try {
    readXml(xml)
  } catch (error) {
    if (error instanceof FhirError) return [error.status, ...error.issues]
    throw error
  }
  throw new Error('It was accepted')
}

const told = (xml: string): string => refusal(xml)[1]?.diagnostics ?? ''

const patient = (content: string): string => `<Patient xmlns="http://hl7.org/fhir">\n${content}\n</Patient>`

describe('what could expand, fetch or be run is refused by its name:', () => {
  const bomb = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
  test.each<[string, string, RegExp]>([
    ['a DOCTYPE', `<!DOCTYPE Patient>${patient('')}`, /has a DOCTYPE.*line 1, column 18/],
    ['a DOCTYPE from elsewhere', `<!DOCTYPE Patient SYSTEM "http://127.0.0.1:1/x.dtd">${patient('')}`, /has a DOCTYPE/],
    [
      'entities that double',
      `<!DOCTYPE x [<!ENTITY l0 "lol">${bomb}]>${patient('<id value="&l9;"/>')}`,
      /has a DOCTYPE/,
    ],
    [
      'an external entity',
      `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${patient('<id value="&e;"/>')}`,
      /has a DOCTYPE/,
    ],
    [
      'a parameter entity',
      `<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>${patient('')}`,
      /has a DOCTYPE/,
    ],
    [
      'an entity in a value',
      patient('<id value="&e;"/>'),
      /entity.*write &lt; &gt; &amp; &quot; &apos;.*line 2, column 14/,
    ],
    [
      'an entity of HTML in narrative',
      patient('<text><div xmlns="http://www.w3.org/1999/xhtml">a&nbsp;b</div></text>'),
      /entity.*such as &#160;/,
    ],
    ['half of a surrogate pair', patient('<id value="a\ud800"/>'), /half of a surrogate pair.*line 2, column 13/],
    [
      'half of a surrogate pair at the end of a CDATA section',
      '<Patient xmlns="http://hl7.org/fhir"><![CDATA[]\ud800',
      /half of a surrogate pair.*line 1, column 48/,
    ],
    ['a declaration that is not at the beginning', patient('<?xml version="1.0"?>'), /not well-formed XML.*line 2/],
    ['a processing instruction that does not end', patient('<?php echo 1'), /not well-formed XML/],
    [
      'another encoding',
      `<?xml version="1.0" encoding="ISO-8859-1"?>${patient('')}`,
      /encoding is ISO-8859-1; FHIR XML is sent in UTF-8/,
    ],
    ['another version of XML', `<?xml version="1.1"?>${patient('')}`, /is XML 1\.1; FHIR XML is XML 1\.0/],
  ])('%s', (_name, xml, expected) => {
    expect(refusal(xml)[0]).toBe(400)
    expect(told(xml)).toMatch(expected)
  })
})

describe('what is no XML is refused with its place:', () => {
  test.each<[string, string, RegExp]>([
    ['nothing', '', /must contain a root element/],
    ['text', 'hello', /not well-formed XML.*line 1/],
    ['JSON', '{"resourceType":"Patient"}', /not well-formed XML.*line 1/],
    ['an element that does not end', '<Patient xmlns="http://hl7.org/fhir"><name>', /unclosed tag.*line 1, column 43/],
    ['elements that cross', patient('<name><family></name></family>'), /unexpected close tag.*line 2/],
    ['two roots', '<a/><b/>', /only one root/],
    ['two attributes of one name', patient('<id value="a" value="b"/>'), /duplicate attribute.*line 2/],
    ['a prefix that is not declared', patient('<f:id value="a"/>'), /unbound namespace prefix/],
    [
      'a bare ampersand',
      patient('<id value="a & b"/>'),
      /a bare & is written &amp; \(there is one in line 2, column 14\)/,
    ],
    ['a control character', patient('<id value="&#1;"/>'), /malformed character entity|line 2/],
    ['elements in elements in elements', '<a>'.repeat(257), /nested deeper than 256 elements/],
  ])('%s', (_name, xml, expected) => {
    expect(refusal(xml)[0]).toBe(400)
    expect(told(xml)).toMatch(expected)
  })

  test('an element has 64 attributes at most', () => {
    const attributes = Array.from({ length: 65 }, (_, index) => ` a${index}=""`).join('')
    expect(told(`<a${attributes}/>`)).toMatch(/more than 64 attributes/)
  })

  test.each([
    ['elements', '<b/>'],
    ['comments', '<!---->'],
    ['sections', '<![CDATA[]]>'],
  ])('more than 500,000 %s are 413, before any is parsed', (_what, node) => {
    const [status, issue] = refusal(`<a>${node.repeat(500_000)}<`)
    expect([status, issue?.diagnostics]).toEqual([413, expect.stringContaining('the most this server takes is 500000')])
  })
})

describe('what is no FHIR is refused with line, column, element and what would be right:', () => {
  test.each<[string, string, string, string]>([
    [
      'no namespace',
      '<Patient/>',
      'Patient',
      `is in no namespace; it must be in 'http://hl7.org/fhir': <Patient xmlns="http://hl7.org/fhir"> (line 1, column 1)`,
    ],
    [
      'another namespace',
      '<Patient xmlns="urn:x"/>',
      'Patient',
      `is in the namespace 'urn:x'; it must be in 'http://hl7.org/fhir': <Patient xmlns="http://hl7.org/fhir"> (line 1, column 1)`,
    ],
    [
      'a child in another namespace',
      patient('<active xmlns="urn:x" value="true"/>'),
      'Patient.active',
      `is in the namespace 'urn:x'; it must be in 'http://hl7.org/fhir': <active xmlns="http://hl7.org/fhir"> (line 2, column 1)`,
    ],
    [
      'no resource type',
      '<Patent xmlns="http://hl7.org/fhir"/>',
      'Patent',
      'is no resource type of R4; did you mean Patient? (line 1, column 1)',
    ],
    [
      'an unknown element',
      patient('<id value="1"/>\n  <birthdate value="1970"/>'),
      'Patient.birthdate',
      'is not an element of Patient; did you mean birthDate? (line 3, column 3)',
    ],
    [
      'a choice without its type',
      patient('<deceased value="true"/>'),
      'Patient.deceased',
      'is written with its type: deceasedBoolean, deceasedDateTime (line 2, column 1)',
    ],
    [
      'an attribute as an element',
      patient('<extension><url value="http://x.org"/></extension>'),
      'Patient.extension[0].url',
      'is an attribute of Extension, not an element: url="…" (line 2, column 12)',
    ],
    [
      'an unknown attribute',
      patient('<name use="official"/>'),
      'Patient.name[0]',
      'has the attribute use; this element has id (line 2, column 1)',
    ],
    [
      'an attribute of a primitive',
      patient('<active val="true" value="true"/>'),
      'Patient.active',
      'has the attribute val; this element has id, value (line 2, column 1)',
    ],
    [
      'an attribute of a resource',
      '<Patient xmlns="http://hl7.org/fhir" id="1"/>',
      'Patient',
      'has the attribute id; this element has none (line 1, column 1)',
    ],
    [
      'an empty value',
      patient('<gender value=""/>'),
      'Patient.gender',
      'has an empty value=""; leave the attribute out instead (line 2, column 1)',
    ],
    [
      'a primitive without a value',
      patient('<name><given value="a"/><given/></name>'),
      'Patient.name[0].given[1]',
      'is empty; give it a value: <given value="…"/> (line 2, column 25)',
    ],
    [
      'text in place of a value',
      patient('<gender>male</gender>'),
      'Patient.gender',
      'contains text; put the value in the attribute: value="…" (line 2, column 1)',
    ],
    [
      'text between elements',
      patient('<name>Ann</name>'),
      'Patient.name[0]',
      'contains text; put the value in the attribute: value="…" (line 2, column 1)',
    ],
    [
      'the wrong order',
      patient('<birthDate value="1970"/>\n<gender value="female"/>'),
      'Patient.gender',
      'comes after birthDate, but must come before it: in XML, elements are in the order of the definition (line 3, column 1)',
    ],
    [
      'repeats that do not stand together',
      patient('<name/><telecom/><name/>'),
      'Patient.name[1]',
      'comes after telecom, but must come before it: in XML, elements are in the order of the definition (line 2, column 18)',
    ],
    [
      'one element given twice',
      patient('<gender value="male"/><gender value="male"/>'),
      'Patient.gender',
      'is given twice; it may be given once (line 2, column 23)',
    ],
    [
      'a boolean that is none',
      patient('<active value="1"/>'),
      'Patient.active',
      'must be true or false: value="true" (line 2, column 1)',
    ],
    [
      'a whole number that is none',
      patient('<multipleBirthInteger value="1.0"/>'),
      'Patient.multipleBirth',
      'must be a whole number: value="7" (line 2, column 1)',
    ],
    [
      'a decimal that is none',
      '<Observation xmlns="http://hl7.org/fhir"><valueQuantity><value value="1,5"/></valueQuantity></Observation>',
      'Observation.value.value',
      'must be a number: value="7.25" (line 1, column 57)',
    ],
    [
      'an empty container',
      patient('<contained/>'),
      'Patient.contained[0]',
      'must hold one resource, e.g. <Patient>…</Patient> (line 2, column 1)',
    ],
    [
      'two resources in one container',
      patient('<contained><Basic/><Basic/></contained>'),
      'Patient.contained[0]',
      'must hold one resource, e.g. <Patient>…</Patient> (line 2, column 20)',
    ],
    [
      'narrative in the wrong namespace',
      patient('<text><status value="empty"/><div>x</div></text>'),
      'Patient.text.div',
      `is in the namespace 'http://hl7.org/fhir'; it must be in 'http://www.w3.org/1999/xhtml': <div xmlns="http://www.w3.org/1999/xhtml"> (line 2, column 30)`,
    ],
    [
      'a name of Object itself',
      patient('<constructor value="x"/>'),
      'Patient.constructor',
      expect.stringContaining('is not an element of Patient') as unknown as string,
    ],
  ])('%s', (_name, xml, path, said) => {
    const [status, first] = refusal(xml)
    expect(status).toBe(400)
    const given = first?.diagnostics ?? ''
    expect([first?.expression, given.startsWith(`${path} `)]).toEqual([path, true])
    expect(given.slice(path.length + 1)).toEqual(said)
  })

  test('all problems are told at once, fifty at most', () => {
    expect(refusal(patient('<a/><b/><c/>'))).toHaveLength(4)
    expect(refusal(patient('<a/>'.repeat(60)))).toHaveLength(51)
  })

  test('names that go on and on are cut', () => {
    expect(told(patient(`<${'a'.repeat(100_000)}/>`)).length).toBeLessThan(2000)
    expect(told(`<a xmlns="${'b'.repeat(100_000)}"/>`).length).toBeLessThan(2000)
    expect(told(patient(`<id value="&${'c'.repeat(100_000)};"/>`)).length).toBeLessThan(2000)
  })
})
