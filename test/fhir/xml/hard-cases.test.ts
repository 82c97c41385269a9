/** Cases in which the formats differ most: https://hl7.org/fhir/R4/xml.html, https://hl7.org/fhir/R4/json.html. */
import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../../src/fhir/json.ts'
import { isObject } from '../../../src/fhir/resource.ts'
import { readXml } from '../../../src/fhir/xml/read.ts'
import { writeXml } from '../../../src/fhir/xml/write.ts'
import { canonical } from './canonical.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

const xmlOf = (json: string): string => {
  const resource = parseJson(json)
  if (!isObject(resource)) throw new Error('The case is no resource')
  return writeXml(resource).slice(DECLARATION.length)
}

const inFhir = (type: string, content: string): string => `<${type} xmlns="http://hl7.org/fhir">${content}</${type}>`

const PATIENT: readonly [name: string, json: string, xml: string][] = [
  [
    'a primitive with an id and an extension of its own',
    '"birthDate":"1970-03-30","_birthDate":{"id":"b1","extension":[{"url":"http://x.org/time","valueDateTime":"1970-03-30T10:00:00Z"}]}',
    '<birthDate id="b1" value="1970-03-30"><extension url="http://x.org/time"><valueDateTime value="1970-03-30T10:00:00Z"/></extension></birthDate>',
  ],
  [
    'a primitive without a value',
    '"_birthDate":{"extension":[{"url":"http://x.org/absent","valueCode":"unknown"}]}',
    '<birthDate><extension url="http://x.org/absent"><valueCode value="unknown"/></extension></birthDate>',
  ],
  [
    'a list of primitives in which some have no value and some no extension',
    '"name":[{"given":["Ann",null,"B."],"_given":[null,{"extension":[{"url":"http://x.org/e","valueString":"?"}]},{"id":"g3"}]}]',
    '<name><given value="Ann"/><given><extension url="http://x.org/e"><valueString value="?"/></extension></given><given id="g3" value="B."/></name>',
  ],
  [
    'a list of primitives of which none has a value',
    '"name":[{"_given":[{"extension":[{"url":"http://x.org/e","valueString":"?"}]}]}]',
    '<name><given><extension url="http://x.org/e"><valueString value="?"/></extension></given></name>',
  ],
  [
    'ids of elements, and the url of an extension, as attributes',
    '"extension":[{"id":"e1","url":"http://x.org/e","valueCoding":{"id":"c1","code":"a"}}],"name":[{"id":"n1","text":"A"}]',
    '<extension id="e1" url="http://x.org/e"><valueCoding id="c1"><code value="a"/></valueCoding></extension><name id="n1"><text value="A"/></name>',
  ],
  [
    'contained resources, each in an element of its own',
    '"contained":[{"resourceType":"Practitioner","id":"p"},{"resourceType":"Organization","id":"o","active":true}]',
    '<contained><Practitioner><id value="p"/></Practitioner></contained><contained><Organization><id value="o"/><active value="true"/></Organization></contained>',
  ],
  [
    'narrative to the letter, and the elements after it in order',
    '"text":{"status":"generated","div":"<div xmlns=\\"http://www.w3.org/1999/xhtml\\">\\n  <p title=\'a\'>5 &lt; 6 &amp; &#233;<br />x</p><!-- note -->\\r\\n</div>"},"active":false',
    '<text><status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml">\n  <p title=\'a\'>5 &lt; 6 &amp; &#233;<br />x</p><!-- note -->\r\n</div></text><active value="false"/>',
  ],
  [
    'the language of narrative, and white space that counts in it',
    '"text":{"status":"generated","div":"<div xmlns=\\"http://www.w3.org/1999/xhtml\\" lang=\\"de\\" xml:lang=\\"de\\"><pre xml:space=\\"preserve\\"> x </pre></div>"}',
    '<text><status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml" lang="de" xml:lang="de"><pre xml:space="preserve"> x </pre></div></text>',
  ],
  [
    'characters that have a meaning in XML, and line breaks',
    '"name":[{"text":"<a href=\\"x\\">&amp; \'q\' ]]>\\n\\tsecond\\r\\n 😀 é"}]',
    '<name><text value="&lt;a href=&quot;x&quot;>&amp;amp; \'q\' ]]>&#10;&#9;second&#13;&#10; 😀 é"/></name>',
  ],
  [
    'elements in the order of the definition, whatever their order in JSON',
    '"birthDate":"1970","gender":"female","active":true,"deceasedBoolean":false',
    '<active value="true"/><gender value="female"/><birthDate value="1970"/><deceasedBoolean value="false"/>',
  ],
]

