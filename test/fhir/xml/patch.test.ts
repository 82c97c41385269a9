/** XML Patch on a resource: https://hl7.org/fhir/R4/http.html#patch, https://www.rfc-editor.org/rfc/rfc5261. */
import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../../src/fhir/json.ts'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { applyXmlPatch, readXmlPatch } from '../../../src/fhir/xml/patch.ts'
import { canonical } from './canonical.ts'

const DIV = '<div xmlns="http://www.w3.org/1999/xhtml"><p title=\'t\'>one</p> <p>two<br /></p><!--c--></div>'

const PATIENT = `{"resourceType":"Patient","id":"p","text":{"status":"generated","div":${JSON.stringify(DIV)}},
  "extension":[{"url":"http://x.org/weight","valueDecimal":1.00}],
  "identifier":[{"system":"urn:a","value":"1"},{"system":"urn:b","value":"2"}],
  "active":true,"name":[{"family":"Chalmers","given":["Peter","James"]},{"use":"usual","given":["Jim"]}],
  "birthDate":"1974-12-25"}`

const diff = (operations: string): string =>
  `<diff xmlns:f="http://hl7.org/fhir" xmlns:h="http://www.w3.org/1999/xhtml">${operations}</diff>`

const patched = (operations: string): unknown => applyXmlPatch(parseJson(PATIENT), readXmlPatch(diff(operations)))

/** Every change of the resource, as it would be written in JSON. */
const expected = (change: (patient: string) => string): string => canonical(parseJson(change(PATIENT)))

const instead =
  (before: string, after: string) =>
  (text: string): string => {
    if (!text.includes(before)) throw new Error(`The fixture has no ${before}`)
    return text.replace(before, after)
  }

describe('replace', () => {
  test.each<[string, string, (patient: string) => string]>([
    ['a value', '<replace sel="f:Patient/f:active/@value">false</replace>', instead('"active":true', '"active":false')],
    ['from the root on', '<replace sel="/f:Patient/f:birthDate/@value">1975</replace>', instead('1974-12-25', '1975')],
    [
      'one of several by position',
      '<replace sel="f:Patient/f:name[1]/f:given[2]/@value">Jo</replace>',
      instead('James', 'Jo'),
    ],
    [
      'the last one',
      '<replace sel="f:Patient/f:name[last()]/f:given/@value">Jo</replace>',
      instead('["Jim"]', '["Jo"]'),
    ],
    [
      'the one with a child of this value',
      '<replace sel="f:Patient/f:identifier[f:system/@value=\'urn:b\']/f:value/@value">3</replace>',
      instead('"value":"2"', '"value":"3"'),
    ],
    [
      'the one that has a child',
      '<replace sel="f:Patient/f:name[f:use]/f:given/@value">Jo</replace>',
      instead('["Jim"]', '["Jo"]'),
    ],
    [
      'the one with this attribute',
      '<replace sel="f:Patient/f:extension[@url=\'http://x.org/weight\']/f:valueDecimal/@value">2.50</replace>',
      instead('1.00', '2.50'),
    ],
    [
      'after several predicates',
      '<replace sel="f:Patient/f:name[f:given][2]/f:given[@value=\'Jim\']/@value">Jo</replace>',
      instead('["Jim"]', '["Jo"]'),
    ],
    ['whatever the names', '<replace sel="*/*[f:family]/*[1]/@value">C.</replace>', instead('Chalmers', 'C.')],
    [
      'an element',
      '<replace sel="f:Patient/f:birthDate"><f:birthDate value="1980" id="b"/></replace>',
      instead('"birthDate":"1974-12-25"', '"birthDate":"1980","_birthDate":{"id":"b"}'),
    ],
    [
      'the url of an extension',
      '<replace sel="f:Patient/f:extension/@url">http://x.org/w</replace>',
      instead('http://x.org/weight', 'http://x.org/w'),
    ],
    [
      'text in narrative, the rest of it to the letter but for quotes',
      '<replace sel="f:Patient/f:text/h:div/h:p[1]/text()">1 &lt; 2</replace>',
      instead(
        JSON.stringify(DIV),
        JSON.stringify(DIV.replace('one', '1 &lt; 2').replaceAll("'", '"').replace('<br />', '<br/>')),
      ),
    ],
    [
      'a comment in narrative',
      '<replace sel="f:Patient/f:text/h:div/comment()">d</replace>',
      instead(
        JSON.stringify(DIV),
        JSON.stringify(DIV.replace('--c--', '--d--').replaceAll("'", '"').replace('<br />', '<br/>')),
      ),
    ],
  ])('%s', (_name, operations, change) => {
    expect(canonical(patched(operations))).toBe(expected(change))
  })
})

