/** AuditEvents in words, files of CSV, and requests as programs. */
import { describe, expect, test } from '@jest/globals'
import type { AuditEvent } from 'fhir/r4'
import { fetchSnippet, pythonSnippet } from '../../dashboard/api/snippets.ts'
import { deedOf } from '../../dashboard/fhir/audit.ts'
import { csvOf } from '../../dashboard/fhir/csv.ts'

const EVENT = {
  resourceType: 'AuditEvent',
  recorded: '2026-03-03T14:00:00Z',
  type: { code: 'rest' },
  subtype: [{ code: 'search-type' }],
  outcome: '0',
  agent: [
    { requestor: false, network: { address: '10.0.0.7', type: '2' } },
    { requestor: true, altId: 'nora', name: 'Nora Näf', role: [{ coding: [{ code: 'staff' }] }] },
  ],
  source: { observer: {} },
  entity: [
    { role: { code: '24' }, query: Buffer.from('/Patient?family=Näf').toString('base64') },
    { role: { code: '1' }, what: { reference: 'Patient/p1' } },
  ],
} as AuditEvent

describe('an AuditEvent', () => {
  test('says who did what to whose data, from where, and how it ended', () => {
    expect(deedOf(EVENT)).toEqual({
      ...{ who: 'Nora Näf (nora)', user: 'nora', role: 'staff', action: 'searched', what: '/Patient?family=Näf' },
      ...{ patient: 'p1', from: '10.0.0.7', outcome: 'done', said: '' },
    })
  })

  test.each([
    [{ subtype: [{ code: 'operation' }], entity: [{ role: { code: '20' }, name: '$match' }] }, 'called', '$match'],
    [
      { subtype: [{ code: 'operation' }], entity: [{ role: { code: '20' }, name: 'read settings' }] },
      'read settings',
      '',
    ],
    [{ subtype: undefined, type: { code: '110113' }, entity: undefined }, 'was refused', ''],
    [{ subtype: [{ code: 'of-others' }], entity: [{ query: 'no base64 in a role' }] }, 'of-others', ''],
    [{ entity: [{ role: { code: '24' }, query: '%%' }] }, 'searched', ''],
  ])('with %j was %s', (more, action, what) => {
    expect(deedOf({ ...EVENT, ...more } as AuditEvent)).toMatchObject({ action, what })
  })

  test.each([
    ['change password of account nora', 'changed password of account nora'],
    ['enable or disable account', 'enabled or disabled account'],
    ['resend message', 'resent message'],
    ['journal', 'read the journal'],
    ['read settings', 'read settings'],
    ['another', 'another'],
  ])('of a route beside FHIR, %s, is told in the past: %s', (name, action) => {
    const entity = [
      { role: { code: '20' }, name },
      { role: { code: '24' }, query: btoa('/clinics/demo-clinic/exchanges') },
    ]
    expect(deedOf({ ...EVENT, subtype: [{ code: 'operation' }], entity } as AuditEvent)).toMatchObject({
      ...{ action, what: '/clinics/demo-clinic/exchanges' },
    })
  })

  test('of which almost nothing is known is shown all the same', () => {
    const nothing = { resourceType: 'AuditEvent' } as AuditEvent
    expect(deedOf(nothing)).toMatchObject({ who: '', action: '', patient: '', from: '', outcome: 'failed' })
  })
})

test('no cell of CSV is taken for a formula, and each keeps its commas, quotes and lines', () => {
  expect(
    csvOf([
      ['a', '=1+1', ' @x', '-5'],
      [-5, undefined, 'b,"c"', 'd\ne'],
    ]),
  ).toBe(`a,'=1+1,' @x,'-5\r\n-5,,"b,""c""","d\ne"\r\n`)
})

test('a request is a program in JavaScript and Python, whatever is in its body', () => {
  const sent = { method: 'POST', url: 'http://x/Basic', headers: { accept: 'a"b' }, body: '{"a":"\'\n\\"}' }
  const script = fetchSnippet(sent)
  expect(script).toContain('await fetch("http://x/Basic", {')
  expect(script).toContain(`body: ${JSON.stringify(sent.body)},`)
  const python = pythonSnippet(sent)
  expect(python).toContain('    "POST",')
  expect(python).toContain(`data=${JSON.stringify(sent.body)}.encode(),`)
  expect(pythonSnippet({ ...sent, body: undefined, headers: {} })).toContain('headers={},\n)')
})
