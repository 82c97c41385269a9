/** Sentences of reports and refusals; values that a client makes long do not make the report of its run long. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'

let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed()
})
afterAll(() => clinic.server.close())

const LONG = 'q'.repeat(8_000)

test('a report quotes the beginning of a long value, and counts a parameter with a long name without keeping it', async () => {
  const step = { id: 'asks', title: 'Asks for a name', source: 'https://hl7.org/fhir/R4/search.html' }
  await clinic.ask('PUT', '/plans/asked', {
    ...{ plan: 'asked', title: 'Asked', version: '1.0.0', description: 'A plan of a test' },
    steps: [{ ...step, expect: { interaction: 'search-type', type: 'Patient', query: { name: 'Smith' } } }],
  })
  const { run } = (await clinic.ask('POST', '/runs', { plan: 'asked' })).body
  await clinic.server.fhir('GET', `/Patient?name=${LONG}`)
  await clinic.server.fhir('GET', `/Patient?${LONG}=1`)
  await clinic.server.fhir('GET', `/Patient?name=${LONG}`)
  const { body, text } = await clinic.ask('POST', `/runs/${run}/finish`)
  expect(body.steps[0]).toMatchObject({ result: 'fail', message: expect.stringMatching(/, but name is qqqq.*q…$/) })
  expect(body.observed.types.Patient.searchParameters).toEqual(['name'])
  expect([body.traffic.exchanges, text.length < 10_000]).toEqual([3, true])
})

test('a tool that was not called is named as it is, and a step that nobody attests is told from a missing one', async () => {
  await clinic.ask('PUT', '/plans/called', {
    ...{ plan: 'called', title: 'Called', version: '1.0.0', description: 'A plan of a test' },
    steps: [{ id: 'calls', title: 'Calls', source: 'docs/live-calls.md', expect: { tool: 'book_appointment' } }],
  })
  const { run } = (await clinic.ask('POST', '/runs', { plan: 'called' })).body
  const refused = await clinic.ask('POST', `/runs/${run}/attest`, { step: 'calls', ok: true })
  expect([refused.status, refused.body.error]).toEqual([
    404,
    "The plan has no step 'calls' that a person attests; it has none",
  ])
  const { body } = await clinic.ask('POST', `/runs/${run}/finish`)
  expect(body.steps[0].message).toBe('The tool book_appointment was expected; none came.')
})