describe('add', () => {
  test.each<[string, string, (patient: string) => string]>([
    [
      'an element at the end, although the definition has it before',
      '<add sel="f:Patient"><gender xmlns="http://hl7.org/fhir" value="male"/></add>',
      instead('"active":true', '"active":true,"gender":"male"'),
    ],
    [
      'one more of those that repeat',
      '<add sel="f:Patient/f:name[1]"><f:given value="K."/></add>',
      instead('"James"', '"James","K."'),
    ],
    [
      'before another',
      '<add sel="f:Patient/f:name[1]/f:given[1]" pos="before"><f:given value="K."/></add>',
      instead('"Peter"', '"K.","Peter"'),
    ],
    [
      'after another',
      '<add sel="f:Patient/f:name[1]/f:given[1]" pos="after"><f:given value="K."/></add>',
      instead('"Peter"', '"Peter","K."'),
    ],
    [
      'at the beginning',
      '<add sel="f:Patient/f:name[1]" pos="prepend"><f:given value="K."/></add>',
      instead('"Peter"', '"K.","Peter"'),
    ],
    [
      'several elements',
      '<add sel="f:Patient/f:name[2]">\n  <f:family value="C"/>\n  <f:text value="Jim C"/>\n</add>',
      instead('"use":"usual"', '"use":"usual","text":"Jim C","family":"C"'),
    ],
    ['an attribute', '<add sel="f:Patient/f:name[1]" type="@id">n1</add>', instead('"family"', '"id":"n1","family"')],
    [
      'a value with all its digits',
      '<add sel="f:Patient"><f:extension url="http://x.org/h"><f:valueDecimal value="0.10"/></f:extension></add>',
      instead('"valueDecimal":1.00}', '"valueDecimal":1.00},{"url":"http://x.org/h","valueDecimal":0.10}'),
    ],
    [
      'a resource',
      '<add sel="f:Patient"><f:contained><f:Basic><f:id value="b"/></f:Basic></f:contained></add>',
      instead('"active":true', '"active":true,"contained":[{"resourceType":"Basic","id":"b"}]'),
    ],
    [
      'narrative',
      '<add sel="f:Patient/f:text/h:div/h:p[1]" pos="before"><h:hr/></add>',
      instead(
        JSON.stringify(DIV),
        JSON.stringify(DIV.replace('<p', '<hr/><p').replaceAll("'", '"').replace('<br />', '<br/>')),
      ),
    ],
  ])('%s', (_name, operations, change) => {
    expect(canonical(patched(operations))).toBe(expected(change))
  })
})

describe('remove', () => {
  test.each<[string, string, (patient: string) => string]>([
    ['an element', '<remove sel="f:Patient/f:active"/>', instead('"active":true,', '')],
    ['one of several', '<remove sel="f:Patient/f:name[1]/f:given[1]"/>', instead('"Peter",', '')],
    [
      'an attribute, and what is left of it',
      '<remove sel="f:Patient/f:birthDate/@value"/><add sel="f:Patient/f:birthDate" type="@id">b</add>',
      instead('"birthDate":"1974-12-25"', '"_birthDate":{"id":"b"}'),
    ],
    [
      'an element of narrative with white space',
      '<remove sel="f:Patient/f:text/h:div/h:p[2]" ws="before"/>',
      instead(
        JSON.stringify(DIV),
        JSON.stringify('<div xmlns="http://www.w3.org/1999/xhtml"><p title="t">one</p><!--c--></div>'),
      ),
    ],
  ])('%s', (_name, operations, change) => {
    expect(canonical(patched(operations))).toBe(expected(change))
  })
})

