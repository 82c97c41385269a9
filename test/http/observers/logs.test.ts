/** No patient data in logs, at any level. */
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { startServer, type TestServer } from '../../support/server.ts'

const lines: string[] = []
const sink = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk))
    done()
  },
})

let server: TestServer
beforeAll(async () => {
  const failing = {
    verify: async () => {
      throw new TypeError('member Zanzibar is unknown')
    },
  }
  server = await startServer({}, { logger: pino({ level: 'trace' }, sink), integrations: { insurance: failing } })
})
afterAll(() => server.close())

test('names, numbers and bodies of good, bad and failing requests are not logged', async () => {
  const patient = {
    resourceType: 'Patient',
    name: [{ family: 'Zanzibar' }],
    telecom: [{ system: 'phone', value: '+12125550143' }],
  }
  await server.fhir('POST', '/Patient', patient)
  await server.fhir('POST', '/Patient', { ...patient, gender: 'Zanzibar' })
  await server.fhir('GET', '/Patient?family=Zanzibar')
  await server.fhir('GET', '/Patient?nonsense=Zanzibar')
  await server.tool(
    '/patient-journey/update_registration_field',
    { firstName: 'Zanzibar', phone: '+12125550143' },
    { 'x-call-id': 'log-call' },
  )
  const result = await server.tool(
    '/patient-journey/submit_insurance_info',
    { payerName: 'Zanzibar', memberId: 'Zanzibar' },
    { 'x-call-id': 'log-call' },
  )
  expect(result.success).toBe(false)
  expect(lines.join('')).toContain('unexpected fault')
  expect(lines.join('')).not.toMatch(/Zanzibar|5550143/)
})
