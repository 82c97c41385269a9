/** Active content in a narrative: https://hl7.org/fhir/R4/narrative.html#xhtml. */
import { describe, expect, test } from '@jest/globals'
import { isAllowedMarkup } from '../../src/fhir/fhirpath/narrative.ts'

const div = (content: string) => `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>`

describe('an address that runs something is not allowed', () => {
  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java&#9;script:alert(1)',
    'java&#x0A;script:alert(1)',
    '&#106;avascript:alert(1)',
    'javascript&#58;alert(1)',
    'java\tscript:alert(1)',
    'java\u200Bscript:alert(1)',
    'vbscript:msgbox(1)',
    'livescript:x',
    'data:text/html,&lt;script&gt;alert(1)&lt;/script&gt;',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'DATA:text/html;base64,PHNjcmlwdD4=',
  ])('%j', (address) => {
    for (const markup of [
      `<a href="${address}">x</a>`,
      `<img src="${address}" alt="x"/>`,
      `<img src="a.png" longdesc="${address}" alt="x"/>`,
      `<blockquote cite="${address}">x</blockquote>`,
      `<q cite='${address}'>x</q>`,
    ])
      expect([markup, isAllowedMarkup(div(markup))]).toEqual([markup, false])
  })
})

describe('other addresses are', () => {
  test.each([
    'http://example.org/javascript:x',
    'https://example.org/?q=javascript:alert(1)',
    '#javascript',
    'Patient/1',
    'mailto:javascript@example.org',
    'urn:uuid:0b6b7d4e-7f0c-4bb1-9d5a-1f3f0a5f3c11',
    'tel:+12125550123',
    '',
  ])('%j', (address) => {
    expect(isAllowedMarkup(div(`<a href="${address}">x</a><q cite="${address}">x</q>`))).toBe(true)
  })

  test('a picture may be data', () => {
    expect(isAllowedMarkup(div('<img src="data:image/png;base64,iVBORw0KGgo=" alt="x"/>'))).toBe(true)
    expect(isAllowedMarkup(div('<a href="data:image/png;base64,iVBORw0KGgo=">x</a>'))).toBe(false)
  })
})