describe('a patch', () => {
  test('is carried out in order, each operation on what the one before left', () => {
    const operations = [
      '<add sel="f:Patient/f:name[1]"><f:given value="A"/></add>',
      '<replace sel="f:Patient/f:name[1]/f:given[3]/@value">B</replace>',
      '<remove sel="f:Patient/f:name[1]/f:given[1]"/>',
    ]
    expect(canonical(patched(operations.join('')))).toBe(expected(instead('"Peter","James"', '"James","B"')))
  })

  test('gives the same result when it is applied again, as it is when another change came between', () => {
    const patch = readXmlPatch(
      diff(
        '<add sel="f:Patient"><f:name><f:family value="A"/></f:name></add><replace sel="f:Patient/f:name[last()]/f:family/@value">B</replace>',
      ),
    )
    const document = parseJson(PATIENT)
    const before = canonical(document)
    expect(canonical(applyXmlPatch(document, patch))).toBe(canonical(applyXmlPatch(document, patch)))
    expect(canonical(document)).toBe(before)
  })

  test('leaves what it does not touch as it was, digits and narrative to the letter', () => {
    const result = JSON.stringify(patched('<replace sel="f:Patient/f:active/@value">false</replace>'))
    expect(result).toContain('"valueDecimal":1.00')
    expect(result).toContain(JSON.stringify(DIV))
  })

  test('of nothing changes nothing', () => {
    expect(canonical(patched(''))).toBe(expected((text) => text))
  })

  test.each<[string, string]>([
    [
      'a diff in the namespace of FHIR, names without prefix',
      '<diff xmlns="http://hl7.org/fhir"><replace sel="Patient/active/@value">false</replace></diff>',
    ],
    [
      'a diff without any namespace, names without prefix',
      '<diff><replace sel="Patient/active/@value">false</replace></diff>',
    ],
    [
      'a patch of RFC 7351',
      '<p:patch xmlns:p="urn:ietf:rfc:7351" xmlns="http://hl7.org/fhir"><p:replace sel="Patient/active/@value">false</p:replace></p:patch>',
    ],
    [
      'a prefix that one operation declares',
      '<diff><replace xmlns:x="http://hl7.org/fhir" sel="x:Patient/x:active/@value">false</replace></diff>',
    ],
  ])('may come as %s', (_name, text) => {
    expect(canonical(applyXmlPatch(parseJson(PATIENT), readXmlPatch(text)))).toBe(
      expected(instead('"active":true', '"active":false')),
    )
  })
})

function refusal(work: () => unknown): readonly [number, string] {
  try {
    work()
  } catch (error) {
    if (error instanceof FhirError) return [error.status, error.message]
    throw error
  }
  throw new Error('It was accepted')
}

describe('a malformed patch is 400 and names the operation:', () => {
  test.each<[string, string, RegExp]>([
    ['no XML', 'x', /The XML Patch is not well-formed XML/],
    ['a DOCTYPE', '<!DOCTYPE diff><diff/>', /The XML Patch has a DOCTYPE/],
    ['another root', '<Patient xmlns="http://hl7.org/fhir"/>', /is a diff \(or patch\)/],
    ['text between operations', diff('replace'), /no text between them/],
    [
      'another operation',
      diff('<remove sel="f:Patient/f:active"/><move sel="a"/>'),
      /^XML Patch operation 1: move is none of add, replace, remove/,
    ],
    ['no selector', diff('<remove/>'), /^XML Patch operation 0: remove needs sel/],
    ['an unknown attribute', diff('<remove sel="f:Patient" po="x"/>'), /remove has no attribute po; it has sel, ws/],
    [
      'an unknown position',
      diff('<add sel="f:Patient" pos="behind"><f:active/></add>'),
      /pos 'behind' is none of prepend, before, after/,
    ],
    [
      'a namespace to add',
      diff('<add sel="f:Patient" type="namespace::x">urn:x</add>'),
      /type 'namespace::x' must be the name of an attribute/,
    ],
    [
      'a place for an attribute',
      diff('<add sel="f:Patient" type="@id" pos="before">1</add>'),
      /pos makes no sense for an attribute/,
    ],
    ['nothing to add', diff('<add sel="f:Patient"> </add>'), /there is nothing to add/],
    [
      'two elements for one',
      diff('<replace sel="f:Patient/f:active"><f:active/><f:active/></replace>'),
      /replaced by one element/,
    ],
    [
      'an element for a value',
      diff('<replace sel="f:Patient/f:active/@value"><f:active/></replace>'),
      /must be the new text/,
    ],
    ['content to remove', diff('<remove sel="f:Patient/f:active">x</remove>'), /remove takes no content/],
    [
      'white space that is none',
      diff('<remove sel="f:Patient/f:active" ws="all"/>'),
      /ws 'all' is none of before, after, both/,
    ],
    ['too many operations', diff('<remove sel="f:Patient/f:active"/>'.repeat(1001)), /at most 1000 operations/],
  ])('%s', (_name, text, message) => {
    const [status, told] = refusal(() => readXmlPatch(text))
    expect(status).toBe(400)
    expect(told).toMatch(message)
  })

  test.each<[string, string]>([
    ['f:Patient//f:active', 'from character 11 on; it takes a path such as f:Patient'],
    ['x:Patient', 'it takes a prefix that the patch declares, as in xmlns:x="http://hl7.org/fhir"'],
    ['f:Patient/f:name[', 'from character 18 on'],
    ['f:Patient/f:name[1', 'from character 18 on'],
    ['f:Patient/f:name[f:use=usual]', "it takes ']'"],
    ['f:Patient/f:name[position()=1]', 'from character 18 on'],
    ['f:Patient/@*', 'an attribute of FHIR: @value, @id or @url'],
    ['f:Patient/@f:id', 'an attribute of FHIR: @value, @id or @url'],
    ['f:Patient/@id/f:x', 'from character 14 on'],
    ['child::f:Patient', 'from character 1 on'],
    ["id('x')/f:name", 'from character 1 on'],
    ['count(f:Patient)', 'from character 1 on'],
    ['f:Patient | f:x', 'from character 10 on'],
    ['..', 'from character 1 on'],
    ['/', 'from character 2 on'],
    [`f:Patient${'/f:a'.repeat(600)}`, 'at most 2000 characters'],
  ])('the selector %s', (selector, message) => {
    const [status, told] = refusal(() => readXmlPatch(diff(`<remove sel="${selector}"/>`)))
    expect([status, told]).toEqual([400, expect.stringContaining(message)])
    expect(told).toMatch(/^XML Patch operation 0: /)
  })
})

