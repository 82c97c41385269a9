/** A restricted patient, whom nobody may see in a rehearsal, by all ways in which others are seen. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle } from 'fhir/r4'
import type { TestServer } from '../support/server.ts'
import { startZoo } from './magic/zoo.ts'

const PATIENT = 'Patient/magic-restricted'
const NAME = /Vivienne/

let zoo: TestServer
let asked: string
beforeAll(async () => {
  zoo = await startZoo()
  const about = { resourceType: 'Basic', code: { text: 'About the patient' }, subject: { reference: PATIENT } }
  asked = (await zoo.fhir('POST', '/Basic', about)).body.id
  // The history has deletions too, which have no text.
  expect((await zoo.fhir('DELETE', '/Patient/magic-smith-001')).status).toBe(204)
})
afterAll(() => zoo.close())

describe('a restricted patient is refused with 403, also to admins, by', () => {
  test.each([
    ['read', 'GET', `/${PATIENT}`, undefined],
    ['vread', 'GET', `/${PATIENT}/_history/1`, undefined],
    ['update', 'PUT', `/${PATIENT}`, { resourceType: 'Patient', id: 'magic-restricted' }],
    ['patch', 'PATCH', `/${PATIENT}`, [{ op: 'add', path: '/gender', value: 'other' }]],
    ['delete', 'DELETE', `/${PATIENT}`, undefined],
    ['$everything', 'GET', `/${PATIENT}/$everything`, undefined],
  ])('%s', async (_what, method, path, body) => {
    const { status, text } = await zoo.fhir(method, path, body)
    expect(status).toBe(403)
    expect(text).toContain(`${PATIENT} is restricted`)
    expect(text).not.toMatch(NAME)
  })

  test('an entry of a batch', async () => {
    const batch = { resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url: PATIENT } }] }
    expect(((await zoo.fhir('POST', '/', batch)).body as Bundle).entry?.[0]?.response?.status).toMatch(/^403/)
  })
})

/** A TestScript names the people whom a plan has its client look for. */
const patientsIn = (text: string): string => {
  const { entry = [] } = JSON.parse(text) as Bundle
  return JSON.stringify(entry.filter(({ resource }) => resource?.resourceType !== 'TestScript'))
}

describe('a restricted patient is left out of', () => {
  test.each([
    ['a search by name', '/Patient?family=Castellane&_total=accurate'],
    ['a search by id', '/Patient?_id=magic-restricted&_total=accurate'],
    ['the list of all', '/Patient?_count=200'],
    ['a search of several types', '/?_type=Patient&_count=200'],
    ['a resource that is included', `/Basic?_include=Basic:subject`],
    ['the history of the type', '/Patient/_history?_count=200'],
    ['the history of all', '/_history?_count=200'],
  ])('%s', async (_what, path) => {
    const { status, text } = await zoo.fhir('GET', path)
    expect(status).toBe(200)
    expect(patientsIn(text)).not.toMatch(NAME)
  })

  test('its own history', async () => {
    const { text } = await zoo.fhir('GET', `/${PATIENT}/_history`)
    expect(text).not.toMatch(NAME)
  })

  test('the total of a search', async () => {
    const { body } = await zoo.fhir('GET', '/Patient?family=Castellane&_total=accurate')
    expect([body.total, body.entry]).toEqual([0, undefined])
    expect((await zoo.fhir('GET', `/Basic/${asked}`)).status).toBe(200)
  })

  test('a conditional create, which makes another record', async () => {
    const patient = { resourceType: 'Patient', identifier: [{ value: 'MZ-1010' }] }
    const { status } = await zoo.fhir('POST', '/Patient', patient, { 'if-none-exist': 'identifier=MZ-1010' })
    expect(status).toBe(201)
  })
})

test('outside of rehearsals the label says nothing', async () => {
  const plain = await startZoo({ REHEARSAL: 'off' })
  try {
    expect((await plain.fhir('GET', `/${PATIENT}`)).status).toBe(200)
    expect((await plain.fhir('GET', '/Patient?family=Castellane')).text).toMatch(NAME)
  } finally {
    await plain.close()
  }
})