describe('a Patient with', () => {
  test.each(PATIENT)('%s', (_name, json, xml) => {
    const resource = `{"resourceType":"Patient",${json}}`
    expect(xmlOf(resource)).toBe(inFhir('Patient', xml))
    expect(canonical(readXml(inFhir('Patient', xml)))).toBe(canonical(parseJson(resource)))
  })
})

test.each<[string, string, string]>([
  [
    'Bundle.entry.resource and response.outcome hold resources',
    '{"resourceType":"Bundle","type":"batch-response","entry":[{"resource":{"resourceType":"Basic","code":{"text":"b"}},"response":{"status":"200","outcome":{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"value"}]}}}]}',
    inFhir(
      'Bundle',
      '<type value="batch-response"/><entry><resource><Basic><code><text value="b"/></code></Basic></resource><response><status value="200"/><outcome><OperationOutcome><issue><severity value="warning"/><code value="value"/></issue></OperationOutcome></outcome></response></entry>',
    ),
  ],
  [
    'Parameters hold values, resources and parts',
    '{"resourceType":"Parameters","parameter":[{"name":"a","valueDecimal":1.00},{"name":"b","resource":{"resourceType":"Binary","contentType":"text/plain","data":"SGk="}},{"name":"c","part":[{"name":"d","valueInteger":-3}]}]}',
    inFhir(
      'Parameters',
      '<parameter><name value="a"/><valueDecimal value="1.00"/></parameter><parameter><name value="b"/><resource><Binary><contentType value="text/plain"/><data value="SGk="/></Binary></resource></parameter><parameter><name value="c"/><part><name value="d"/><valueInteger value="-3"/></part></parameter>',
    ),
  ],
  [
    'an element that is defined elsewhere (contentReference) nests',
    '{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"group","item":[{"linkId":"1.1","type":"display"}]}]}',
    inFhir(
      'Questionnaire',
      '<status value="draft"/><item><linkId value="1"/><type value="group"/><item><linkId value="1.1"/><type value="display"/></item></item>',
    ),
  ],
  ['a resource with nothing in it', '{"resourceType":"Parameters"}', '<Parameters xmlns="http://hl7.org/fhir"/>'],
])('%s', (_name, json, xml) => {
  expect(xmlOf(json)).toBe(xml)
  expect(canonical(readXml(xml))).toBe(canonical(parseJson(json)))
})

describe('a decimal keeps its digits', () => {
  test.each([
    '1',
    '1.0',
    '1.00',
    '0.10',
    '-0.50',
    '1e2',
    '1.50E-3',
    '0.1234567890123456789',
    '12345678901234567.8',
    '-0',
  ])('%s', (value) => {
    const json = `{"resourceType":"Observation","valueQuantity":{"value":${value}}}`
    const xml = inFhir('Observation', `<valueQuantity><value value="${value}"/></valueQuantity>`)
    expect(xmlOf(json)).toBe(xml)
    expect(JSON.stringify(readXml(xml))).toBe(json)
  })
})