describe('a patch that cannot be applied is 422:', () => {
  test.each<[string, string, string]>([
    [
      'nothing is found',
      '<remove sel="f:Patient/f:gender"/>',
      'XML Patch operation 0 (remove f:Patient/f:gender) cannot be applied: the selector finds nothing',
    ],
    ['it is another resource', '<remove sel="f:Basic/f:id"/>', 'the selector finds nothing'],
    ['several are found', '<remove sel="f:Patient/f:name"/>', 'the selector finds several nodes; it must find one'],
    ['the position is beyond the end', '<remove sel="f:Patient/f:name[3]"/>', 'the selector finds nothing'],
    ['the resource is removed', '<remove sel="f:Patient"/>', 'the resource itself stays'],
    [
      'something stands beside the resource',
      '<add sel="f:Patient" pos="after"><f:Basic/></add>',
      'the resource itself stays',
    ],
    ['something stands in a value', '<add sel="f:Patient/f:active/@value"><f:x/></add>', 'must end at an element'],
    [
      'an attribute has siblings',
      '<add sel="f:Patient/f:active/@value" pos="before"><f:x/></add>',
      'an attribute has no place',
    ],
    [
      'the attribute is there',
      '<add sel="f:Patient/f:active" type="@value">true</add>',
      'has the attribute value already; replace it',
    ],
    ['there is no white space', '<remove sel="f:Patient/f:active" ws="both"/>', 'there is no white space before it'],
    [
      'an unknown element comes out',
      '<add sel="f:Patient"><f:colour value="red"/></add>',
      'After the patch, Patient.colour is not an element of Patient',
    ],
    [
      'an element without a namespace comes out',
      '<add sel="f:Patient"><gender value="male"/></add>',
      'After the patch, Patient.gender is in no namespace',
    ],
    [
      'a value of the wrong kind comes out',
      '<replace sel="f:Patient/f:active/@value">yes</replace>',
      'After the patch, Patient.active must be true or false',
    ],
    [
      'an empty element comes out',
      '<remove sel="f:Patient/f:active/@value"/>',
      'After the patch, Patient.active is empty',
    ],
    [
      'one element comes out twice',
      '<add sel="f:Patient"><f:active value="true"/></add>',
      'After the patch, Patient.active is given twice',
    ],
    [
      'another root comes out',
      '<replace sel="f:Patient"><f:x/></replace>',
      'After the patch, x is no resource type of R4',
    ],
  ])('%s', (_name, operations, message) => {
    const [status, told] = refusal(() => patched(operations))
    expect([status, told]).toEqual([422, expect.stringContaining(message)])
  })
})

test('selectors that together look at too much are 413', () => {
  const names = Array.from({ length: 5000 }, (_, index) => ({ family: String(index) }))
  const operation = `<replace sel="f:Patient/f:name[f:family/@value='4999']/f:family/@value">4999</replace>`
  const work = (times: number) => () =>
    applyXmlPatch({ resourceType: 'Patient', name: names }, readXmlPatch(diff(operation.repeat(times))))
  expect(work(10)).not.toThrow()
  expect(refusal(work(300))[0]).toBe(413)
})