describe('XML that other systems write', () => {
  test.each<[string, string]>([
    [
      'declares its namespace with a prefix',
      '<f:Patient xmlns:f="http://hl7.org/fhir"><f:active value="true"/></f:Patient>',
    ],
    [
      'begins with a declaration in its own words',
      `<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n${inFhir('Patient', '<active value="true"/>')}\n`,
    ],
    [
      'has comments and blank lines between elements',
      inFhir('Patient', '\n  <!-- a\n comment -->\n\t<active value="true"></active>\n<!-- b -->'),
    ],
    [
      'says where its schema is',
      '<Patient xmlns="http://hl7.org/fhir" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://hl7.org/fhir fhir-all.xsd"><active value="true"/></Patient>',
    ],
    [
      'has processing instructions, which are for other programs',
      `<?xml-stylesheet href="x.xsl"?>\n${inFhir('Patient', '<?php echo 1 ?><active value="true"><?a?></active><?b c?>')}<?d?>`,
    ],
    ['begins with a byte order mark', `\u{feff}${inFhir('Patient', '<active value="true"/>')}`],
    ['writes values with character references and other quotes', inFhir('Patient', "<active value='&#116;ru&#x65;'/>")],
  ])('%s', (_name, xml) => {
    expect(readXml(xml)).toEqual({ resourceType: 'Patient', active: true })
  })

  const divOf = (text: string): unknown => {
    const { text: narrative } = readXml(inFhir('Patient', `<text><status value="generated"/>${text}</text>`))
    return isObject(narrative) ? narrative['div'] : undefined
  }

  test('narrative with a prefix that JSON has no place for is written without it', () => {
    expect(
      divOf(
        '<h:div xmlns:h="http://www.w3.org/1999/xhtml" title="a&#10;b" xml:lang="de"><h:p>x &lt; y</h:p><h:br/></h:div>',
      ),
    ).toBe('<div xmlns="http://www.w3.org/1999/xhtml" title="a&#10;b" xml:lang="de"><p>x &lt; y</p><br/></div>')
  })

  test('narrative with a processing instruction is written without it', () => {
    expect(divOf('<div xmlns="http://www.w3.org/1999/xhtml"><p>a<?x y?>b</p><!-- c --></div>')).toBe(
      '<div xmlns="http://www.w3.org/1999/xhtml"><p>ab</p><!-- c --></div>',
    )
  })

  test('a CDATA section in narrative becomes text', () => {
    expect(divOf('<div xmlns="http://www.w3.org/1999/xhtml"><![CDATA[a < b & c]]></div>')).toBe(
      '<div xmlns="http://www.w3.org/1999/xhtml">a &lt; b &amp; c</div>',
    )
  })
})

describe('JSON that XML has no word for', () => {
  test('narrative without a namespace gets the one it must have', () => {
    const json = '{"resourceType":"Patient","text":{"status":"generated","div":" <div title=\\"t\\">x</div> "}}'
    expect(xmlOf(json)).toContain('<div xmlns="http://www.w3.org/1999/xhtml" title="t">x</div></text>')
  })

  test('narrative that is no XHTML stands as text, and cannot break out of its element', () => {
    const json = '{"resourceType":"Patient","text":{"status":"generated","div":"</div><script>"}}'
    expect(xmlOf(json)).toContain('<div xmlns="http://www.w3.org/1999/xhtml">&lt;/div&gt;&lt;script&gt;</div>')
  })

  test('a code point that is no character of XML is replaced', () => {
    expect(xmlOf('{"resourceType":"Patient","language":"a\\uFFFEb"}')).toContain('value="a\u{fffd}b"')
  })
})

test('_pretty puts each element on its own line and leaves narrative as it is', () => {
  const resource = {
    resourceType: 'Patient',
    text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"><p>a</p>\n<p>b</p></div>' },
    name: [{ family: 'X' }],
  }
  expect(writeXml(resource, true)).toBe(`${DECLARATION}
<Patient xmlns="http://hl7.org/fhir">
  <text>
    <status value="generated"/>
    <div xmlns="http://www.w3.org/1999/xhtml"><p>a</p>
<p>b</p></div>
  </text>
  <name>
    <family value="X"/>
  </name>
</Patient>
`)
})
